#include "host/devices/links_text.hpp"

#include "device_runtime/devices.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/links.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace tessera {
namespace {

// "12.3", "181", "2340": three digits, and none behind a point that say nothing.
std::string figure(double number) { return number < 99.95 ? fmt::format("{:.1f}", number) : fmt::format("{:.0f}", number); }

// A line of the table; what cannot be measured is told in it.
template<class Measure> std::string line_of(const std::string& what, const Measure& measure) {
    try {
        return fmt::format("{:<20}{}\n", what, measure());
    } catch (const Error& error) {
        return fmt::format("{:<20}    {}\n", what, error.what());
    }
}

std::string memory_figures(Device& device) {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    return fmt::format("{:>8}{:>8}  within its memory, read and written", figure(memory_bytes_a_second(device, bytes) * 1e-9), "");
}

std::string link_figures(Device& a, Device& b) {
    const auto way = share_memory(a, b) ? Way::direct : Way::by_host;
    const double bandwidth = bytes_a_second(a, b, way), latency = seconds_of_news(a, b, way);
    return fmt::format("{:>8}{:>8}  {}", figure(bandwidth * 1e-9), figure(latency * 1e6),
                       way == Way::direct ? "from memory to memory" : "by way of the host");
}

} // namespace

std::string links_text(const std::vector<std::string>& names, const CudaSearch& search) {
    auto text = fmt::format("{:<20}{:>8}{:>8}\n", "copies", "GB/s", "us");
    std::vector<std::unique_ptr<Device>> devices;
    for (const auto& name : names)
        text += line_of(name, [&] {
            auto device = open_device(name, 0, search);
            auto figures = memory_figures(*device);
            devices.push_back(std::move(device));
            return figures;
        });
    for (std::size_t a = 0; a < devices.size(); ++a)
        for (std::size_t b = a + 1; b < devices.size(); ++b)
            text += line_of(fmt::format("{} to {}", devices[a]->info().name, devices[b]->info().name),
                            [&] { return link_figures(*devices[a], *devices[b]); });
    return text;
}

} // namespace tessera

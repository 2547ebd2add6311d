// Places with a member of every type, and random values in them, on one device or on several that have stripes of them.
#pragma once

#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::test {

inline constexpr const char* every_type = R"~(
#include <tessera/model.hpp>
struct Sample {
    bool flag = false;
    std::int8_t i8 = 0;
    std::uint8_t u8 = 0;
    std::int16_t i16 = 0;
    std::uint16_t u16 = 0;
    std::int32_t i32 = 0;
    std::uint32_t u32 = 0;
    std::int64_t i64 = 0;
    std::uint64_t u64 = 0;
    float f32[2] = {0, 0};
    double f64 = 0;
};
TESSERA_PLACE(Sample, flag, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);
TESSERA_CALL(Sample, stay, reads<&Sample::u8>, writes<&Sample::u8>) { self.u8 += 0; }
TESSERA_MODEL(samples, "values of every type");
)~";

// A run of the source `path` with a grid of that geometry.
inline Prepared samples_of(const std::string& path, const std::string& size) {
    return prepare(
        for_any_devices({path, {"output=[]", "run.steps=1", "places.sample.size=" + size, "phase=[{callAll=\"sample.stay\"}]"}, {}}),
        compiler());
}

// A run over one device or several, of which the test knows the values.
class Shown {
public:
    Shown(const Prepared& prepared, Distribution distribution, const std::string& device)
        : devices_(open_devices(std::vector<std::string>(distribution.partitions(), device), 2)),
          setup_(arranged(prepared.setup, std::move(distribution))), simulation_(setup_, pointers_to(devices_), compiler(), pool_) {}

    [[nodiscard]] const Setup& setup() const { return setup_; }
    [[nodiscard]] Simulation& simulation() { return simulation_; }
    [[nodiscard]] FrameMaker& frames() { return simulation_.frames(compiler()); }

private:
    static std::vector<Device*> pointers_to(const std::vector<std::unique_ptr<Device>>& devices) {
        std::vector<Device*> pointers;
        for (const auto& device : devices) pointers.push_back(device.get());
        return pointers;
    }

    std::vector<std::unique_ptr<Device>> devices_;
    ThreadPool pool_{2};
    Setup setup_;
    Simulation simulation_;
};

inline std::int64_t below(std::mt19937& dice, std::int64_t end) {
    return static_cast<std::int64_t>(dice() % static_cast<std::uint64_t>(end));
}

template<class T> T drawn(std::mt19937& dice) {
    if constexpr (std::is_floating_point_v<T>) {
        constexpr T odd[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()};
        const auto which = below(dice, 20);
        return which < 3 ? odd[which] : static_cast<T>(below(dice, 4000)) / 7 - 200;
    } else if constexpr (std::is_same_v<T, bool>) {
        return below(dice, 2) == 1;
    } else {
        return static_cast<T>(below(dice, 5) == 0 ? dice() : dice() % 100);
    }
}

// Random values into a member, those of all elements; the ones that it has then, as numbers.
inline std::vector<double> fill(Simulation& simulation, const Setup& setup, ColumnId column, std::uint32_t seed) {
    const auto& layout = setup[column].layout;
    const auto places = layout.size[0] * layout.size[1] * layout.size[2];
    std::vector<double> numbers;
    with_type(layout.type, [&](auto zero) {
        using type = decltype(zero);
        std::mt19937 dice(seed);
        std::vector<std::byte> bytes(static_cast<std::size_t>(places * layout.elements) * sizeof(type));
        for (std::size_t i = 0; i < bytes.size() / sizeof(type); ++i) {
            const auto value = drawn<type>(dice);
            std::memcpy(bytes.data() + i * sizeof(type), &value, sizeof(type));
            numbers.push_back(static_cast<double>(value));
        }
        simulation.write(column, [&](const PlaceRange& range, std::byte* into) {
            for (int e = 0; e < layout.elements; ++e)
                std::memcpy(into + static_cast<std::size_t>(e * range.count()) * sizeof(type),
                            bytes.data() + static_cast<std::size_t>(e * places + range.first) * sizeof(type),
                            static_cast<std::size_t>(range.count()) * sizeof(type));
        });
    });
    return numbers;
}

} // namespace tessera::test

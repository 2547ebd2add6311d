#include "device_runtime/cpu_memory.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

namespace tessera {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t fence = std::size_t{16} << 20; // addresses cost nothing, and an index that is wrong may be far beyond
constexpr std::size_t line = 128;                    // which rows of columns begin on

[[noreturn]] void out_of_memory(std::size_t bytes, const std::string& why) {
    throw Error(Failure::memory, fmt::format("the CPU has no {} of memory to give", readable_bytes(bytes)), why,
                "make the grid smaller, or close other programs");
}

[[noreturn]] void out_of_memory(std::size_t bytes, int error) { out_of_memory(bytes, std::generic_category().message(error)); }

// The system places a page near the thread that touches it first, which matters where there are several memories. Pieces of pages are cut
// as pieces of places are. Elsewhere pages come when they are used, and those that never are cost nothing: lists have room for as many
// agents as find a place, of which most are seldom there.
void first_touch(ThreadPool& pool, std::byte* start, std::size_t bytes) {
    const auto page = CpuRange::page();
    pool.run(static_cast<std::int64_t>(bytes / page), [=](std::int64_t begin, std::int64_t end) {
        std::memset(start + static_cast<std::size_t>(begin) * page, 0, static_cast<std::size_t>(end - begin) * page);
    });
}

} // namespace

std::size_t CpuRange::page() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

CpuRange::CpuRange(std::vector<std::shared_ptr<CpuCore>> sharers, std::size_t bytes, Overruns overruns)
    : sharers_(std::move(sharers)), reserved_(whole_pages(bytes, page())), fence_(overruns == Overruns::stop ? fence : 0) {
    if (reserved_ == 0 || reserved_ > static_cast<std::size_t>(-1) - 2 * fence_) out_of_memory(bytes, ENOMEM);
    void* const start = mmap(nullptr, reserved_ + 2 * fence_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) out_of_memory(bytes, errno);
    pages_ = static_cast<std::byte*>(start) + fence_;
    address = overruns == Overruns::stop ? pages_ + reserved_ - whole_pages(bytes, line) : pages_;
    size = bytes;
}

CpuRange::~CpuRange() {
    for (const auto& core : sharers_) core->queues().drain();
    munmap(pages_ - fence_, reserved_ + 2 * fence_);
}

void CpuRange::back(CpuCore& core, std::size_t offset, std::size_t bytes) {
    const BackedPart part{offset, whole_pages(bytes, page())};
    check_part(parts_, part, page(), reserved_);
    const auto available = memory_available();
    if (bytes > available) out_of_memory(bytes, fmt::format("{} are free", readable_bytes(available)));
    auto* start = pages_ + offset;
    parts_.reserve(parts_.size() + 1);
    if (mprotect(start, part.size, PROT_READ | PROT_WRITE) != 0) out_of_memory(bytes, errno);
    parts_.push_back(part);
    if (part.size >= huge_page) madvise(start, part.size, MADV_HUGEPAGE);
    if (memory_nodes() > 1) first_touch(core.pool(), start, part.size);
}

} // namespace tessera

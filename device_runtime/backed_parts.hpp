// Which parts of a range of addresses have memory behind them.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera {

struct BackedPart {
    std::size_t offset = 0, size = 0; // bytes
};

// Throws Failure::internal unless the part begins and ends on a page, lies within `reserved` bytes and overlaps none of `parts`.
void check_part(const std::vector<BackedPart>& parts, const BackedPart& part, std::size_t page, std::size_t reserved);

// `bytes` rounded up to a multiple of `page`; 0 if there is no such number.
[[nodiscard]] constexpr std::size_t whole_pages(std::size_t bytes, std::size_t page) noexcept {
    return bytes > static_cast<std::size_t>(-1) - page ? 0 : (bytes + page - 1) / page * page;
}

} // namespace tessera

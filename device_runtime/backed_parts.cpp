#include "device_runtime/backed_parts.hpp"

#include "device_runtime/error.hpp"

#include <algorithm>
#include <string>

namespace tessera {

void check_part(const std::vector<BackedPart>& parts, const BackedPart& part, std::size_t page, std::size_t reserved) {
    const auto refuse = [&](const std::string& why) {
        throw Error(Failure::internal,
                    "memory was put behind bytes " + std::to_string(part.offset) + " to " + std::to_string(part.offset + part.size) +
                        " of a range of " + std::to_string(reserved),
                    why);
    };
    if (part.size == 0 || part.offset % page != 0 || part.size % page != 0) refuse("parts are whole pages of " + std::to_string(page));
    if (part.offset > reserved || part.size > reserved - part.offset) refuse("it ends before");
    const auto overlaps = [&](const BackedPart& other) {
        return part.offset < other.offset + other.size && other.offset < part.offset + part.size;
    };
    if (std::any_of(parts.begin(), parts.end(), overlaps)) refuse("a part of it has memory already");
}

} // namespace tessera

// Agents in a list are more than there is memory for.
#pragma once

#include "device_runtime/error.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// "65536 of sheep, 80000 of wolf": for how many there is room.
[[nodiscard]] std::string rooms_text(const Setup& setup, const std::vector<CollectionId>& of);

// Failure::model. Before the first step, or when a manageAll found it, by which nothing was changed.
class OutgrownRoom : public Error {
public:
    // `all` will there be, of one of the collections `of`; `when` is "before the first step", say.
    OutgrownRoom(const Setup& setup, const std::vector<CollectionId>& of, std::uint64_t all, const std::string& when);

    [[nodiscard]] const std::string& problem() const noexcept { return problem_; } // what() without why and suggestion
    // Of those that have no room for so many: how many there would be.
    [[nodiscard]] std::uint64_t wanted(const Setup& setup, CollectionId agents) const;

private:
    OutgrownRoom(const Setup& setup, const std::string& problem, const std::vector<CollectionId>& of, std::uint64_t all);

    std::string problem_;
    std::vector<CollectionId> of_;
    std::uint64_t all_;
};

} // namespace tessera

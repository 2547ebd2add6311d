// Agents in a list are more than there is memory for.
#pragma once

#include "device_runtime/error.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// Failure::model. Before the first step, or when a manageAll found it, by which nothing was changed.
class OutgrownRoom : public Error {
public:
    // `all` will there be, of one of the collections `of`, in this step; `when` is "before the first step", say.
    OutgrownRoom(const Setup& setup, const std::vector<CollectionId>& of, std::uint64_t all, std::uint64_t step, const std::string& when);

    [[nodiscard]] const std::string& problem() const noexcept { return problem_; } // what() without why and suggestion
    [[nodiscard]] std::uint64_t step() const noexcept { return step_; }
    // Of those that have no room for so many: how many there would be.
    [[nodiscard]] std::uint64_t wanted(const Setup& setup, CollectionId agents) const;

private:
    OutgrownRoom(const Setup& setup, const std::string& problem, const std::vector<CollectionId>& of, std::uint64_t all,
                 std::uint64_t step);

    std::string problem_;
    std::vector<CollectionId> of_;
    std::uint64_t all_, step_;
};

} // namespace tessera

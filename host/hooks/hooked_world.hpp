// The state of a run as a hook sees it: what stands behind the functions of a tessera_host.
#pragma once

#include "host/session/run.hpp"

#include <tessera/detail/hooks_abi.hpp>

#include <exception>
#include <optional>
#include <string>
#include <thread>

namespace tessera {

// For one call of one hook. What the hook asks that cannot be had is told to it; what breaks meanwhile (a device, say) is kept for the run.
class HookedWorld {
public:
    // `hook` is what lines of its log begin with. Both must outlive it; the run has to stand between two steps.
    HookedWorld(Run& run, const std::string& hook, bool may_write);
    HookedWorld(const HookedWorld&) = delete;
    HookedWorld& operator=(const HookedWorld&) = delete;

    [[nodiscard]] const tessera_host& host() const noexcept { return host_; }

    [[nodiscard]] const std::exception_ptr& broken() const noexcept { return broken_; }
    [[nodiscard]] const std::string& failure() const noexcept { return failure_; }                // why the hook failed, as it says
    [[nodiscard]] const std::optional<std::string>& stopped() const noexcept { return stopped_; } // why it wants the run to end

private:
    struct Named { // what a hook names: a member, or of agents their ids or where they stand
        enum class What { member, id, place } what = What::member;
        CollectionId collection;
        ColumnId column;       // of members, and of positions in space
        int first_element = 0; // of positions: the axis
        int axis = 0;          // of places
        Scalar type{};
        int elements = 1;
        std::string name; // "cell.heat"
    };
    struct Calls; // those that a hook makes

    [[nodiscard]] CollectionId find_collection(const std::string& name) const;
    [[nodiscard]] Named find(const std::string& collection, const std::string& member) const;
    [[nodiscard]] std::int64_t count_of(CollectionId collection) const;
    [[nodiscard]] const AgentTable& agents(CollectionId collection) const { return run_.view().agents(collection); }

    void describe(const char* collection, const char* member, tessera_column& found) const;
    void read(const Named& what, const tessera_box* box, std::uint32_t type, std::byte* values, std::uint64_t count) const;
    void read_box(const Named& what, const tessera_box& box, std::byte* values) const;
    [[nodiscard]] std::int64_t coordinate_of(const Named& what, std::int64_t place) const;
    void read_agents(const Named& what, std::byte* values) const;
    void write(const Named& what, const tessera_box* box, std::uint32_t type, const std::byte* values, std::uint64_t count);

    Run& run_;
    const Setup& setup_;
    const std::string& hook_;
    bool may_write_;
    std::thread::id thread_ = std::this_thread::get_id();
    tessera_host host_{};
    std::string why_, failure_;
    std::optional<std::string> stopped_;
    std::exception_ptr broken_;
};

} // namespace tessera

#include "host/hooks/hooked_world.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/float_environment.hpp"
#include "device_runtime/printable.hpp"
#include "host/run_file/nearest.hpp"
#include "host/setup/names.hpp"
#include "host/world/link_lists.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <vector>

namespace tessera {
namespace {

// A question that has no answer; it is the hook's to go on or not.
struct Refused : Error {
    Refused(const std::string& problem, const std::string& why, const std::string& suggestion = {})
        : Error(Failure::model, problem, why, suggestion) {}
};

constexpr std::string_view axes[] = {"x", "y", "z"};
constexpr std::size_t longest_reason = 1000; // bytes, of what ends a run

std::string type_text(std::uint32_t type) {
    return type < static_cast<std::uint32_t>(Scalar::boolean) || type > static_cast<std::uint32_t>(Scalar::f64)
               ? "none that is known"
               : std::string(name_of(static_cast<Scalar>(type)));
}

std::string extents_text(const CollectionSetup& collection) {
    const auto size = collection.seen_size();
    return fmt::format("{}", fmt::join(size.begin(), size.begin() + collection.seen_dimensions(), " x "));
}

// As C++ has it: bool is read and written as a byte.
Scalar type_in_hook(Scalar type) { return type == Scalar::boolean ? Scalar::u8 : type; }

void expect_type(const std::string& name, const char* what, Scalar type, std::uint32_t given) {
    if (given == static_cast<std::uint32_t>(type) || given == static_cast<std::uint32_t>(type_in_hook(type))) return;
    throw Refused(fmt::format("{} cannot be {}", name, what),
                  fmt::format("it is {}, and the hook's values are {}", name_of(type), type_text(given)),
                  fmt::format("use {}", name_of(type_in_hook(type))));
}

void expect_count(const std::string& name, const char* what, std::int64_t there, std::uint64_t given) {
    if (static_cast<std::uint64_t>(there) == given) return;
    throw Refused(fmt::format("{} cannot be {}", name, what), fmt::format("it has {} values there, and the hook has {}", there, given),
                  "use a vector of that size");
}

tessera_box whole_of(const CollectionSetup& collection) {
    const auto size = collection.seen_size();
    return {{0, 0, 0}, {size[0], size[1], size[2]}};
}

bool is_whole(const CollectionSetup& collection, const tessera_box& box) {
    const auto whole = whole_of(collection);
    return std::equal(std::begin(box.from), std::end(box.from), std::begin(whole.from)) &&
           std::equal(std::begin(box.to), std::end(box.to), std::begin(whole.to));
}

std::int64_t places_in(const tessera_box& box) { return (box.to[0] - box.from[0]) * (box.to[1] - box.from[1]) * (box.to[2] - box.from[2]); }

void expect_within(const std::string& name, const char* what, const CollectionSetup& collection, const tessera_box& box) {
    bool within = true;
    for (std::size_t axis = 0; axis < 3; ++axis)
        within &= 0 <= box.from[axis] && box.from[axis] < box.to[axis] && box.to[axis] <= collection.seen_size()[axis];
    if (within) return;
    const auto text = [&](const std::int64_t* corner) {
        return fmt::format("({})", fmt::join(corner, corner + collection.seen_dimensions(), ", "));
    };
    throw Refused(fmt::format("{} cannot be {}", name, what),
                  fmt::format("the grid does not have all places from {} to before {}: it has {}", text(box.from), text(box.to),
                              extents_text(collection)),
                  "name places of the grid, at least one");
}

// Calls `visit(places, at)` for each row of a box: its places, which are one after the other, and where they are among those of the box.
template<class Visit> void for_each_row(const CollectionSetup& collection, const tessera_box& box, const Visit& visit) {
    std::int64_t at = 0;
    const auto width = box.to[0] - box.from[0];
    const auto size = collection.seen_size();
    for (auto z = box.from[2]; z < box.to[2]; ++z)
        for (auto y = box.from[1]; y < box.to[1]; ++y, at += width) {
            const auto first = (z * size[1] + y) * size[0] + box.from[0];
            visit(PlaceRange{first, first + width}, at);
        }
}

void expect_truths(const std::string& name, const std::byte* values, std::uint64_t count) {
    const auto* const wrong = std::find_if(values, values + count, [](std::byte value) { return value > std::byte{1}; });
    if (wrong == values + count) return;
    throw Refused(fmt::format("{} cannot be written", name),
                  fmt::format("it is bool, and value {} is {}", wrong - values, std::to_integer<int>(*wrong)), "write 0 and 1");
}

} // namespace

// The functions of a tessera_host. Nothing is thrown across.
struct HookedWorld::Calls {
    static HookedWorld& of(void* run) { return *static_cast<HookedWorld*>(run); }

    template<class Do> static std::int32_t answer(void* run, const Do& work) noexcept {
        auto& world = of(run);
        if (std::this_thread::get_id() != world.thread_) return 1;
        const DefaultArithmetic ours; // not the hook's
        try {
            work(world);
            return 0;
        } catch (const Refused& refused) {
            world.why_ = refused.what();
        } catch (const std::exception& error) {
            world.why_ = error.what();
            world.broken_ = std::current_exception();
        }
        return 1;
    }

    static const char* why(void* run) {
        auto& world = of(run);
        if (std::this_thread::get_id() != world.thread_) return "`world` can be used only in the thread in which the run calls the hook";
        return world.why_.c_str();
    }
    static std::int32_t find(void* run, const char* collection, const char* member, tessera_column* found) {
        return answer(run, [&](HookedWorld& world) { world.describe(collection, member, *found); });
    }
    static std::int32_t read(void* run, const char* collection, const char* member, const tessera_box* box, std::uint32_t type,
                             void* values, std::uint64_t count) {
        return answer(run, [&](HookedWorld& world) {
            world.read(world.find(collection, member), box, type, static_cast<std::byte*>(values), count);
        });
    }
    static std::int32_t write(void* run, const char* collection, const char* member, const tessera_box* box, std::uint32_t type,
                              const void* values, std::uint64_t count) {
        return answer(run, [&](HookedWorld& world) {
            world.write(world.find(collection, member), box, type, static_cast<const std::byte*>(values), count);
        });
    }
    static std::int32_t parameter(void* run, const char* name, std::uint32_t type, void* value) {
        return answer(run, [&](HookedWorld& world) {
            const auto& all = world.run_.parameters();
            const auto found = std::find_if(all.begin(), all.end(), [&](const ParameterValue& each) { return each.name == name; });
            if (found == all.end()) {
                const auto known = names_of(all);
                throw Refused(fmt::format("there is no parameter `{}`", name),
                              known.empty() ? "the model has none" : "there is " + listed(known), did_you_mean(name, known));
            }
            expect_type(name, "read", found->type, type);
            std::memcpy(value, found->bytes.data(), found->bytes.size());
        });
    }
    static void log(void* run, std::int32_t is_warning, const char* text) {
        const auto level = is_warning != 0 ? LogLevel::warning : LogLevel::info;
        std::istringstream lines(printable(text));
        for (std::string line; std::getline(lines, line);) log_at(level, "{}: {}", of(run).hook_, line);
    }
    static void stop(void* run, const char* why) { of(run).stopped_ = shown(why, longest_reason); }
    static void fail(void* run, const char* why) { of(run).failure_ = why; }
};

HookedWorld::HookedWorld(Run& run, const std::string& hook, bool may_write)
    : run_(run), setup_(run.setup()), hook_(hook), may_write_(may_write) {
    host_.struct_size = sizeof(host_);
    host_.abi_major = TESSERA_HOOKS_MAJOR;
    host_.abi_minor = TESSERA_HOOKS_MINOR;
    host_.run = this;
    host_.step = static_cast<std::int64_t>(run.step());
    host_.why = Calls::why;
    host_.find = Calls::find;
    host_.read = Calls::read;
    host_.write = Calls::write;
    host_.parameter = Calls::parameter;
    host_.log = Calls::log;
    host_.stop = Calls::stop;
    host_.fail = Calls::fail;
}

CollectionId HookedWorld::find_collection(const std::string& name) const {
    if (const auto found = setup_.find_collection(name)) return *found;
    const auto known = names_of(setup_.collections);
    throw Refused(fmt::format("there is no collection `{}`", name), "there is " + listed(known), did_you_mean(name, known));
}

HookedWorld::Named HookedWorld::find(const std::string& name, const std::string& member) const {
    Named found;
    found.collection = find_collection(name);
    found.name = name + "." + member;
    const auto& collection = setup_.collections[found.collection];
    const auto& row = setup_.row_of(collection);
    if (const auto m = row.find(member)) {
        found.column = setup_.column_of(found.collection, *m);
        found.type = row.members[*m].type;
        found.elements = row.members[*m].elements;
        return found;
    }
    auto known = names_of(row.members);
    if (collection.agents) {
        if (member == "id") {
            found.what = Named::What::id;
            found.type = Scalar::u64;
            return found;
        }
        known.emplace_back("id");
        const bool has_shape = setup_.collections[collection.agents->ground].has_shape();
        for (int axis = 0; axis < (has_shape ? collection.dimensions : 1); ++axis) {
            known.emplace_back(has_shape ? axes[axis] : "place");
            if (member != known.back()) continue;
            found.axis = found.first_element = axis;
            found.what = collection.agents->space ? Named::What::member : Named::What::place;
            found.type = collection.agents->space ? collection.agents->space->number : Scalar::i64;
            if (collection.agents->space) found.column = setup_.positions_of(found.collection);
            return found;
        }
    }
    throw Refused(fmt::format("{} has no member `{}`", row.name, member), known.empty() ? "it has none" : "it has " + listed(known),
                  did_you_mean(member, known));
}

std::int64_t HookedWorld::count_of(CollectionId collection) const {
    const auto& of = setup_.collections[collection];
    if (of.agents) return static_cast<std::int64_t>(agents(collection).size());
    return of.links ? links_there(setup_, collection, run_.simulation().state().reader()) : of.places();
}

void HookedWorld::describe(const char* name, const char* member, tessera_column& found) const {
    tessera_column all{};
    const auto id = find_collection(name);
    const auto& collection = setup_.collections[id];
    all.struct_size = std::min<std::uint32_t>(found.struct_size, sizeof(all));
    all.elements = 1;
    if (member != nullptr) {
        const auto of = find(name, member);
        all.type = static_cast<std::uint32_t>(of.type);
        all.elements = of.elements;
    }
    all.is_of_agents = collection.agents ? 1 : 0;
    all.count = count_of(id);
    const auto size = collection.are_changing_links() ? Extents{all.count, 1, 1} : collection.seen_size();
    std::copy(size.begin(), size.end(), all.size);
    std::memcpy(&found, &all, all.struct_size);
}

void HookedWorld::read(const Named& what, const tessera_box* box, std::uint32_t type, std::byte* values, std::uint64_t count) const {
    const auto& collection = setup_.collections[what.collection];
    expect_type(what.name, "read", what.type, type);
    if (collection.agents) {
        if (box != nullptr)
            throw Refused(fmt::format("{} cannot be read", what.name), "agents are in the order of their ids, and in no box",
                          "read all, and their places: \"x\", \"y\", or \"place\"");
        expect_count(what.name, "read", count_of(what.collection) * what.elements, count);
        return read_agents(what, values);
    }
    if (collection.are_changing_links())
        throw Refused(fmt::format("{} cannot be read", what.name), "hooks read links that stay as they are alone",
                      "write them into an output of the run file");
    const auto of = box != nullptr ? *box : whole_of(collection);
    expect_within(what.name, "read", collection, of);
    expect_count(what.name, "read", places_in(of) * what.elements, count);
    read_box(what, of, values);
}

void HookedWorld::read_box(const Named& what, const tessera_box& box, std::byte* values) const {
    const auto& collection = setup_.collections[what.collection];
    const auto size = collection.seen_size();
    const auto bytes = static_cast<std::int64_t>(size_of(what.type)), places = places_in(box);
    const auto state = run_.simulation().state();
    std::vector<std::byte> rows; // from the first place of the box to its last, in a plane of the grid
    for (int e = 0; e < what.elements; ++e) {
        auto* const into = values + e * places * bytes;
        if (is_whole(collection, box)) {
            state.read(what.column, e, {0, places}, into);
            continue;
        }
        for (auto z = box.from[2]; z < box.to[2]; ++z) {
            const auto before = z * size[1];
            const PlaceRange all{(before + box.from[1]) * size[0] + box.from[0], (before + box.to[1] - 1) * size[0] + box.to[0]};
            rows.resize(static_cast<std::size_t>(all.count() * bytes));
            state.read(what.column, e, all, rows.data());
            auto plane = box;
            plane.from[2] = z, plane.to[2] = z + 1;
            const auto behind = (z - box.from[2]) * places_in(plane);
            for_each_row(collection, plane, [&](const PlaceRange& row, std::int64_t at) {
                std::memcpy(into + (behind + at) * bytes, rows.data() + (row.first - all.first) * bytes,
                            static_cast<std::size_t>(row.count() * bytes));
            });
        }
    }
}

// Of places without a shape it is their number.
std::int64_t HookedWorld::coordinate_of(const Named& what, std::int64_t place) const {
    const auto& agents = setup_.collections[what.collection];
    if (!setup_.collections[agents.agents->ground].has_shape()) return place;
    return place_of(agents, place)[static_cast<std::size_t>(what.axis)];
}

void HookedWorld::read_agents(const Named& what, std::byte* values) const {
    const auto& table = agents(what.collection);
    const auto bytes = size_of(what.type);
    const auto put = [&](std::size_t i, const auto& value) { std::memcpy(values + i * sizeof(value), &value, sizeof(value)); };
    switch (what.what) {
    case Named::What::id:
        for (std::size_t i = 0; i < table.size(); ++i) put(i, table.ids[i]);
        return;
    case Named::What::place:
        for (std::size_t i = 0; i < table.size(); ++i) put(i, coordinate_of(what, table.places[i]));
        return;
    case Named::What::member:
        for (int e = 0; e < what.elements; ++e) {
            const auto* const plane = run_.view().agent_values(what.column, what.first_element + e);
            if (table.size() > 0) std::memcpy(values + static_cast<std::size_t>(e) * table.size() * bytes, plane, table.size() * bytes);
        }
    }
}

void HookedWorld::write(const Named& what, const tessera_box* given, std::uint32_t type, const std::byte* values, std::uint64_t count) {
    const auto& collection = setup_.collections[what.collection];
    if (collection.agents)
        throw Refused(fmt::format("{} cannot be written", what.name), "hooks write only places; agents can only be read",
                      "write a member of places that the agents' functions read");
    if (collection.links)
        throw Refused(fmt::format("{} cannot be written", what.name), "links stay as they are: they can only be read",
                      "write a member of places");
    if (!may_write_)
        throw Refused(fmt::format("{} cannot be written", what.name), "the last step has been made: its state is the run's result",
                      "write in a hook that is called between steps");
    expect_type(what.name, "written", what.type, type);
    const auto box = given != nullptr ? *given : whole_of(collection);
    expect_within(what.name, "written", collection, box);
    expect_count(what.name, "written", places_in(box) * what.elements, count);
    if (what.type == Scalar::boolean) expect_truths(what.name, values, count);
    const auto bytes = static_cast<std::int64_t>(size_of(what.type)), of_box = places_in(box);
    if (!is_whole(collection, box)) {
        PlaceBox places;
        std::copy_n(box.from, 3, places.from.begin());
        std::copy_n(box.to, 3, places.to.begin());
        for (int e = 0; e < what.elements; ++e) run_.write(what.column, e, places, values + e * of_box * bytes);
        return;
    }
    run_.write(what.column, [&](const PlaceRange& places, std::byte* into) {
        for (int e = 0; e < what.elements; ++e)
            std::memcpy(into + e * places.count() * bytes, values + (e * of_box + places.first) * bytes,
                        static_cast<std::size_t>(places.count() * bytes));
    });
}

} // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// Hooks: functions of a library's author that a run calls between steps, on the host.
//
//     TESSERA_HOOK(report, every<10>) {
//         const auto heat = world.read<float>("plate", "heat");
//         world.log("hottest: " + std::to_string(*std::max_element(heat.begin(), heat.end())));
//     }
//
// They are C++ like any other, beside the model, of which they include nothing: `tessera build model.cu --hooks hooks.cpp`. docs/sdk.md is
// the reference.
#pragma once

#if defined(TESSERA_CALL)
#error "hooks are not part of a model (they run on the host) write them into a file of their own, for `tessera build --hooks`"
#endif

#include <tessera/detail/hooks_abi.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

// Of this library alone, however it is compiled: another one has its own.
#define TESSERA_OF_THIS_LIBRARY __attribute__((visibility("hidden")))

namespace tessera {

// What was asked cannot be had, and why. Where a hook does not catch it, it ends the run, as all that a hook throws does.
struct TESSERA_OF_THIS_LIBRARY HookError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A place, along as many axes as the grid has.
struct TESSERA_OF_THIS_LIBRARY Corner {
    static constexpr std::int64_t no_axis = INT64_MIN;
    std::int64_t x = 0, y = no_axis, z = no_axis;
};

// Places from `from` to before `to`: {{0, 0}, {16, 48}}.
struct TESSERA_OF_THIS_LIBRARY Box {
    std::array<std::int64_t, 3> from, to;

    constexpr Box(Corner first, Corner end)
        : from{first.x, along(first.y, 0), along(first.z, 0)}, to{end.x, along(end.y, 1), along(end.z, 1)} {}

    [[nodiscard]] constexpr std::int64_t places() const noexcept { return (to[0] - from[0]) * (to[1] - from[1]) * (to[2] - from[2]); }

private:
    static constexpr std::int64_t along(std::int64_t given, std::int64_t otherwise) { return given == Corner::no_axis ? otherwise : given; }
};

namespace detail {

// The number of a type in tessera_column. Members of `bool` are read and written as std::uint8_t, 0 and 1, for a vector of bool has none.
template<class T> consteval std::uint32_t number_of_type() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8,
                  "members are numbers of 8 to 64 bits; members of type bool are read and written as std::uint8_t");
    if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? 10 : 11;
    constexpr std::uint32_t of_size = sizeof(T) == 1 ? 2 : sizeof(T) == 2 ? 4 : sizeof(T) == 4 ? 6 : 8;
    return of_size + (std::is_unsigned_v<T> ? 1 : 0);
}

template<class Values>
concept Contiguous = std::ranges::contiguous_range<Values> && std::ranges::sized_range<Values>;

} // namespace detail

// The state of the run, as it is between two steps. It is there while a hook is called, for the thread that calls it. Names are those of
// run files: "cell", "heat". Everything throws HookError for what is not there, is of another type, or has another size.
class TESSERA_OF_THIS_LIBRARY World {
public:
    explicit World(const tessera_host& host) : host_(host) {}
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    // Steps made.
    [[nodiscard]] std::int64_t step() const noexcept { return host_.step; }

    // Places of a collection, or agents.
    [[nodiscard]] std::size_t size(const std::string& collection) const {
        return static_cast<std::size_t>(find(collection.c_str(), nullptr).count);
    }
    // Along x, y and z; of agents those of the places that they stand on.
    [[nodiscard]] std::array<std::int64_t, 3> extents(const std::string& collection) const {
        const auto found = find(collection.c_str(), nullptr);
        return {found.size[0], found.size[1], found.size[2]};
    }
    // Of an array member; else 1.
    [[nodiscard]] int elements(const std::string& collection, const std::string& member) const {
        return find(collection.c_str(), member.c_str()).elements;
    }
    // What the run file sets, or the model's default; a parameter of `bool` is a std::uint8_t.
    template<class T> [[nodiscard]] T parameter(const std::string& name) const {
        T value{};
        expect(host_.parameter(host_.run, name.c_str(), detail::number_of_type<T>(), &value));
        return value;
    }

    // The values of a member, x fastest, then y and z; an array member's are a plane of all places for each element. Those of agents are in
    // the order of their ids; these are the member "id" (std::uint64_t), and where they stand "x", "y" and "z" (std::int64_t; of agents in
    // space, their positions).
    template<class T> [[nodiscard]] std::vector<T> read(const std::string& collection, const std::string& member) const {
        const auto found = find(collection.c_str(), member.c_str());
        std::vector<T> values(static_cast<std::size_t>(found.count * found.elements));
        read(collection, member, values);
        return values;
    }
    template<class T> [[nodiscard]] std::vector<T> read(const std::string& collection, const std::string& member, const Box& box) const {
        std::vector<T> values(values_in(collection, member, box));
        read(collection, member, box, values);
        return values;
    }
    // The same into memory that is there, of exactly so many values.
    template<detail::Contiguous Values> void read(const std::string& collection, const std::string& member, Values&& values) const {
        get(collection, member, nullptr, values);
    }
    template<detail::Contiguous Values>
    void read(const std::string& collection, const std::string& member, const Box& box, Values&& values) const {
        const auto places = plain(box);
        get(collection, member, &places, values);
    }

    // Sets them, in the same order. Places alone; not in a hook `at_end`.
    template<detail::Contiguous Values> void write(const std::string& collection, const std::string& member, const Values& values) {
        put(collection, member, nullptr, values);
    }
    template<detail::Contiguous Values>
    void write(const std::string& collection, const std::string& member, const Box& box, const Values& values) {
        const auto places = plain(box);
        put(collection, member, &places, values);
    }

    // A line in the run's log.
    void log(const std::string& text) { host_.log(host_.run, 0, text.c_str()); }
    void warn(const std::string& text) { host_.log(host_.run, 1, text.c_str()); }

    // Ends the run at this state, in good order, once the other hooks that are due were called.
    void stop(const std::string& why) { host_.stop(host_.run, why.c_str()); }

private:
    static tessera_box plain(const Box& box) noexcept {
        return {{box.from[0], box.from[1], box.from[2]}, {box.to[0], box.to[1], box.to[2]}};
    }
    void expect(std::int32_t status) const {
        if (status != 0) throw HookError(host_.why(host_.run));
    }
    [[nodiscard]] tessera_column find(const char* collection, const char* member) const {
        tessera_column found{};
        found.struct_size = sizeof(found);
        expect(host_.find(host_.run, collection, member, &found));
        return found;
    }
    [[nodiscard]] std::size_t values_in(const std::string& collection, const std::string& member, const Box& box) const {
        const auto elements = find(collection.c_str(), member.c_str()).elements;
        return box.places() > 0 ? static_cast<std::size_t>(box.places() * elements) : 0; // a wrong box is told when it is read
    }
    template<class Values>
    void get(const std::string& collection, const std::string& member, const tessera_box* box, Values& values) const {
        using T = std::ranges::range_value_t<Values>;
        expect(host_.read(host_.run, collection.c_str(), member.c_str(), box, detail::number_of_type<T>(), std::ranges::data(values),
                          std::ranges::size(values)));
    }
    template<class Values>
    void put(const std::string& collection, const std::string& member, const tessera_box* box, const Values& values) {
        using T = std::ranges::range_value_t<Values>;
        expect(host_.write(host_.run, collection.c_str(), member.c_str(), box, detail::number_of_type<T>(), std::ranges::data(values),
                           std::ranges::size(values)));
    }

    const tessera_host& host_;
};

// When a hook is called: at the states 0, N, 2 N..., before the first step, or after the last one, however the run comes to its end but
// for a failure.
template<std::uint64_t N> struct TESSERA_OF_THIS_LIBRARY Every {
    static_assert(N > 0, "every<0> has no states: write every<1> for all states, or at_start or at_end");
};
template<std::uint64_t N> inline constexpr Every<N> every{};
inline constexpr struct TESSERA_OF_THIS_LIBRARY AtStart {
} at_start{};
inline constexpr struct TESSERA_OF_THIS_LIBRARY AtEnd {
} at_end{};
// Said of a hook that remembers something from call to call by which it decides what it writes, or when it stops.
inline constexpr struct TESSERA_OF_THIS_LIBRARY Stateful {
} stateful{};

namespace detail {

TESSERA_OF_THIS_LIBRARY inline std::deque<tessera_hook>& hooks() {
    static std::deque<tessera_hook> all;
    return all;
}

// What the body throws ends here.
template<void (*body)(World&)> TESSERA_OF_THIS_LIBRARY std::int32_t call_hook(const tessera_host* host) noexcept {
    try {
        World world(*host);
        body(world);
        return 0;
    } catch (const std::exception& error) {
        host->fail(host->run, error.what());
    } catch (...) {
        host->fail(host->run, "it threw something other than a std::exception");
    }
    return 1;
}

struct TESSERA_OF_THIS_LIBRARY AddedHook {
    template<class... Said> AddedHook(const char* name, std::int32_t (*call)(const tessera_host*), Said... said) {
        static_assert(sizeof...(Said) > 0, "say when it is called: every<10>, at_start or at_end");
        tessera_hook hook{};
        hook.struct_size = sizeof(hook);
        hook.name = name;
        hook.call = call;
        (say(hook, said), ...);
        hooks().push_back(hook);
    }

private:
    template<std::uint64_t N> static void say(tessera_hook& hook, Every<N>) { hook.when = tessera_every, hook.every = N; }
    static void say(tessera_hook& hook, AtStart) { hook.when = tessera_at_start; }
    static void say(tessera_hook& hook, AtEnd) { hook.when = tessera_at_end; }
    static void say(tessera_hook& hook, Stateful) { hook.flags |= tessera_stateful; }
};

TESSERA_OF_THIS_LIBRARY inline std::uint64_t count_hooks() { return hooks().size(); }
TESSERA_OF_THIS_LIBRARY inline const tessera_hook* hook_number(std::uint64_t number) {
    return number < hooks().size() ? &hooks()[static_cast<std::size_t>(number)] : nullptr;
}

} // namespace detail
} // namespace tessera

// TESSERA_HOOK(name, when[, stateful]) { body over `world` }: a hook. Those of a state are called in the order in which they stand in a
// file, and files in the order in which they are linked.
// (Of two that are called the same, compilers say that the first of these types is there twice.)
#define TESSERA_HOOK(name, ...)                                                                 \
    enum class tessera_only_one_hook_of_a_file_can_be_called_##name{};                          \
    static void tessera_hook_##name([[maybe_unused]] ::tessera::World& world);                  \
    static const ::tessera::detail::AddedHook tessera_added_##name(                             \
        #name, &::tessera::detail::call_hook<&tessera_hook_##name> __VA_OPT__(, ) __VA_ARGS__); \
    static void tessera_hook_##name([[maybe_unused]] ::tessera::World& world)

using namespace tessera;

// The one symbol that the library exports; in each of its files, and once in what is linked.
extern "C" {
__attribute__((weak, visibility("default"))) extern const tessera_hooks tessera_hooks_v1;
__attribute__((used)) const tessera_hooks tessera_hooks_v1 = {sizeof(tessera_hooks), TESSERA_HOOKS_MAJOR, TESSERA_HOOKS_MINOR,
                                                              &::tessera::detail::count_hooks, &::tessera::detail::hook_number};
}

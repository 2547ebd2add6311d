// Models that are described by hand, so that a setup of one takes no compiler: for tests of what comes of descriptions.
#pragma once

#include "host/bind/bind.hpp"
#include "host/distribution/arranged.hpp"
#include "host/distribution/stripes.hpp"
#include "host/model/model.hpp"
#include "host/run_file/run_file.hpp"
#include "host/setup/setup.hpp"
#include "host/storage/storage.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::test {

template<class T> std::vector<std::byte> bytes_in(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// All 0 by default.
inline model::Member hand_made_member(const std::string& name, Scalar type = Scalar::f32, int elements = 1) {
    return unnamed_member(name.c_str(), type, elements);
}

inline model::Use reading() {
    model::Use use;
    use.reads = true;
    return use;
}
inline model::Use writing() {
    model::Use use;
    use.writes = true;
    return use;
}
inline model::Use changing() {
    auto use = reading();
    use.writes = true;
    return use;
}
// So far along each axis that the grid has.
inline model::Use looking(const std::array<int, 3>& low, const std::array<int, 3>& high) {
    auto use = reading();
    use.around = true;
    for (std::size_t dims = 0; dims < 3; ++dims)
        for (std::size_t axis = 0; axis <= dims; ++axis) use.low[dims][axis] = low[axis], use.high[dims][axis] = high[axis];
    return use;
}
inline model::Use looking(const std::array<int, 3>& reach) { return looking(reach, reach); }
inline model::Use along_axes(model::Use use) {
    use.along_axes = true;
    return use;
}
inline model::Use and_writes(model::Use use) {
    use.writes = true;
    return use;
}

class HandMade {
public:
    HandMade() { description.name = "toy"; }

    // The number of the row. Its collection is called as it is, but for the first letter: "Cell", "cell".
    std::size_t places(const std::string& name, std::vector<model::Member> members) {
        model::Row row;
        row.name = name;
        row.collection = model::snake_case(name);
        row.members = std::move(members);
        description.rows.push_back(std::move(row));
        return description.rows.size() - 1;
    }
    std::size_t agents(const std::string& name, std::size_t ground, std::vector<model::Member> members) {
        const auto row = places(name, std::move(members));
        description.rows[row].ground = ground;
        return row;
    }

    // Of its own row's members, by name.
    model::Function& function(std::size_t row, const std::string& name, const std::vector<std::pair<std::string, model::Use>>& uses) {
        model::Function made;
        made.name = name;
        made.row = row;
        for (const auto& [member, use] : uses) made.accesses.push_back({row, description.rows[row].find(member).value(), use});
        description.functions.push_back(std::move(made));
        return description.functions.back();
    }

    // A model that stays, and its setup. `keys` are lines of a run file.
    [[nodiscard]] Setup bind(const std::vector<std::string>& keys, Functions functions = Functions::called) const {
        return bound(keys, functions).setup;
    }
    [[nodiscard]] Bound bound(const std::vector<std::string>& keys, Functions functions = Functions::called) const {
        static std::vector<std::unique_ptr<model::Model>> kept; // a setup points to its model
        kept.push_back(std::make_unique<model::Model>());
        kept.back()->description = description;
        kept.back()->source = source;
        std::string text = "model = \"toy.cu\"\n";
        bool has_steps = false;
        for (const auto& key : keys) has_steps |= key.starts_with("run.steps"), text += key + "\n";
        if (!has_steps) text += "run.steps = 1000\n";
        return tessera::bind(*kept.back(), run_file::parse_run_file(text, "run.toml"), functions);
    }

    model::Description description;
    jit::ModelSource source;
};

// The setup over so many devices, in equal stripes; with memory of their own where rows are exchanged every so many steps.
inline Setup over_devices(const Setup& setup, std::size_t partitions, std::uint64_t steps_of_own_memory = 0) {
    auto distribution = divided(setup, partitions);
    if (steps_of_own_memory > 0) give_own_memory(setup, distribution, steps_of_own_memory, steps_of_own_memory);
    return arranged(setup, std::move(distribution));
}

// What an error says; "" where there is none.
template<class Act> std::string what_fails(const Act& act) {
    try {
        act();
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

} // namespace tessera::test

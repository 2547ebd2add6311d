#include "host/world/initial_state.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/inputs/read_array.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"

#include <tessera/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tessera {
namespace {

using run_file::InitStep;

// A file's values as those of a member, at the place of the grid where `at` puts them.
class FileValues {
public:
    FileValues(const Setup& setup, const CollectionSetup& collection, const model::Member& member, const run_file::FromFile& from,
               const run_file::Where& where)
        : collection_(collection), member_(member), where_(where), name_(collection.name + "." + member.name) {
        ReadOptions options;
        options.elements = from.element ? 1 : member.elements;
        options.nodata = from.nodata;
        options.rule = from.rule ? **from.rule : "B3/S23";
        const auto path = setup.run.resolve(*from.file).string();
        try {
            values_ = read_array(path, options).converted(member.type, path);
        } catch (const Error& error) {
            run_file::fail_at(where, fmt::format("cannot initialise {}", name_), error.what());
        }
        for (std::size_t axis = 0; axis < from.at.size(); ++axis) at_[axis] = from.at[axis];
        first_ = from.element ? static_cast<int>(**from.element) : 0;
        check_fit(path);
    }

    [[nodiscard]] const Array& values() const noexcept { return values_; }
    [[nodiscard]] const Extents& at() const noexcept { return at_; }
    [[nodiscard]] int first_element() const noexcept { return first_; }

private:
    void check_fit(const std::string& path) const {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (at_[axis] < 0 || at_[axis] + values_.size[axis] > collection_.size[axis])
                run_file::fail_at(where_, fmt::format("{} does not fit into {}", path, collection_.name),
                                  fmt::format("it has {} on {} and starts at {}, and {} has {}", values_.size[axis], "xyz"[axis], at_[axis],
                                              collection_.name, collection_.size[axis]),
                                  "change `at` or `size`");
        if (first_ < 0 || first_ + values_.elements > member_.elements)
            run_file::fail_at(where_, fmt::format("there is no element {} of {}", first_, name_),
                              fmt::format("it has {}", member_.elements));
    }

    const CollectionSetup& collection_;
    const model::Member& member_;
    const run_file::Where& where_;
    std::string name_;
    Array values_;
    Extents at_{0, 0, 0};
    int first_ = 0;
};

// Applies the steps of one member's `init`, one after the other, to its values.
class Initialiser {
public:
    Initialiser(const Setup& setup, ColumnId column, Array& values, ThreadPool& pool)
        : setup_(setup), collection_(setup.collections[setup.columns[column].collection]), member_(setup.member_of(column)),
          name_(setup.name_of(column)), values_(values), pool_(pool) {}

    void apply(const InitStep& step, const run_file::Where& where, int number) {
        step_ = &step;
        where_ = where;
        number_ = number;
        std::visit([&](const auto& source) { fill(source); }, step.source);
    }
    void fill_bytes(const std::vector<std::byte>& value) { fill_places(value, {0, 0, 0}, collection_.size); }

private:
    void fill(const run_file::Constant& constant) {
        Extents low{0, 0, 0}, high = collection_.size;
        if (step_->box)
            for (std::size_t axis = 0; axis < step_->box->low.size(); ++axis) {
                low[axis] = step_->box->low[axis];
                high[axis] = step_->box->high[axis];
            }
        fill_places(constant_bytes(constant, member_.type, member_.elements, where_, name_), low, high);
    }

    void fill(const run_file::FromFile& from) {
        const FileValues file(setup_, collection_, member_, from, where_);
        const auto& data = file.values();
        const auto& at = file.at();
        const int first = file.first_element();
        const auto bytes = size_of(member_.type);
        for (int e = 0; e < data.elements; ++e)
            for (std::int64_t z = 0; z < data.size[2]; ++z)
                for (std::int64_t y = 0; y < data.size[1]; ++y)
                    std::memcpy(values_.bytes.data() + static_cast<std::size_t>(index(at[0], at[1] + y, at[2] + z, first + e)) * bytes,
                                data.bytes.data() +
                                    static_cast<std::size_t>(((e * data.size[2] + z) * data.size[1] + y) * data.size[0]) * bytes,
                                static_cast<std::size_t>(data.size[0]) * bytes);
    }

    void fill(const run_file::Uniform& u) {
        random([&](random_stream& stream) { return u.low + stream.uniform64() * (u.high - u.low); });
    }
    void fill(const run_file::Bernoulli& b) {
        random([&](random_stream& stream) { return stream.uniform64() < b.p ? 1.0 : 0.0; });
    }
    void fill(const run_file::Below& b) {
        random([&](random_stream& stream) { return static_cast<double>(stream.below(static_cast<std::uint32_t>(b.n))); });
    }
    void fill(const run_file::Normal& n) {
        random([&](random_stream& stream) { return n.mean + n.deviation * static_cast<double>(stream.normal()); });
    }

    // Draws each value from the place's own stream. Element e of place p is number p * elements + e, whatever the threads.
    template<class Draw> void random(const Draw& draw) {
        const auto key = stream_key(*setup_.run.run.seed, name_hash(("init " + name_).c_str()), static_cast<std::uint32_t>(number_));
        const std::int64_t places = collection_.places();
        with_type(member_.type, [&](auto kind) {
            using T = decltype(kind);
            auto* const out = reinterpret_cast<T*>(values_.bytes.data());
            pool_.run(places, [&](std::int64_t first, std::int64_t last) {
                for (auto p = first; p < last; ++p) {
                    random_stream stream(key, static_cast<std::uint64_t>(p), 0);
                    for (int e = 0; e < member_.elements; ++e) out[p + e * places] = to<T>(draw(stream));
                }
            });
        });
    }
    template<class T> static T to(double value) {
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(value);
        else if constexpr (std::is_same_v<T, bool>)
            return value >= 1;
        else {
            constexpr double low = static_cast<double>(std::numeric_limits<T>::min()),
                             high = static_cast<double>(std::numeric_limits<T>::max());
            return value <= low    ? std::numeric_limits<T>::min()
                   : value >= high ? std::numeric_limits<T>::max()
                                   : static_cast<T>(std::floor(value));
        }
    }

    void fill_places(const std::vector<std::byte>& value, const Extents& low, const Extents& high) {
        const auto bytes = size_of(member_.type);
        const std::int64_t rows = high[1] - low[1], planes = high[2] - low[2];
        for (int e = 0; e < member_.elements; ++e) {
            const std::byte* const one = value.data() + static_cast<std::size_t>(e) * bytes;
            pool_.run(std::max<std::int64_t>(rows * planes, 0), [&](std::int64_t first, std::int64_t last) {
                for (auto row = first; row < last; ++row)
                    for (auto x = low[0]; x < high[0]; ++x)
                        std::memcpy(values_.bytes.data() +
                                        static_cast<std::size_t>(index(x, low[1] + row % rows, low[2] + row / rows, e)) * bytes,
                                    one, bytes);
            });
        }
    }

    [[nodiscard]] std::int64_t index(std::int64_t x, std::int64_t y, std::int64_t z, int e) const {
        return ((e * collection_.size[2] + z) * collection_.size[1] + y) * collection_.size[0] + x;
    }

    const Setup& setup_;
    const CollectionSetup& collection_;
    const model::Member& member_;
    std::string name_;
    Array& values_;
    ThreadPool& pool_;
    const InitStep* step_ = nullptr;
    run_file::Where where_;
    int number_ = 0;
};

const run_file::Named<std::vector<run_file::Located<InitStep>>>* given(const Setup& setup, ColumnId column) {
    for (const auto& named : setup.run.places[setup.columns[column].collection.index()]->init)
        if (*named.name == setup.member_of(column).name) return &named;
    return nullptr;
}

} // namespace

void check_initial_files(const Setup& setup) {
    for (std::size_t c = 0; c < setup.collections.size(); ++c)
        for (const auto& [name, steps] : setup.run.places[c]->init) {
            const auto& row = setup.row_of(setup.collections[c]);
            const auto& member = row.members[require_member(row, *name, name.where)];
            for (const auto& step : steps)
                if (const auto* from = std::get_if<run_file::FromFile>(&step->source))
                    (void)FileValues(setup, setup.collections[c], member, *from, step.where);
        }
}

bool is_given(const Setup& setup, ColumnId column) { return given(setup, column) != nullptr; }

namespace {

bool is_zero(const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// The member's default, then what `steps` make of it; nothing if that is what memory is from the start, ghosts included.
std::optional<Array> values_of(const Setup& setup, ColumnId column, const std::vector<run_file::Located<InitStep>>* steps,
                               ThreadPool& pool) {
    const auto& bound = setup.collections[setup.columns[column].collection];
    const auto& member = setup.member_of(column);
    if (steps == nullptr && is_zero(member.initial) && is_zero(setup[column].outside)) return std::nullopt;
    Array values = make_array(member.type, bound.size, bound.dimensions, member.elements, setup.name_of(column));
    Initialiser initialiser(setup, column, values, pool);
    if (!is_zero(member.initial)) initialiser.fill_bytes(member.initial);
    int number = 0;
    if (steps != nullptr)
        for (const auto& step : *steps) initialiser.apply(*step, step.where, number++);
    return values;
}

} // namespace

std::optional<Array> initial_values(const Setup& setup, ColumnId column, ThreadPool& pool) {
    const auto* named = given(setup, column);
    return values_of(setup, column, named == nullptr ? nullptr : &named->value, pool);
}

std::optional<Array> default_values(const Setup& setup, ColumnId column, ThreadPool& pool) {
    return values_of(setup, column, nullptr, pool);
}

} // namespace tessera

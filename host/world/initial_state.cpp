#include "host/world/initial_state.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/inputs/read_array.hpp"
#include "host/inputs/rle.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"
#include "host/world/link_lists.hpp"
#include "host/world/place_draws.hpp"
#include "host/world/random_value.hpp"
#include "jit/said_once.hpp"

#include <tessera/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace tessera {
namespace {

using run_file::InitStep;

// A part of a row of x: `count` places from `first` on, and which of the row's they are.
struct Stretch {
    std::int64_t first = 0, count = 0;
    std::int64_t x = 0, y = 0, z = 0;
};

// Calls `body` with what rows number [first, end) of the grid have of `places` within the box [low, high).
template<class Body>
void for_each_stretch(const Extents& size, const Extents& low, const Extents& high, const PlaceRange& places, std::int64_t first,
                      std::int64_t end, const Body& body) {
    for (auto row = first; row < end; ++row) {
        const auto y = row % size[1], z = row / size[1];
        if (y < low[1] || y >= high[1] || z < low[2] || z >= high[2]) continue;
        const auto from = std::max(places.first, row * size[0] + low[0]), to = std::min(places.end, row * size[0] + high[0]);
        if (from < to) body(Stretch{from, to - from, from - row * size[0], y, z});
    }
}

// The rows that places are of.
std::int64_t first_row(const Extents& size, const PlaceRange& places) { return places.first / size[0]; }
std::int64_t end_row(const Extents& size, const PlaceRange& places) { return (places.end - 1) / size[0] + 1; }

// A file's values as those of a member, at the place of the grid where `at` puts them.
class FileValues {
public:
    FileValues(const Setup& setup, const CollectionSetup& collection, const model::Member& member, const run_file::FromFile& from,
               const run_file::Where& where)
        : collection_(collection), member_(member), where_(where), name_(collection.name + "." + member.name),
          path_(setup.start.resolve(*from.file).string()) {
        ReadOptions options;
        options.elements = from.element ? 1 : member.elements;
        options.nodata = from.nodata;
        options.rule = from.rule ? **from.rule : "B3/S23";
        for (std::size_t axis = 0; axis < from.at.size(); ++axis) at_[axis] = from.at[axis];
        bool is_too_large = false;
        options.places = collection.places();
        options.check_size = [&](const Extents& size) {
            is_too_large = true;
            check_size(as_line(size));
            is_too_large = false;
        };
        try {
            file_ = open_array(path_, options);
        } catch (const Error& error) {
            if (is_too_large) throw;
            fail(error);
        }
        file_.shape.size = as_line(file_.shape.size);
        check_size(file_.shape.size);
        check_elements(from);
        for (std::size_t axis = 0; axis < 3; ++axis) end_[axis] = at_[axis] + file_.shape.size[axis];
        warn_of_another_universe();
    }

    // Puts those that are among the places where their elements' planes of these are.
    void put(const PlaceRange& places, std::byte* into) const {
        const auto size = collection_.seen_size();
        std::vector<Stretch> waiting; // which follow each other in the file
        std::int64_t count = 0;
        const auto put_waiting = [&] {
            if (count > 0) put_stretches(waiting, count, places, into);
            waiting.clear();
            count = 0;
        };
        for_each_stretch(size, at_, end_, places, first_row(size, places), end_row(size, places), [&](Stretch stretch) {
            while (count + stretch.count > read_at_a_time) {
                const auto fits = read_at_a_time - count;
                if (fits > 0) waiting.push_back({stretch.first, fits, stretch.x, stretch.y, stretch.z});
                count += fits;
                put_waiting();
                stretch.first += fits;
                stretch.x += fits;
                stretch.count -= fits;
            }
            waiting.push_back(stretch);
            count += stretch.count;
        });
        put_waiting();
    }

    // Reads all of them, and throws what put() would.
    void check() const {
        const auto values = std::make_unique<std::byte[]>(static_cast<std::size_t>(read_at_a_time * file_.shape.elements) * 8);
        for_each_piece(file_.shape.places(), read_at_a_time, [&](const PlaceRange& piece) { read(piece, values.get()); });
    }

private:
    static constexpr std::int64_t read_at_a_time = std::int64_t{1} << 16; // places

    // Places of the file, as values of the member.
    void read(const PlaceRange& places, std::byte* into) const {
        const auto& shape = file_.shape;
        try {
            if (shape.type == member_.type) return file_.values(places, into);
            const auto count = places.count();
            const auto values = std::make_unique<std::byte[]>(static_cast<std::size_t>(count * shape.elements) * size_of(shape.type));
            file_.values(places, values.get());
            convert_values(shape.type, values.get(), member_.type, into, count * shape.elements, path_,
                           [&](std::int64_t i) { return shape.position(i / count * shape.places() + places.first + i % count); });
        } catch (const Error& error) {
            fail(error);
        }
    }

    void put_stretches(const std::vector<Stretch>& stretches, std::int64_t count, const PlaceRange& places, std::byte* into) const {
        const auto& shape = file_.shape;
        const auto bytes = size_of(member_.type);
        const auto values = std::make_unique<std::byte[]>(static_cast<std::size_t>(count * shape.elements) * bytes);
        const auto& start = stretches.front();
        const auto first = ((start.z - at_[2]) * shape.size[1] + start.y - at_[1]) * shape.size[0] + start.x - at_[0];
        read({first, first + count}, values.get());
        for (std::int64_t e = 0; e < shape.elements; ++e) {
            const auto* next = values.get() + static_cast<std::size_t>(e * count) * bytes;
            for (const auto& stretch : stretches) {
                const auto size = static_cast<std::size_t>(stretch.count) * bytes;
                std::memcpy(into + static_cast<std::size_t>((first_ + e) * places.count() + stretch.first - places.first) * bytes, next,
                            size);
                next += size;
            }
        }
    }

    [[noreturn]] void fail(const Error& error) const {
        run_file::fail_at(where_, fmt::format("cannot initialise {}", name_), error.what());
    }

    // Places without a shape have their values in a row or in a column.
    [[nodiscard]] Extents as_line(const Extents& size) const {
        return !collection_.has_shape() && size[0] == 1 && size[2] == 1 ? Extents{size[1], 1, 1} : size;
    }

    void check_size(const Extents& size) const {
        if (!collection_.has_shape() && (size[1] > 1 || size[2] > 1))
            run_file::fail_at(where_, fmt::format("{} does not fit into {}", path_, collection_.name),
                              fmt::format("its values stand in {} columns and {} rows, and {} has a `count` and no shape", size[0],
                                          size[1] * size[2], collection_.name),
                              "write them in one row, or in one column");
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (at_[axis] < 0 || at_[axis] > collection_.seen_size()[axis] - size[axis])
                run_file::fail_at(where_, fmt::format("{} does not fit into {}", path_, collection_.name),
                                  fmt::format("it has {} values along {} and starts at {}; {} has {} places there", size[axis], "xyz"[axis],
                                              at_[axis], collection_.name, collection_.seen_size()[axis]),
                                  "change `at` or `size`");
    }

    // A pattern that was made for a bounded grid goes its own way on another.
    void warn_of_another_universe() const {
        if (file_.bounds.empty() || is_universe(universe_of(file_.bounds))) return;
        static auto& said = *new jit::SaidOnce; // as often as the file is opened
        said.warn(
            fmt::format("{}: {} is a pattern for a bounded grid, {}, and places.{} is another grid (its size or its boundary differs) the "
                        "pattern may develop in another way: set `size` and `boundary`, or take the bounds off the rule in the file",
                        run_file::to_string(where_), path_, in_quotes(file_.bounds), collection_.name));
    }

    [[nodiscard]] bool is_universe(const std::optional<RleUniverse>& universe) const {
        if (!universe || universe->is_shifted || (universe->shape != 'T' && universe->shape != 'P')) return false;
        const auto wanted = universe->shape == 'T' ? run_file::Boundary::torus : run_file::Boundary::open;
        return collection_.dimensions == 2 && collection_.has_shape() &&
               collection_.size == Extents{universe->width, universe->height, 1} && collection_.boundary[0] == wanted &&
               collection_.boundary[1] == wanted;
    }

    void check_elements(const run_file::FromFile& from) {
        const std::int64_t first = from.element ? **from.element : 0;
        if (first > member_.elements - file_.shape.elements)
            run_file::fail_at(where_, fmt::format("there is no element {} of {}", first, name_),
                              fmt::format("it has {}", member_.elements));
        first_ = first;
    }

    const CollectionSetup& collection_;
    const model::Member& member_;
    const run_file::Where& where_;
    std::string name_, path_;
    OpenArray file_;
    Extents at_{0, 0, 0}, end_{0, 0, 0};
    std::int64_t first_ = 0; // element
};

using InitSteps = std::vector<run_file::Located<InitStep>>;

// Makes the values of one member, any part at a time: its default, and the steps of its `init`, one after the other. What it is made from
// must outlive it; files are opened with it.
class Initialiser {
public:
    Initialiser(const Setup& setup, ColumnId column, const InitSteps* steps, ThreadPool& pool)
        : setup_(setup), collection_(setup.collections[setup.columns[column].collection]), member_(setup.member_of(column)),
          name_(setup.name_of(column)), pool_(pool) {
        if (steps == nullptr) return;
        for (const auto& step : *steps) {
            steps_.push_back({&*step, &step.where, nullptr});
            if (const auto* from = std::get_if<run_file::FromFile>(&step->source))
                steps_.back().file = std::make_unique<FileValues>(setup, collection_, member_, *from, step.where);
        }
    }

    void put(const PlaceRange& places, std::byte* into) const {
        Piece piece{places, into, nullptr, 0};
        fill_places(member_.initial, {0, 0, 0}, collection_.seen_size(), piece);
        for (const auto& step : steps_) {
            piece.step = &step;
            std::visit([&](const auto& source) { fill(source, piece); }, step.what->source);
            ++piece.number;
        }
    }

private:
    struct Step {
        const InitStep* what;
        const run_file::Where* where;
        std::unique_ptr<FileValues> file;
    };
    struct Piece { // what is being made
        PlaceRange places;
        std::byte* into;
        const Step* step;
        std::uint32_t number; // of the step
    };

    void fill(const run_file::Constant& constant, const Piece& piece) const {
        Extents low{0, 0, 0}, high = collection_.seen_size();
        if (const auto& box = piece.step->what->box)
            for (std::size_t axis = 0; axis < box->low.size(); ++axis) {
                low[axis] = box->low[axis];
                high[axis] = box->high[axis];
            }
        fill_places(constant_bytes(constant, member_.type, member_.elements, *piece.step->where, name_), low, high, piece);
    }

    void fill(const run_file::FromFile&, const Piece& piece) const { piece.step->file->put(piece.places, piece.into); }

    // Draws each value from the place's own stream. Element e of place p is number p * elements + e, whatever the threads.
    template<class Random> void fill(const Random& source, const Piece& piece) const {
        const auto key = stream_key(setup_.values.seed, name_hash(("init " + name_).c_str()), piece.number);
        const auto count = piece.places.count();
        with_type(member_.type, [&](auto kind) {
            using T = decltype(kind);
            auto* const out = reinterpret_cast<T*>(piece.into);
            pool_.run(count, [&](std::int64_t first, std::int64_t last) {
                for (auto begin = first; begin < last; begin += PlaceDraws::count) {
                    PlaceDraws draws(key, static_cast<std::uint64_t>(piece.places.first + begin));
                    const auto some = std::min<std::int64_t>(last - begin, PlaceDraws::count);
                    for (int p = 0; p < some; ++p) {
                        random_stream stream(draws, p);
                        for (int e = 0; e < member_.elements; ++e) out[begin + p + e * count] = drawn_value<T>(draw(source, stream));
                    }
                }
            });
        });
    }

    void fill_places(const std::vector<std::byte>& value, const Extents& low, const Extents& high, const Piece& piece) const {
        const auto size = collection_.seen_size();
        const auto first = first_row(size, piece.places);
        with_type(member_.type, [&](auto kind) {
            using T = decltype(kind);
            for (int e = 0; e < member_.elements; ++e) {
                T one;
                std::memcpy(&one, value.data() + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
                auto* const out = reinterpret_cast<T*>(piece.into) + e * piece.places.count();
                pool_.run(end_row(size, piece.places) - first, [&](std::int64_t from, std::int64_t to) {
                    for_each_stretch(size, low, high, piece.places, first + from, first + to, [&](const Stretch& stretch) {
                        std::fill_n(out + (stretch.first - piece.places.first), stretch.count, one);
                    });
                });
            }
        });
    }

    const Setup& setup_;
    const CollectionSetup& collection_;
    const model::Member& member_;
    std::string name_;
    ThreadPool& pool_;
    std::vector<Step> steps_;
};

const run_file::Named<InitSteps>* given(const Setup& setup, ColumnId column) {
    if (setup.collections[setup.columns[column].collection].agents) return nullptr; // first_agents.hpp
    for (const auto& named : setup.start[setup.columns[column].collection].init)
        if (*named.name == setup.member_of(column).name) return &named;
    return nullptr;
}

} // namespace

void check_initial_files(const Setup& setup) {
    for (const auto c : setup.collections.ids()) {
        if (setup.collections[c].agents) continue; // first_agents.hpp
        for (const auto& [name, steps] : setup.start[c].init) {
            const auto& row = setup.row_of(setup.collections[c]);
            const auto& member = row.members[require_member(row, *name, name.where)];
            for (const auto& step : steps)
                if (const auto* from = std::get_if<run_file::FromFile>(&step->source))
                    FileValues(setup, setup.collections[c], member, *from, step.where).check();
        }
    }
}

namespace {

bool is_zero(const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// The member's default, then what `steps` make of it; nothing if that is what memory is from the start, ghosts included.
std::optional<ArraySource> values_of(const Setup& setup, ColumnId column, const InitSteps* steps, ThreadPool& pool) {
    const auto role = setup[column].role;
    if (role == Role::link_start || role == Role::link_other || role == Role::link_member || role == Role::link_number)
        return std::nullopt; // link_lists.hpp
    if (steps == nullptr && is_zero(setup.member_of(column).initial) && is_zero(setup[column].outside)) return std::nullopt;
    const auto initialiser = std::make_shared<const Initialiser>(setup, column, steps, pool);
    return [initialiser](const PlaceRange& places, std::byte* into) { initialiser->put(places, into); };
}

} // namespace

std::optional<ArraySource> initial_values(const Setup& setup, ColumnId column, ThreadPool& pool) {
    if (auto of_links = link_values(setup, column)) return of_links;
    const auto* named = given(setup, column);
    return values_of(setup, column, named == nullptr ? nullptr : &named->value, pool);
}

std::optional<ArraySource> default_values(const Setup& setup, ColumnId column, ThreadPool& pool) {
    return values_of(setup, column, nullptr, pool);
}

} // namespace tessera

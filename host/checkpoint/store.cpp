#include "host/checkpoint/store.hpp"

#include "device_runtime/error.hpp"
#include "host/checkpoint/check_contents.hpp"
#include "host/checkpoint/durable.hpp"
#include "host/checkpoint/packed_file.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/npy.hpp"
#include "host/run_file/file_name.hpp"
#include "host/world/link_lists.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <unistd.h>

namespace tessera::checkpoint {
namespace {

constexpr std::size_t digits = 12;

std::string name_of_step(std::uint64_t step) { return fmt::format("{:0{}}", step, digits); }

bool is_name(const std::string& name) {
    return name.size() >= digits && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::shared_ptr<const Descriptor> folder_of(const ResultFolder& folder) {
    return open_folder_below(folder.handle(), checkpoints_name, folder.path(), Missing::passed_over);
}

// Rising.
std::vector<std::string> names_of(const ResultFolder& folder) {
    std::vector<std::string> names;
    if (const auto opened = folder_of(folder))
        for (auto& name : names_in(opened->number(), folder.path() / checkpoints_name))
            if (is_name(name)) names.push_back(std::move(name));
    std::sort(names.begin(), names.end());
    return names;
}

// ---- columns

// NumPy's shape, the elements first: (2, 480, 640).
std::string numpy_shape(const ArrayShape& shape) {
    std::vector<std::int64_t> extents{shape.elements};
    for (auto axis = static_cast<std::size_t>(shape.dimensions); axis-- > 0;) extents.push_back(shape.size[axis]);
    return fmt::format("({})", fmt::join(extents, ", "));
}

std::string heading_of(const ArrayShape& shape) { return npy_header(fmt::format("'{}'", npy_type(shape.type)), numpy_shape(shape)); }

// Of a list as many rows as there are agents, but for where each place's begin.
ArrayShape shape_of(const State& state, ColumnId column) {
    const auto& setup = state.setup();
    const auto id = setup.columns[column].collection;
    const auto& collection = setup.collections[id];
    const auto& layout = setup[column].layout;
    ArrayShape shape{layout.type, layout.size, layout.elements, collection.dimensions};
    if (collection.are_changing_links()) {
        if (setup[column].role != Role::link_count) shape.size = {links_there(setup, id, state.reader()), 1, 1};
        shape.dimensions = 1;
        return shape;
    }
    if (collection.count) return {layout.type, collection.seen_size(), layout.elements, collection.seen_dimensions()};
    if (!collection.agents || !collection.agents->in_list()) return shape;
    shape.dimensions = 1;
    if (setup[column].role != Role::start) shape.size = {static_cast<std::int64_t>(state.past(id).alive()), 1, 1};
    return shape;
}

std::size_t bytes_of_plane(const ArrayShape& shape) { return static_cast<std::size_t>(shape.places()) * size_of(shape.type); }

// Puts all values into a file, some at a time.
template<class File> void put_values(const State& state, ColumnId column, const ArrayShape& shape, File& file) {
    const auto bytes = size_of(shape.type);
    const auto at_a_time =
        static_cast<std::int64_t>(std::clamp(state.setup().bytes_at_a_time / 8, std::size_t{1} << 16, block_bytes) / bytes);
    std::vector<std::byte> values;
    for (int e = 0; e < shape.elements; ++e)
        for_each_piece(shape.places(), at_a_time, [&](const PlaceRange& places) {
            values.resize(static_cast<std::size_t>(places.count()) * bytes);
            state.read(column, e, places, values.data());
            file.write(values.data(), values.size());
        });
}

ColumnRecord write_column(const State& state, ColumnId column, const ResultFolder& folder, const std::string& way,
                          run_file::Compression compress) {
    const auto& setup = state.setup();
    const auto& collection = setup.collections[setup.columns[column].collection].name;
    const auto& member = setup.member_of(column).name;
    ColumnRecord record{collection, member, shape_of(state, column), {}, {}};
    const auto& shape = record.shape;
    const auto place_of = [&](const std::string& name) { return folder.place(way + "/" + name); };
    if (compress == run_file::Compression::zstd) {
        const auto name = fmt::format("{}.{}.zst", collection, member);
        PackedFile file(place_of(name), name, size_of(shape.type));
        put_values(state, column, shape, file);
        record.file = file.finish();
        record.packing = file.packing();
        return record;
    }
    const auto name = fmt::format("{}.{}.npy", collection, member);
    HashedFile file(place_of(name), name);
    const auto heading = heading_of(shape);
    file.write(heading.data(), heading.size());
    put_values(state, column, shape, file);
    record.file = file.finish();
    return record;
}

AgentsRecord agents_record(const State& state, CollectionId id) {
    const auto& setup = state.setup();
    if (setup.collections[id].links) return {state.past(id), static_cast<std::uint64_t>(setup.collections[id].places())};
    const auto& agents = *setup.collections[id].agents;
    AgentsRecord record{state.past(id), agents.in_list() ? static_cast<std::uint64_t>(agents.capacity) : 0};
    record.ground = setup.collections[agents.ground].name;
    record.in_space = agents.space.has_value();
    record.most_on_place = static_cast<std::uint64_t>(agents.most_on_place);
    record.births = setup.births_of(id);
    return record;
}

bool is_unchanging(const Setup& setup, ColumnId column) {
    const auto& links = setup.collections[setup.columns[column].collection].links;
    if (!links || links->changes) return false;
    return setup[column].role == Role::link_end || (setup[column].role == Role::member && !links->members_change);
}

const ColumnRecord* known_column(const Setup& setup, ColumnId column, const Unchanging& known) {
    if (!is_unchanging(setup, column)) return nullptr;
    return known.find(setup.collections[setup.columns[column].collection].name, setup.member_of(column).name);
}

std::string way_of(const std::string& name) { return std::string(checkpoints_name) + "/" + name; }

// A file of another checkpoint in this one too: by another name, or where the file system has no two names for a file, as a copy.
void have_again(const ResultFolder& folder, const std::string& other, const FileRecord& file, const FilePlace& place) try {
    const auto there = existing_place(folder, way_of(other), file.name);
    if (::linkat(there.folder(), there.path(), place.folder(), place.path(), 0) == 0) return;
    const KeptFile source(there);
    HashedFile copy(place, file.name);
    std::vector<char> part(block_bytes);
    for (std::uint64_t done = 0; done < file.size;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), file.size - done));
        source.read(done, part.data(), count);
        copy.write(part.data(), count);
        done += count;
    }
    if (!(copy.finish() == file)) throw Error(Failure::output, fmt::format("{} is not what was written", there.shown().string()));
} catch (const Error& error) {
    if (error.kind() != Failure::input) throw;
    throw Error(Failure::output, error.what());
}

// Returns those that the next checkpoint need not write again.
Unchanging write_columns(const State& state, const ResultFolder& folder, const std::string& way, run_file::Compression compress,
                         const Unchanging& known, Record& record) {
    const auto& setup = state.setup();
    Unchanging unchanging{name_of_step(record.step), {}};
    for (const auto column : state.columns()) {
        const auto* const same = known_column(setup, column, known);
        if (same != nullptr) have_again(folder, known.name, same->file, folder.place(way + "/" + same->file.name));
        record.columns.push_back(same != nullptr ? *same : write_column(state, column, folder, way, compress));
        if (is_unchanging(setup, column)) unchanging.columns.push_back(record.columns.back());
    }
    for (const auto id : setup.collections.ids()) {
        if (setup.collections[id].is_managed()) record.agents.push_back(agents_record(state, id));
    }
    return unchanging;
}

void keep_newest(const ResultFolder& folder, std::uint64_t keep) {
    const auto names = names_of(folder);
    const auto opened = folder_of(folder);
    for (std::size_t i = 0; i + keep < names.size(); ++i)
        if (!take_away(opened->number(), names[i]))
            log_warning("the checkpoint {} cannot be removed", (folder.path() / checkpoints_name / names[i]).string());
}

// ---- reading

// Reads bytes of a column's values.
using ValueReader = std::function<void(std::uint64_t offset, void* into, std::size_t count)>;

ValueReader values_in(const ColumnRecord& column, std::shared_ptr<const KeptFile> file) {
    const auto& shape = column.shape;
    const auto bytes = static_cast<std::uint64_t>(bytes_of_plane(shape)) * static_cast<std::uint64_t>(shape.elements);
    if (!column.packing) {
        const auto heading = heading_of(shape);
        std::string found(heading.size(), '\0');
        if (file->size() == heading.size() + bytes) file->read(0, found.data(), found.size());
        if (found != heading) throw Error(Failure::input, fmt::format("{} is not of the shape that its record says", column.file.name));
        return [file = std::move(file), first = heading.size()](std::uint64_t offset, void* into, std::size_t count) {
            file->read(first + offset, into, count);
        };
    }
    const auto values = std::make_shared<const PackedValues>(std::move(file), *column.packing, bytes, size_of(shape.type));
    return [values](std::uint64_t offset, void* into, std::size_t count) { values->read(offset, into, count); };
}

SnapshotPiece piece_of(const ColumnRecord& column, std::shared_ptr<const KeptFile> file) {
    const auto& shape = column.shape;
    const auto read = [values = values_in(column, std::move(file)), places_of_all = shape.places(),
                       bytes = size_of(shape.type)](int element, const PlaceRange& places, std::byte* into) {
        values(static_cast<std::uint64_t>(element * places_of_all + places.first) * bytes, into,
               static_cast<std::size_t>(places.count()) * bytes);
    };
    const auto last_axis = shape.dimensions == 1 ? std::size_t{0} : static_cast<std::size_t>(shape.dimensions - 1);
    return {column.collection,
            column.member,
            {0, shape.dimensions == 1 ? std::max<std::int64_t>(shape.size[1], 1) : shape.size[last_axis]},
            shape,
            read};
}

// In the folder `way` of another one, whatever its name. Throws Failure::input, with the reason as its problem.
Saved opened_at(const ResultFolder& folder, const std::string& way) {
    const auto place = [&](const std::string& file) { return existing_place(folder, way, file); };
    Saved saved{"", parse_record(KeptFile(place(record_name)).text()), {}};
    const auto& record = saved.record;
    saved.name = name_of_step(record.step);
    saved.state.step = record.step;
    if (const auto why = KeptFile(place(record.run_file.name)).why_damaged(record.run_file); !why.empty())
        throw Error(Failure::input, fmt::format("its file {} is damaged: {}", record.run_file.name, why));
    for (const auto& column : record.columns) {
        const auto file = std::make_shared<const KeptFile>(place(column.file.name));
        if (const auto why = file->why_damaged(column.file); !why.empty())
            throw Error(Failure::input, fmt::format("its file {} is damaged: {}", column.file.name, why));
        saved.state.pieces.push_back(piece_of(column, file));
    }
    for (const auto& agents : record.agents) saved.state.agents.push_back(agents.past);
    check_contents(record, saved.state);
    return saved;
}

// Of the run of that number; of any, where none is given.
Saved opened(const ResultFolder& folder, const std::string& name, std::optional<std::uint64_t> run) {
    auto saved = opened_at(folder, way_of(name));
    if (run && saved.record.run != *run) throw Error(Failure::input, "it belongs to another run");
    if (saved.name != name) throw Error(Failure::input, fmt::format("it holds the state of step {}", saved.record.step));
    return saved;
}

Found find_last_of(const ResultFolder& folder, std::optional<std::uint64_t> run) {
    Found found;
    const auto names = names_of(folder);
    for (auto name = names.rbegin(); name != names.rend(); ++name) try {
            found.last = opened(folder, *name, run);
            return found;
        } catch (const Error& error) {
            if (error.kind() != Failure::input) throw;
            found.passed_over.push_back({*name, error.what()});
        }
    return found;
}

std::uint64_t hash_of_record(const ResultFolder& folder, const std::string& way) {
    return hash_of(KeptFile(existing_place(folder, way, record_name)).text());
}

} // namespace

const ColumnRecord* Unchanging::find(const std::string& collection, const std::string& member) const {
    for (const auto& column : columns)
        if (column.collection == collection && column.member == member) return &column;
    return nullptr;
}

std::vector<ColumnId> columns_of(const State& state, const Unchanging& known) {
    auto columns = state.columns();
    const auto is_known = [&](ColumnId column) { return known_column(state.setup(), column, known) != nullptr; };
    columns.erase(std::remove_if(columns.begin(), columns.end(), is_known), columns.end());
    return columns;
}

std::size_t bytes_of(const State& state, const Unchanging& known) {
    std::size_t bytes = 0;
    for (const auto column : columns_of(state, known))
        bytes += bytes_of_plane(shape_of(state, column)) * static_cast<std::size_t>(state.setup()[column].layout.elements);
    return bytes;
}

State captured(const State& state, const Unchanging& known, CaptureMemory& memory) {
    struct Column {
        std::size_t plane = 0; // bytes of an element
        std::shared_ptr<std::byte[]> values;
    };
    const auto& setup = state.setup();
    std::map<ColumnId, Column> columns;
    for (const auto column : columns_of(state, known)) {
        const auto shape = shape_of(state, column);
        const auto plane = bytes_of_plane(shape);
        auto& taken = columns[column] = {plane, memory.take(plane * static_cast<std::size_t>(shape.elements))};
        for (int e = 0; e < shape.elements; ++e)
            state.read(column, e, {0, shape.places()}, taken.values.get() + static_cast<std::size_t>(e) * plane);
    }
    std::map<CollectionId, AgentsPast> pasts;
    for (const auto id : setup.collections.ids())
        if (setup.collections[id].is_managed()) pasts[id] = state.past(id);
    auto read = [columns = std::move(columns), &setup](ColumnId column, int element, const PlaceRange& places, std::byte* into) {
        const auto& [plane, values] = columns.at(column);
        const auto bytes = size_of(setup[column].layout.type);
        std::memcpy(into, values.get() + static_cast<std::size_t>(element) * plane + static_cast<std::size_t>(places.first) * bytes,
                    static_cast<std::size_t>(places.count()) * bytes);
    };
    return state.kept(std::move(read), [pasts = std::move(pasts)](CollectionId id) { return pasts.at(id); });
}

Unchanging write(const ResultFolder& folder, const State& state, const std::string& run_file, Record record, const Keeping& keeping,
                 const Unchanging& known) {
    record.step = state.step();
    NewFolder made(folder, checkpoints_name);
    auto unchanging = write_columns(state, folder, made.way(), keeping.compress, known, record);
    record.run_file = write_text(folder.place(made.way() + "/" + run_file_name), run_file_name, run_file);
    (void)write_text(folder.place(made.way() + "/" + record_name), record_name, to_text(record));
    made.commit(name_of_step(record.step));
    keep_newest(folder, keeping.most);
    return unchanging;
}

Found find_last(const ResultFolder& folder, std::uint64_t run) { return find_last_of(folder, run); }

Elsewhere open_elsewhere(const std::filesystem::path& path) {
    const auto folder = folder_to_read(path);
    if (folder.look_at(record_name)) try {
            return {path, opened_at(folder, ""), hash_of_record(folder, "")};
        } catch (const Error& error) {
            throw Error(error.kind(), fmt::format("the checkpoint {} cannot be used", path.string()), error.what());
        }
    auto found = find_last_of(folder, std::nullopt);
    for (const auto& [name, why] : found.passed_over)
        log_warning("the checkpoint {} cannot be used: {}", (path / checkpoints_name / name).string(), why);
    if (!found.last)
        throw Error(Failure::input, fmt::format("there is no checkpoint in {}", path.string()),
                    found.passed_over.empty() ? "it is neither one nor the results of a run that keeps them" : "none of them can be used");
    const auto way = way_of(found.last->name);
    const auto hash = hash_of_record(folder, way);
    return {path / way, std::move(*found.last), hash};
}

Verified verify_all(const ResultFolder& folder, std::uint64_t run) {
    Verified verified;
    const auto names = names_of(folder);
    for (auto name = names.rbegin(); name != names.rend(); ++name) try {
            (void)opened(folder, *name, run);
            verified.good.push_back(*name);
        } catch (const Error& error) {
            if (error.kind() != Failure::input) throw;
            verified.unusable.push_back({*name, error.what()});
        }
    return verified;
}

void remove_later(const ResultFolder& folder, const std::string& last) {
    const auto opened = folder_of(folder);
    if (opened == nullptr) return;
    for (const auto& name : names_in(opened->number(), folder.path() / checkpoints_name)) {
        const bool is_later = is_name(name) && (name.size() > last.size() || name > last);
        if (run_file::is_temporary_name(name)) remove_tree(opened->number(), name);
        if (is_later && !take_away(opened->number(), name))
            throw Error(Failure::output, fmt::format("{} cannot be removed", (folder.path() / checkpoints_name / name).string()), "",
                        "remove it, and resume again");
    }
}

} // namespace tessera::checkpoint

#include "host/world/world.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/setup/seams.hpp"
#include "host/world/frame.hpp"
#include "host/world/row_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

std::string gibibytes(std::uint64_t bytes) { return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1u << 30)); }

bool all_zero(const std::vector<std::byte>& bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

// Ghosts that no kernel writes, and that are not as memory is from the start.
bool has_constant_ghosts(const ColumnSetup& column) {
    return column.layout.ghost != std::array<int, 3>{} && !(all_zero(column.outside) && all_zero(column.missing));
}

std::string columns_text(const Setup& setup) {
    std::string columns;
    for (const auto id : setup.columns.ids()) {
        const auto& column = setup[id];
        const auto bytes = static_cast<std::uint64_t>(column.layout.bytes) * (column.has_spare ? 2 : 1);
        columns += fmt::format("{}{} {}{}", columns.empty() ? "" : ", ", setup.name_of(id), gibibytes(bytes),
                               column.has_spare ? " (two buffers)" : "");
    }
    return columns;
}

// Of all columns' rows that the partitions make, and of those that they have of others.
std::uint64_t bytes_of_stripes(const Setup& setup, const std::vector<std::size_t>& partitions) {
    double bytes = 0;
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        for (std::size_t c = 0; c < collection.columns.size(); ++c) {
            const auto& column = collection.columns[c];
            std::int64_t rows = 0, sides = 0;
            for (const auto p : partitions) {
                const bool has_all = setup.own_memory() && has_all_rows(setup, setup.column_of(id, c), p);
                rows += has_all ? collection.whole().rows() : setup.stripe(id, p).rows();
                if (setup.own_memory() && (has_all || setup.stripe(id, p).rows() > 0)) sides += 2;
            }
            const double share =
                static_cast<double>(rows + sides * collection.ghost_rows(column)) / static_cast<double>(collection.whole().rows());
            bytes += static_cast<double>(column.layout.bytes) * (column.has_spare ? 2 : 1) * share;
        }
    }
    return static_cast<std::uint64_t>(bytes);
}

ByteRange common_bytes(const ByteRange& a, const ByteRange& b) {
    const auto first = std::max(a.offset, b.offset), end = std::min(a.offset + a.size, b.offset + b.size);
    return {first, first < end ? end - first : 0};
}

// The stripe that a row belongs to; rows beyond the grid to the nearest one.
std::size_t owner_of(const Setup& setup, CollectionId collection, std::int64_t row) {
    std::size_t owner = 0;
    for (std::size_t p = 0; p < setup.partitions(); ++p)
        if (const auto stripe = setup.stripe(collection, p); stripe.rows() > 0 && stripe.first <= std::max<std::int64_t>(row, 0)) owner = p;
    return owner;
}

// Who reads a partition's memory besides itself.
std::vector<Device*> others_of_island(const Setup& setup, const std::vector<StripeOwner>& owners, std::size_t partition) {
    std::vector<Device*> others;
    for (std::size_t p = 0; p < owners.size(); ++p)
        if (p != partition && setup.reaches(partition, p)) others.push_back(owners[p].device);
    return others;
}

// Whose memory of the host is fast for all.
Device& gpu_or_first(const std::vector<StripeOwner>& owners) {
    for (const auto& owner : owners)
        if (owner.device->info().kind == DeviceKind::cuda) return *owner.device;
    return *owners.front().device;
}

// Of what stands in a list: about as much of it is of a row of places.
std::int64_t cells_a_row(const Setup& setup, ColumnId column) {
    const auto agents = setup.columns[column].collection;
    const auto& collection = setup.collections[agents];
    if (collection.links) return std::max<std::int64_t>(setup[column].cells / collection.whole().rows(), 1);
    const auto begins = setup.starts_of(agents).index(); // this one and the next have an entry a place
    const bool by_places = column.index() == begins || column.index() == begins + 1;
    const auto all = by_places ? collection.places() : static_cast<std::int64_t>(first_count(setup, agents));
    return std::max<std::int64_t>(all / collection.whole().rows(), 1);
}

// The first row that is another partition's than the one before.
std::optional<std::int64_t> first_seam(const Setup& setup, CollectionId collection) {
    const auto whole = setup.collections[collection].whole();
    for (std::size_t p = 0; p < setup.partitions(); ++p)
        if (const auto end = setup.stripe(collection, p).end; whole.first < end && end < whole.end) return end;
    return {};
}

} // namespace

World::World(const Setup& setup, std::vector<StripeOwner> owners, ThreadPool& pool)
    : setup_(setup), owners_(std::move(owners)), pool_(pool) {
    std::vector<Device*> devices;
    for (const auto& owner : owners_) devices.push_back(owner.device);
    refuse_too_large(setup_, devices);
    for (const auto column : setup_.columns.ids()) {
        placement_.current.push_back(add_buffer(column));
        placement_.spare.push_back(setup_[column].has_spare ? add_buffer(column) : Placement::none);
    }
}

void World::refuse_too_large(const Setup& setup, const std::vector<Device*>& devices) {
    std::map<std::string, std::vector<std::size_t>> memories; // the partitions of each: devices of one name have one
    for (std::size_t p = 0; p < devices.size(); ++p) memories[devices[p]->info().name].push_back(p);
    for (const auto& [name, partitions] : memories) {
        const auto needed = bytes_of_stripes(setup, partitions), free = devices[partitions.front()]->free_memory();
        if (needed <= free) continue;
        const bool is_gpu = devices[partitions.front()]->info().kind == DeviceKind::cuda;
        const auto where = devices.size() == partitions.size() ? "" : " on " + name;
        throw Error(
            Failure::memory,
            fmt::format("{} needs {}{} and {} has {} free", setup.description().name, gibibytes(needed), where, name, gibibytes(free)),
            columns_text(setup),
            is_gpu ? "make the grid smaller, or use more devices, or one with more memory"
                   : "make the grid smaller, or use a device with more memory");
    }
}

bool World::add_spare(ColumnId column) {
    if (placement_.spare_of(column) != Placement::none) return false;
    const int spare = add_buffer(column);
    if (has_constant_ghosts(setup_[column])) try {
            copy_all(placement_.current_of(column), spare);
        } catch (...) {
            release(spare);
            throw;
        }
    placement_.spare_of(column) = spare;
    return true;
}

void World::remove_spare(ColumnId column) { release(std::exchange(placement_.spare_of(column), Placement::none)); }

// A range of addresses, each page of it on the device that makes the row in its middle, and the first seam where a page begins: a row on
// the wrong side of it would be read over the link by every strip of its device. `row_of(byte)`, `byte_of(row)`.
template<class RowOf, class ByteOf>
World::Buffer World::make_buffer(CollectionId collection, std::size_t bytes, const RowOf& row_of, const ByteOf& byte_of) {
    Buffer made;
    auto& first = *owners_.front().device;
    if (owners_.size() == 1) {
        made.memories.push_back(first.allocate(bytes));
        made.parts = {{0, 0, bytes}};
        return made;
    }
    std::vector<Device*> others;
    std::size_t page = first.granularity();
    for (std::size_t p = 1; p < owners_.size(); ++p) {
        others.push_back(owners_[p].device);
        page = std::max(page, owners_[p].device->granularity());
    }
    const auto seam = first_seam(setup_, collection);
    const auto line = static_cast<std::size_t>(Layout::line); // which rows begin on, and go on doing so
    made.lead = seam ? (page - byte_of(*seam) / line * line % page) % page : 0;
    made.memories.push_back(first.reserve(made.lead + bytes, others, setup_.distribution().migrating ? Paging::migrating : Paging::fixed));
    for (std::size_t begin = 0, next = page - made.lead; begin < bytes; begin = std::exchange(next, next + page)) {
        const auto end = std::min(next, bytes);
        const auto owner = owner_of(setup_, collection, row_of(begin + (end - begin) / 2));
        if (made.parts.empty() || made.parts.back().owner != owner) made.parts.push_back({owner, begin, 0});
        made.parts.back().size += end - begin;
    }
    for (const auto& [owner, offset, size] : made.parts) {
        const auto before = offset == 0 ? made.lead : 0; // the first page begins with it
        owners_[owner].device->back(made.memories.front(), made.lead + offset - before, before + size);
    }
    return made;
}

// No memory for a partition whose rows reach all others directly: nothing of it goes by way of the host.
Memory World::make_staging(CollectionId collection, const RowPlaces& rows, int ghosts, std::size_t partition, bool has_all) const {
    const auto& stripes = setup_.distribution().stripes[collection.index()];
    const auto sent = rows_sent_to(setup_.collections[collection], stripes, partition, ghosts);
    bool all_reach = std::all_of(sent.begin(), sent.end(), [&](const SentRows& of) { return setup_.reaches(partition, of.owner); });
    for (std::size_t p = 0; p < stripes.size(); ++p) all_reach &= !has_all || stripes[p].rows() == 0 || setup_.reaches(partition, p);
    if (all_reach) return {};
    const auto staged = 2 * ghosts + (has_all ? setup_.collections[collection].whole().rows() : 0);
    return gpu_or_first(owners_).host_memory(static_cast<std::size_t>(staged) * rows.row * static_cast<std::size_t>(rows.elements));
}

// Pages of a partition's own behind a range of a buffer of so many bytes, and behind what is read beyond its ends, with others. Everything
// below `done` is backed, or nobody's; returns what is then.
std::size_t World::back_pages(const Buffer& buffer, std::size_t partition, const ByteRange& range, std::size_t done, std::size_t bytes) {
    constexpr auto beyond = static_cast<std::size_t>(Layout::line);
    auto& device = *owners_[partition].device;
    const auto page = device.granularity();
    const auto from = std::max(done, (range.offset - std::min(beyond, range.offset)) / page * page);
    const auto end = std::min(bytes, (range.offset + range.size + beyond + page - 1) / page * page);
    if (from < end) device.back(buffer.memories[partition], from, end - from);
    return std::max(done, end);
}

// Behind a partition's rows and the ghosts around them, or behind all rows, are pages of its own.
World::Buffer World::make_own_buffer(CollectionId collection, const RowPlaces& rows, int ghosts, std::size_t bytes,
                                     std::vector<bool> has_all) {
    Buffer made;
    made.collection = collection;
    made.rows = rows;
    made.has_all = std::move(has_all);
    const RowRange frame{-ghosts, setup_.collections[collection].whole().end + ghosts};
    const auto first = owner_of(setup_, collection, frame.first), last = owner_of(setup_, collection, frame.end);
    for (std::size_t p = 0; p < owners_.size(); ++p) {
        made.memories.push_back(owners_[p].device->reserve(bytes, others_of_island(setup_, owners_, p)));
        made.staging.push_back(make_staging(collection, rows, ghosts, p, made.has_all[p]));
        const auto stripe = setup_.stripe(collection, p);
        if (stripe.rows() == 0 && !made.has_all[p]) continue;
        const auto backed = made.has_all[p] ? frame : RowRange{stripe.first - ghosts, stripe.end + ghosts};
        const auto owned = stripe.rows() == 0 ? RowRange{backed.first, backed.first}
                                              : RowRange{p == first ? frame.first : stripe.first, p == last ? frame.end : stripe.end};
        std::size_t done = 0;
        for (int e = 0; e < rows.elements; ++e) {
            done = back_pages(made, p, rows.of(backed, e), done, bytes);
            const auto own = rows.of(owned, e);
            if (own.size > 0) made.parts.push_back({p, own.offset, own.size});
            for (const RowRange& others : {RowRange{backed.first, owned.first}, RowRange{owned.end, backed.end}}) {
                if (others.rows() <= 0) continue;
                const auto [offset, size] = rows.of(others, e);
                made.copies.push_back({p, offset, size});
            }
        }
    }
    return made;
}

// What stands in a list is whole on one device.
World::Buffer World::make_whole_buffer(CollectionId collection, const RowPlaces& rows, std::size_t bytes) {
    Buffer made;
    made.collection = collection;
    made.rows = rows;
    for (std::size_t p = 0; p < owners_.size(); ++p) {
        made.memories.push_back(owners_[p].device->reserve(bytes, others_of_island(setup_, owners_, p)));
        made.staging.emplace_back();
        if (setup_.stripe(collection, p).rows() == 0) continue;
        owners_[p].device->back(made.memories[p], 0, bytes);
        made.parts.push_back({p, 0, bytes});
    }
    return made;
}

// Of links that stay each has the lists of its own places.
World::Buffer World::make_buffer_of_list(const Layout& layout, const std::vector<ListSlice>& slices) {
    Buffer made;
    const auto bytes = static_cast<std::size_t>(layout.bytes), scalar = size_of(layout.type);
    std::optional<std::size_t> last; // that has any
    for (std::size_t p = 0; p < owners_.size(); ++p)
        if (slices[p].values.count() > 0) last = p;
    for (std::size_t p = 0; p < owners_.size(); ++p) {
        made.memories.push_back(owners_[p].device->reserve(bytes, others_of_island(setup_, owners_, p)));
        made.staging.emplace_back();
        const auto& [values, shared] = slices[p];
        if (values.count() <= 0) continue;
        const auto copied = static_cast<std::size_t>(p == *last ? 0 : shared) * scalar;
        std::size_t done = 0;
        for (int e = 0; e < layout.elements; ++e) {
            const ByteRange range{static_cast<std::size_t>(layout.origin + e * layout.element + values.first) * scalar,
                                  static_cast<std::size_t>(values.count()) * scalar};
            done = back_pages(made, p, range, done, bytes);
            made.parts.push_back({p, range.offset, range.size - copied});
            if (copied > 0) made.copies.push_back({p, range.offset + range.size - copied, copied});
        }
    }
    return made;
}

int World::keep(Buffer buffer) {
    auto place = std::find_if(buffers_.begin(), buffers_.end(), [](const Buffer& b) { return b.is_free(); });
    if (place == buffers_.end()) place = buffers_.insert(place, Buffer{});
    *place = std::move(buffer);
    return static_cast<int>(place - buffers_.begin());
}

int World::add_buffer(ColumnId like) {
    const auto& layout = setup_[like].layout;
    const auto id = setup_.columns[like].collection;
    const auto& collection = setup_.collections[id];
    const auto places = row_places(layout, collection.dimensions);
    if (setup_.own_memory()) {
        const auto bytes = static_cast<std::size_t>(layout.bytes);
        const auto slices = slices_of_list(setup_, like);
        std::vector<bool> has_all;
        for (std::size_t p = 0; p < owners_.size(); ++p) has_all.push_back(has_all_rows(setup_, like, p));
        auto made = !slices.empty()          ? make_buffer_of_list(layout, slices)
                    : setup_[like].cells > 0 ? make_whole_buffer(id, places, bytes)
                                             : make_own_buffer(id, places, collection.ghost_rows(setup_[like]), bytes, std::move(has_all));
        made.layout = &layout;
        return keep(std::move(made));
    }
    const auto scalar = static_cast<std::int64_t>(size_of(layout.type));
    const auto row = setup_[like].cells > 0 ? cells_a_row(setup_, like) : collection.dimensions == 3 ? layout.plane : layout.row;
    auto made = make_buffer(
        id, static_cast<std::size_t>(layout.bytes),
        [&](std::size_t byte) {
            const auto after_origin = static_cast<std::int64_t>(byte) / scalar % layout.element - layout.origin;
            return after_origin < 0 ? 0 : after_origin / row;
        },
        [&](std::int64_t first) {
            return setup_[like].cells > 0 ? static_cast<std::size_t>((layout.origin + first * row) * scalar)
                                          : places.of({first, first}, 0).offset;
        });
    made.layout = &layout;
    made.rows = places;
    return keep(std::move(made));
}

int World::add_buffer(const Words& words) {
    const auto& collection = setup_.collections[words.collection];
    const auto ghosts = static_cast<std::size_t>(words.ghosts), rows = static_cast<std::size_t>(collection.whole().rows());
    const auto plane = (rows + 2 * ghosts) * words.row_bytes, bytes = plane * static_cast<std::size_t>(words.planes);
    if (setup_.own_memory())
        return keep(make_own_buffer(words.collection, {ghosts * words.row_bytes, words.row_bytes, plane, words.planes}, words.ghosts, bytes,
                                    std::vector<bool>(owners_.size())));
    return keep(make_buffer(
        words.collection, bytes, [&](std::size_t byte) { return static_cast<std::int64_t>(byte % plane / words.row_bytes); },
        [&](std::int64_t row) { return static_cast<std::size_t>(row) * words.row_bytes; }));
}

void World::release(int number) { buffers_[static_cast<std::size_t>(number)] = {}; }

void* World::origin(int number, std::size_t partition) const {
    const auto& b = buffer(number);
    const auto offset = b.layout == nullptr ? 0 : b.layout->origin * static_cast<std::int64_t>(size_of(b.layout->type));
    return b.start(partition) + offset;
}

std::vector<std::span<std::byte>> World::rows_at(int number, std::size_t partition, const RowRange& rows) const {
    const auto& b = buffer(number);
    if (partition >= owners_.size()) return rows_of_staging(number, partition - owners_.size(), rows);
    std::vector<std::span<std::byte>> found;
    for (int e = 0; e < b.rows.elements; ++e) {
        const auto [offset, size] = b.rows.of(rows, e);
        found.emplace_back(b.start(partition) + offset, size);
    }
    return found;
}

std::vector<std::span<std::byte>> World::rows_of_staging(int number, std::size_t partition, const RowRange& rows) const {
    const auto& b = buffer(number);
    const auto stripe = setup_.stripe(b.collection, partition);
    const auto all = b.staging[partition].size() / static_cast<std::size_t>(b.rows.elements);
    const auto staged = static_cast<std::int64_t>(all / b.rows.row); // the ghosts on either side, or these and all rows
    const auto ghosts = (b.has_all[partition] ? staged - setup_.collections[b.collection].whole().rows() : staged) / 2;
    const auto first = b.has_all[partition]        ? rows.first + ghosts
                       : rows.first < stripe.first ? rows.first - stripe.first + ghosts
                                                   : rows.first - stripe.end + ghosts;
    std::vector<std::span<std::byte>> found;
    for (int e = 0; e < b.rows.elements; ++e)
        found.emplace_back(static_cast<std::byte*>(b.staging[partition].address()) + static_cast<std::size_t>(e) * all +
                               static_cast<std::size_t>(first) * b.rows.row,
                           static_cast<std::size_t>(rows.rows()) * b.rows.row);
    return found;
}

// A device may have written into memory of another, which that one's queue knows nothing of.
void World::settle() const {
    if (owners_.size() > 1)
        for (const auto& owner : owners_) owner.queue->mark(Timed::no).wait();
}

void World::upload(int number, const ByteRange& range, const std::byte* bytes) {
    const auto& b = buffer(number);
    for (const auto* parts : {&b.parts, &b.copies})
        for (const auto& [owner, offset, size] : *parts)
            if (const auto common = common_bytes(range, {offset, size}); common.size > 0)
                owners_[owner].queue->write(b.start(owner) + common.offset, bytes + (common.offset - range.offset), common.size);
}

void World::download(int number, const ByteRange& range, std::byte* into) const {
    const auto& b = buffer(number);
    for (const auto& [owner, offset, size] : b.parts)
        if (const auto common = common_bytes(range, {offset, size}); common.size > 0)
            owners_[owner].queue->read(into + (common.offset - range.offset), b.start(owner) + common.offset, common.size);
}

void World::copy_all(int from, int to) {
    settle();
    const auto bytes = static_cast<std::size_t>(buffer(from).layout->bytes);
    std::vector<std::byte> piece(std::clamp<std::size_t>(setup_.bytes_at_a_time, 1, bytes));
    for (std::size_t done = 0; done < bytes; done += piece.size()) {
        const ByteRange range{done, std::min(piece.size(), bytes - done)};
        download(from, range, piece.data());
        upload(to, range, piece.data());
    }
}

void World::write(ColumnId id, const ArraySource& source, std::optional<std::int64_t> first_cells) {
    settle();
    const auto& column = setup_[id];
    const Frame frame(setup_.collections[setup_.columns[id].collection], column);
    const auto elements = column.layout.elements;
    const auto place_bytes = static_cast<std::size_t>(elements) * size_of(column.layout.type);
    const bool spare_too = placement_.spare_of(id) != Placement::none && has_constant_ghosts(column); // only its ghosts matter
    const auto at_a_time = frame.cells_in(setup_.bytes_at_a_time / 2, elements); // the other half is the source's values
    GatheredValues values;
    std::vector<std::byte> image;
    for_each_piece(std::min(frame.cells(), first_cells.value_or(frame.cells())), at_a_time, [&](const PlaceRange& piece) {
        const CellRange cells{piece.first, piece.end};
        values.ranges = frame.sources_of(cells);
        std::int64_t places = 0;
        for (const auto& range : values.ranges) places += range.count();
        values.bytes.resize(static_cast<std::size_t>(places) * place_bytes);
        auto* next = values.bytes.data();
        for (const auto& range : values.ranges) {
            source(range, next);
            next += static_cast<std::size_t>(range.count()) * place_bytes;
        }
        for (int e = 0; e < elements; ++e) {
            const auto range = frame.bytes_of(cells, e);
            image.resize(range.size);
            frame.fill(cells, e, values, image.data(), pool_);
            upload(placement_.current_of(id), range, image.data());
            if (spare_too) upload(placement_.spare_of(id), range, image.data());
        }
    });
}

void World::write(ColumnId id, int element, const PlaceBox& box, const std::byte* values) {
    settle();
    const Frame frame(setup_.collections[setup_.columns[id].collection], setup_[id]);
    const auto& layout = setup_[id].layout;
    const auto bytes = size_of(layout.type);
    if (setup_.collections[setup_.columns[id].collection].count) { // whose places stand one after the other, and nothing beside them
        const CellRange cells{frame.cell_of(box.from[0]), frame.cell_of(box.to[0] - 1) + 1};
        return upload(placement_.current_of(id), frame.bytes_of(cells, element), values);
    }
    for (const auto& [cells, place] : frame.images_of(box)) {
        const auto x = place % layout.size[0], row = place / layout.size[0], y = row % layout.size[1], z = row / layout.size[1];
        const auto before = ((z - box.from[2]) * box.size(1) + y - box.from[1]) * box.size(0) + x - box.from[0];
        upload(placement_.current_of(id), frame.bytes_of(cells, element), values + static_cast<std::size_t>(before) * bytes);
    }
}

void World::read(ColumnId id, int element, const PlaceRange& places, std::byte* into) const {
    if (places.count() <= 0) return;
    settle();
    const Frame frame(setup_.collections[setup_.columns[id].collection], setup_[id]);
    const auto first = frame.cell_of(places.first), end = frame.cell_of(places.end - 1) + 1;
    const auto number = placement_.current_of(id);
    const bool stands = stands_in_host();
    const auto at_a_time = stands ? end - first : frame.cells_in(setup_.bytes_at_a_time / 8, 1);
    for_each_piece(end - first, at_a_time, [&](const PlaceRange& piece) {
        const CellRange cells{first + piece.first, first + piece.end};
        const auto range = frame.bytes_of(cells, element);
        frame.take(cells, stands ? buffer(number).start(0) + range.offset : downloaded(number, range), places, into, pool_);
    });
}

// In memory that the host reads as it stands, once the launches are done.
bool World::stands_in_host() const {
    if (setup_.own_memory()) return false;
    for (const auto& owner : owners_)
        if (owner.device->info().kind != DeviceKind::cpu) return false;
    for (const auto& owner : owners_) owner.queue->mark(Timed::no).wait();
    return true;
}

// Until others are: of all readings into the same memory, since fresh pages take longer than what is put into them.
const std::byte* World::downloaded(int number, const ByteRange& range) const {
    if (read_room_ < range.size) {
        read_.reset();
        read_.reset(new std::byte[range.size]); // what nobody has of it, nobody takes
        read_room_ = range.size;
    }
    download(number, range, read_.get());
    return read_.get();
}

StateReader World::reader() const {
    return [this](ColumnId column, int element, const PlaceRange& places, std::byte* into) { read(column, element, places, into); };
}

Array World::read(ColumnId id) const {
    const auto& collection = setup_.collections[setup_.columns[id].collection];
    const auto& layout = setup_[id].layout;
    const bool is_list = setup_[id].cells > 0;
    Array values = make_array_of_any(layout.type, is_list ? layout.size : collection.seen_size(),
                                     is_list ? collection.dimensions : collection.seen_dimensions(), layout.elements, collection.name);
    const auto plane = static_cast<std::size_t>(values.places()) * size_of(layout.type);
    for (int e = 0; e < layout.elements; ++e) read(id, e, {0, values.places()}, values.bytes.data() + static_cast<std::size_t>(e) * plane);
    return values;
}

} // namespace tessera

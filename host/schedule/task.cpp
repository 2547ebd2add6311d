#include "host/schedule/task.hpp"

#include <algorithm>

namespace tessera {
namespace {

bool overlap(const Band& a, const Band& b) { return a.first < b.end && b.first < a.end; }

bool reads_of(const Touch& reader, int buffer, const Band& rows) {
    return reader.reads && reader.in == buffer &&
           std::any_of(reader.read.begin(), reader.read.end(), [&](const Band& read) { return overlap(read, rows); });
}

bool writes_of(const Touch& writer, int buffer, const Band& rows) {
    return writer.writes && writer.out == buffer && overlap(writer.written, rows);
}

// Whether `writer` writes what `other` touches.
bool writes_into(const Touch& writer, const Touch& other) {
    return writer.writes && (reads_of(other, writer.out, writer.written) || writes_of(other, writer.out, writer.written));
}

// Adds rows [first, end), all of them within the grid.
void add(std::vector<Band>& bands, std::int64_t first, std::int64_t end) {
    if (first < end) bands.push_back({first, end});
}

// Of the rows below 0 and those from `n` on, as they are seen: on a torus from the other side, in a mirror from this one. Constants
// are nobody's rows.
void add_beyond(std::vector<Band>& bands, run_file::Boundary boundary, std::int64_t n, std::int64_t low, std::int64_t high) {
    if (boundary == run_file::Boundary::torus) {
        if (low + high >= n) return add(bands, 0, n);
        add(bands, n - low, n);
        add(bands, 0, high);
    } else if (boundary == run_file::Boundary::reflect) {
        add(bands, 0, std::min(low, n));
        add(bands, std::max<std::int64_t>(n - high, 0), n);
    }
}

bool is_barrier(const Task& task) { return std::holds_alternative<AdvanceWork>(task.work); }

} // namespace

std::vector<Band> rows_read(const CollectionSetup& collection, const model::Use& use, const Band& rows) {
    const std::size_t dims = static_cast<std::size_t>(collection.dimensions - 1), axis = dims == 2 ? 2 : 1;
    const std::int64_t n = collection.whole().end;
    const std::int64_t first = rows.first - use.low[dims][axis], end = rows.end + use.high[dims][axis];
    std::vector<Band> read;
    add(read, std::max<std::int64_t>(first, 0), std::min(end, n));
    add_beyond(read, collection.boundary[axis], n, std::max<std::int64_t>(-first, 0), std::max<std::int64_t>(end - n, 0));
    return read;
}

bool collide(const Task& a, const Task& b) {
    if (is_barrier(a) || is_barrier(b)) return true;
    for (const auto& of_a : a.touches)
        for (const auto& of_b : b.touches)
            if (writes_into(of_a, of_b) || writes_into(of_b, of_a)) return true;
    return false;
}

void order_by_touches(std::vector<Task>& tasks) {
    std::vector<std::vector<bool>> before(tasks.size()); // through any number of tasks
    for (std::size_t later = 0; later < tasks.size(); ++later) {
        tasks[later].after.clear();
        before[later].resize(later);
        for (std::size_t earlier = later; earlier-- > 0;) {
            if (before[later][earlier] || !collide(tasks[earlier], tasks[later])) continue;
            tasks[later].after.push_back(earlier);
            before[later][earlier] = true;
            for (std::size_t i = 0; i < earlier; ++i)
                if (before[earlier][i]) before[later][i] = true;
        }
    }
}

} // namespace tessera

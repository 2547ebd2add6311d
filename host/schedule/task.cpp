#include "host/schedule/task.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tessera {
namespace {

bool overlap(const RowRange& a, const RowRange& b) { return a.first < b.end && b.first < a.end; }

// A buffer, and whose it is.
using OwnBuffer = std::pair<int, std::size_t>;

OwnBuffer read_by(const Touch& touch) { return {touch.in, touch.in_of}; }
OwnBuffer written_by(const Touch& touch) { return {touch.out, touch.out_of}; }

bool reads_of(const Touch& reader, const OwnBuffer& buffer, const RowRange& rows) {
    return reader.reads && read_by(reader) == buffer &&
           std::any_of(reader.read.begin(), reader.read.end(), [&](const RowRange& read) { return overlap(read, rows); });
}

bool writes_of(const Touch& writer, const OwnBuffer& buffer, const RowRange& rows) {
    return writer.writes && written_by(writer) == buffer && overlap(writer.written, rows);
}

// Whether `writer` writes what `other` touches.
bool writes_into(const Touch& writer, const Touch& other) {
    const auto buffer = written_by(writer);
    return writer.writes && (reads_of(other, buffer, writer.written) || writes_of(other, buffer, writer.written));
}

// Adds rows [first, end), all of them within the grid.
void add(RowRanges& bands, std::int64_t first, std::int64_t end) {
    if (first < end) bands.push_back({first, end});
}

// Of the rows below 0 and those from `n` on, as they are seen: on a torus from the other side, in a mirror from this one. Constants
// are nobody's rows.
void add_beyond(RowRanges& bands, run_file::Boundary boundary, std::int64_t n, std::int64_t low, std::int64_t high) {
    if (boundary == run_file::Boundary::torus) {
        if (low + high >= n) return add(bands, 0, n);
        add(bands, n - low, n);
        add(bands, 0, high);
    } else if (boundary == run_file::Boundary::reflect) {
        add(bands, 0, std::min(low, n));
        add(bands, std::max<std::int64_t>(n - high, 0), n);
    }
}

// Who touched which rows of each buffer, as far as a task that comes later may have to wait for it.
class Book {
public:
    // Enters a task; the earlier ones that it collides with, but those that it follows through what has written their rows since.
    std::set<std::size_t> enter(std::size_t number, const Task& task) {
        std::set<std::size_t> before;
        for (const auto& touch : task.touches) find(touch, before);
        for (const auto& touch : task.touches)
            if (touch.writes) write(number, buffers_[written_by(touch)], touch.written);
        for (const auto& touch : task.touches)
            for (const auto& rows : touch.read) // of a column that is changed in place, it has them to itself already
                if (touch.reads && !(touch.writes && written_by(touch) == read_by(touch) && contains(touch.written, rows)))
                    buffers_[read_by(touch)].readers.push_back({number, rows});
        return before;
    }

private:
    struct Entry {
        std::size_t task;
        RowRange rows;
    };
    struct Buffer {
        std::vector<Entry> writers, readers;
    };

    static bool contains(const RowRange& outer, const RowRange& inner) { return outer.first <= inner.first && inner.end <= outer.end; }

    void find(const Touch& touch, std::set<std::size_t>& before) {
        const auto add = [&](const std::vector<Entry>& entries, const RowRange& rows) {
            for (const auto& entry : entries)
                if (overlap(entry.rows, rows)) before.insert(entry.task);
        };
        if (touch.reads)
            for (const auto& rows : touch.read) add(buffers_[read_by(touch)].writers, rows);
        if (touch.writes) {
            const auto& buffer = buffers_[written_by(touch)];
            add(buffer.writers, touch.written);
            add(buffer.readers, touch.written);
        }
    }

    // Whoever touches these rows from now on is behind this task, and so behind those before it.
    static void write(std::size_t number, Buffer& buffer, const RowRange& rows) {
        for (auto* entries : {&buffer.writers, &buffer.readers}) {
            std::vector<Entry> left;
            for (const auto& [task, had] : *entries) {
                if (had.first < std::min(had.end, rows.first)) left.push_back({task, {had.first, std::min(had.end, rows.first)}});
                if (std::max(had.first, rows.end) < had.end) left.push_back({task, {std::max(had.first, rows.end), had.end}});
            }
            entries->swap(left);
        }
        buffer.writers.push_back({number, rows});
    }

    std::map<OwnBuffer, Buffer> buffers_;
};

} // namespace

RowRange rows_seen(const CollectionSetup& collection, const model::Use& use, const RowRange& rows) {
    const std::size_t dims = static_cast<std::size_t>(collection.dimensions - 1), axis = dims == 2 ? 2 : 1;
    const auto low = use.low[dims][axis], high = use.high[dims][axis];
    if (!use.everywhere) return {rows.first - low, rows.end + high};
    const auto whole = collection.whole(); // and beyond it, where it looks around itself as well
    return {low > 0 ? std::min(whole.first, rows.first - low) : whole.first, high > 0 ? std::max(whole.end, rows.end + high) : whole.end};
}

RowRanges rows_read(const CollectionSetup& collection, const model::Use& use, const RowRange& rows) {
    if (use.everywhere) return {collection.whole()};
    const std::int64_t n = collection.whole().end;
    const auto [first, end] = rows_seen(collection, use, rows);
    RowRanges read;
    add(read, std::max<std::int64_t>(first, 0), std::min(end, n));
    add_beyond(read, collection.boundary[collection.dimensions == 3 ? 2 : 1], n, std::max<std::int64_t>(-first, 0),
               std::max<std::int64_t>(end - n, 0));
    return read;
}

bool is_of_step_values(const Setup& setup, const Task& task) {
    if (const auto* call = std::get_if<CallWork>(&task.work)) return setup.kernels[call->kernel].is_reduction();
    return std::holds_alternative<ShareWork>(task.work) || std::holds_alternative<JoinWork>(task.work) ||
           std::holds_alternative<UniformWork>(task.work);
}

bool collide(const Task& a, const Task& b) {
    for (const auto& of_a : a.touches)
        for (const auto& of_b : b.touches)
            if (writes_into(of_a, of_b) || writes_into(of_b, of_a)) return true;
    return false;
}

void order_by_touches(std::vector<Task>& tasks) {
    Book book;
    for (std::size_t number = 0; number < tasks.size(); ++number) {
        const auto before = book.enter(number, tasks[number]);
        tasks[number].after.clear();
        for (const auto one : before) {
            const bool through_another = std::any_of(before.begin(), before.end(), [&](std::size_t other) {
                const auto& after = tasks[other].after;
                return std::find(after.begin(), after.end(), one) != after.end();
            });
            if (!through_another) tasks[number].after.push_back(one);
        }
    }
}

} // namespace tessera

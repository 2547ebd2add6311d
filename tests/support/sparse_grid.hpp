// Kernels of a grid that is too large for this machine's memory, called for a few of its places. Columns stand in address space that takes
// no memory until it is touched; what is called is what a run would call, compiled for the CPU.
#pragma once

#include "device_runtime/shared_library.hpp"
#include "jit/sdk_headers.hpp"
#include "kernels/launch/arguments.hpp"
#include "tests/support/world_under_test.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/mman.h>

namespace tessera::test {

class SparseGrid {
public:
    SparseGrid(const std::string& model, std::vector<std::string> keys, const ViewChoice& view)
        : prepared_(prepare({model, std::move(keys), {}}, compiler())), views_(prepared_.setup.kernels.size(), view), library_(compile()) {}
    ~SparseGrid() {
        for (const auto& [name, space] : spaces_) munmap(space.address, space.bytes);
    }
    SparseGrid(const SparseGrid&) = delete;
    SparseGrid& operator=(const SparseGrid&) = delete;

    enum Side { in, out };

    // A value of the first collection's column as the kernel reads it, or as it writes it; coordinates may be those of ghosts.
    template<class T> T& at(const std::string& member, Side side, std::int64_t x, std::int64_t y = 0) {
        const auto number = member_number(member);
        const auto& layout = columns()[number].layout;
        return *(static_cast<T*>(space(number, side)) + layout.index(x, y, 0, 0));
    }

    // Calls a function for the last `count` of its items (rows, pieces of rows or tiles), or the first ones.
    void call_last(const std::string& function, std::int64_t count, std::uint64_t step = 0, std::uint64_t key = 0) {
        const auto items = launch_shape(setup().collections[0], views_[0], setup().collections[0].whole()).items;
        call(function, items - count, items, step, key);
    }
    void call_first(const std::string& function, std::int64_t count) { call(function, 0, count, 0, 0); }

private:
    struct Space {
        void* address;
        std::size_t bytes;
    };
    [[nodiscard]] const Setup& setup() const { return prepared_.setup; }
    [[nodiscard]] const std::vector<ColumnSetup>& columns() const { return setup().collections[0].columns; }
    [[nodiscard]] std::size_t member_number(const std::string& name) const { return *setup().row_of(setup().collections[0]).find(name); }

    void* space(std::size_t member, Side side) {
        const auto found = spaces_.find({member, side});
        if (found != spaces_.end()) return found->second.address;
        const auto bytes = static_cast<std::size_t>(columns()[member].layout.bytes);
        void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (address == MAP_FAILED) throw std::runtime_error("no address space");
        spaces_[{member, side}] = {address, bytes};
        return address;
    }
    SharedLibrary compile() const {
        jit::Job job;
        job.model = &prepared_.model->source;
        job.sdk = jit::sdk_headers();
        job.prelude = kernel_prelude(setup());
        job.epilogue = kernel_epilogue(setup(), views_);
        job.purpose = "kernels";
        return SharedLibrary(compiler().compile(job).file);
    }
    // A column that is not read around is written in place.
    void call(const std::string& function, std::int64_t first, std::int64_t last, std::uint64_t step, std::uint64_t key) {
        for (const auto& kernel : setup().kernels) {
            if (setup().description().functions[kernel.function].name != function) continue;
            const auto rows = setup().collections[0].whole();
            const launch_arguments launch{&step, 0, 0, rows.first, rows.end};
            std::vector<std::byte> arguments = bytes_of(launch);
            const auto add = [&](std::uint64_t field) {
                const auto bytes = bytes_of(field);
                arguments.insert(arguments.end(), bytes.begin(), bytes.end());
            };
            for (const Side side : {in, out})
                for (const auto& [column, use, aside] : kernel.accesses) {
                    const auto& layout = setup()[column].layout;
                    const auto member = setup().columns[column].member;
                    auto* const start = static_cast<std::byte*>(space(member, use.around && use.writes ? side : in));
                    add(reinterpret_cast<std::uintptr_t>(start + layout.origin * static_cast<std::int64_t>(size_of(layout.type))));
                }
            add(key);
            reinterpret_cast<void (*)(const void*, std::int64_t, std::int64_t)>(library_.find(kernel.symbol))(arguments.data(), first,
                                                                                                              last);
            return;
        }
        throw std::runtime_error("no function " + function);
    }

    Prepared prepared_;
    std::vector<ViewChoice> views_;
    SharedLibrary library_;
    std::map<std::pair<std::size_t, Side>, Space> spaces_;
};

} // namespace tessera::test

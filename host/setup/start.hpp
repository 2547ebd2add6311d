// How the first state of a run is made, besides its init functions.
#pragma once

#include "host/run_file/first_values.hpp"
#include "host/run_file/where.hpp"
#include "host/setup/agents_file.hpp"
#include "host/setup/ids.hpp"
#include "host/setup/link_table.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct CollectionStart {
    std::vector<run_file::Named<std::vector<run_file::Located<run_file::InitStep>>>> init; // member -> applied in this order
    // Of agents: how many there are, and where. A file has all of them.
    std::optional<run_file::Located<std::uint64_t>> count;
    run_file::Located<run_file::StartingPlaces> place;
    std::optional<run_file::Located<run_file::Box>> box;
    std::shared_ptr<const AgentsFile> file;
    std::shared_ptr<const LinkTable> links; // of links: all of them

    // How many agents there are on a grid of so many places.
    [[nodiscard]] std::uint64_t agents_on(std::int64_t places) const noexcept {
        if (file) return file->size();
        if (*place == run_file::StartingPlaces::each) return static_cast<std::uint64_t>(places);
        return count ? **count : 0;
    }
};

struct Start {
    std::vector<CollectionStart> collections; // by their numbers
    std::filesystem::path folder;             // what names of files are relative to

    [[nodiscard]] const CollectionStart& operator[](CollectionId collection) const { return collections[collection.index()]; }
    [[nodiscard]] std::filesystem::path resolve(const std::string& named) const {
        const std::filesystem::path given(named);
        return given.is_absolute() ? given : folder / given;
    }
};

} // namespace tessera

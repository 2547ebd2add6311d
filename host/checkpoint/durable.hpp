// Folders that are there whole or not at all, whatever becomes of the machine.
#pragma once

#include "host/outputs/result_folder.hpp"

#include <filesystem>
#include <string>

namespace tessera::checkpoint {

// A folder below a result folder that has a temporary name until it is finished. Destroyed before, nothing of it stays.
class NewFolder {
public:
    // In the folder `in` of the results; empty: in these themselves. Throws Failure::output.
    NewFolder(const ResultFolder& results, std::string in);
    ~NewFolder();
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;

    // Where it is meanwhile, relative to the results.
    [[nodiscard]] const std::string& way() const noexcept { return way_; }

    // Gives it its name, in place of a folder that had it. Its files are on the disk by now; the folder itself, and those that it is in,
    // are when this returns.
    void commit(const std::string& name);

private:
    void put_in_place_of(int folder, const std::string& name, const std::filesystem::path& shown) const;

    const ResultFolder& results_;
    std::string in_, temporary_, way_;
    bool is_there_ = true;
};

// A file in a folder of the results that may not be there; nothing is made. Throws Failure::input where the folder is not there.
[[nodiscard]] FilePlace existing_place(const ResultFolder& results, const std::string& in, const std::string& name);

} // namespace tessera::checkpoint

// `tessera new`: a folder with a model that runs, from the templates that are installed with this program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

struct NewModel {
    std::string name; // of the model, and of the folder that is made
    bool agents = false;
    bool library = false; // with what builds a library of it
};

// Makes the folder in `parent`; the files that are in it. Throws Failure::usage for a name that no model can have, Failure::output where
// something of that name is there already, or it cannot be written. Nothing is left of a folder that could not be made whole.
std::vector<std::filesystem::path> new_model(const NewModel& wanted, const std::filesystem::path& parent);

} // namespace tessera

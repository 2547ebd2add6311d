// The description that a library without source has of its model.
#pragma once

#include "host/prepare/prepare.hpp"

#include <map>
#include <optional>
#include <string>

namespace tessera {

// It says how far functions see. Where a parameter that decides this has another value in the runs of the library than its default, the
// library has the description that is made with that value.
class DescriptionOfRuns {
public:
    explicit DescriptionOfRuns(model::Model& library) : library_(library) {}

    // Takes a run of the library, prepared for other devices and for one CPU; these and the library then have one description. Throws
    // Failure::input where another run sees less far, or further.
    void add(const std::string& run_file, const Prepared& run, const Prepared& of_one_cpu, jit::Compiler& compiler);

private:
    model::Model& library_;
    std::optional<std::map<std::string, std::string>> values_; // of the run before
    std::string text_;                                         // the same in words
};

} // namespace tessera

// A name within a collection.
#pragma once

#include <string>

namespace tessera::run_file {

// "cell.alive", "cell.tick": a member or a function of a collection.
struct QualifiedName {
    std::string collection;
    std::string member;
    friend bool operator==(const QualifiedName&, const QualifiedName&) = default;
};

} // namespace tessera::run_file

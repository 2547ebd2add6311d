// What a run writes.
#pragma once

#include "host/run_file/expression.hpp"
#include "host/run_file/file_name.hpp"
#include "host/run_file/qualified_name.hpp"
#include "host/run_file/timing.hpp"
#include "host/run_file/where.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera::run_file {

// A row each time it is written; columns in the order of the run file.
struct Csv {
    std::vector<Named<Located<expression::Expression>>> columns;
    friend bool operator==(const Csv&, const Csv&) = default;
};

struct Npy {
    Located<QualifiedName> attribute;
    friend bool operator==(const Npy&, const Npy&) = default;
};

// How agents are drawn over a picture: in one colour, or as a colour map has the values of a member.
struct OverlayStyle {
    std::optional<Located<std::string>> colour;
    std::optional<Located<std::string>> member;
    Located<std::string> colours;             // the name of a colour map, with a member
    std::optional<Located<double>> low, high; // the values at the map's ends; absent: those of the state
    friend bool operator==(const OverlayStyle&, const OverlayStyle&) = default;
};

struct Png {
    std::optional<Located<QualifiedName>> attribute; // absent: all white, below an overlay
    Located<std::string> colours;                    // the name of a colour map
    std::optional<Located<double>> low, high;        // the values at the map's ends; absent: those of the state
    Located<std::uint64_t> scale{1, {}};             // pixels a place, along each side
    std::optional<Located<std::uint64_t>> slice;     // z, of a 3-D grid
    std::optional<Located<std::uint64_t>> element;   // of an array member
    std::vector<Named<OverlayStyle>> overlay;        // collections of agents, and how they are drawn over it
    friend bool operator==(const Png&, const Png&) = default;
};

// A row an agent, in the order of their ids; a table of numbers as text, or an array of records for NumPy.
struct AgentRows {
    Located<std::string> collection;
    bool as_npy = false; // by the file's name
    friend bool operator==(const AgentRows&, const AgentRows&) = default;
};

// A row a link, in their order; likewise.
struct LinkRows {
    Located<std::string> collection;
    bool as_npy = false;
    friend bool operator==(const LinkRows&, const LinkRows&) = default;
};

struct Output {
    Located<FileName> file;
    Timing timing;
    std::variant<Csv, Npy, Png, AgentRows, LinkRows> content;
    friend bool operator==(const Output&, const Output&) = default;
};

} // namespace tessera::run_file

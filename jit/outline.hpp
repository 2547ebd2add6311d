// What a model's text declares, found lexically: it works on a text that does not compile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::jit {

// A function of the model: TESSERA_CALL(Cell, tick, reads<&Cell::heat>) { ... }, or another macro of the SDK that is followed by a body.
struct CallSite {
    std::string row, function, access;  // "Cell", "tick", "reads<&Cell::heat>": blanks as one writes them
    int first_line = 0, last_line = 0;  // from the macro's name to the closing brace
    std::size_t body = 0, body_end = 0; // in the text: from the opening brace to behind the closing one
    bool has_directives = false;        // within the body
};

// A row and its members: TESSERA_PLACE(Cell, alive, heat), or TESSERA_AGENT(Ant, on<Field>, sugar).
struct RowDeclaration {
    std::string row;
    std::string ground; // of agents: the row of the places that they stand on
    std::vector<std::string> members;
};

struct Outline {
    std::vector<CallSite> functions;
    std::vector<RowDeclaration> rows;

    // The function whose text has this line; nullptr when there is none.
    [[nodiscard]] const CallSite* function_at(int line) const noexcept;
    [[nodiscard]] const RowDeclaration* find_row(std::string_view row) const noexcept;
};

[[nodiscard]] Outline outline_of(std::string_view text);

// The entries of an access list: "reads<&Cell::a, &Cell::b>", "writes<&Cell::c>".
[[nodiscard]] std::vector<std::string> access_entries(std::string_view access);

} // namespace tessera::jit

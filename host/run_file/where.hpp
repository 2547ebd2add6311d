// Where in a run file a value stands.
#pragma once

#include <string>
#include <utility>

namespace tessera::run_file {

// Line and column count from 1, columns in characters. Line 0: not from a file but from the command line, and `file` is then what the user
// typed there ("--set run.steps=5").
struct Where {
    std::string file;
    int line = 0;
    int column = 0;
};

// "life.toml:3:8", or what was typed on the command line.
[[nodiscard]] std::string to_string(const Where& where);

// "life.toml:3:8: " before an error of a run that has begun; empty for what was typed on the command line.
[[nodiscard]] std::string in_file(const Where& where);

// A value and where it was written. Two are equal when their values are.
template<class T> struct Located {
    T value{};
    Where where;

    [[nodiscard]] const T& operator*() const noexcept { return value; }
    [[nodiscard]] const T* operator->() const noexcept { return &value; }
    friend bool operator==(const Located& a, const Located& b) { return a.value == b.value; }
};

// A name that the user chose, or that a model knows, and what it stands for.
template<class T> struct Named {
    Located<std::string> name;
    T value{};

    friend bool operator==(const Named& a, const Named& b) { return a.name == b.name && a.value == b.value; }
};

// Throws an Error whose problem starts with the place: of Failure::input, or Failure::usage for what was typed on the command line.
[[noreturn]] void fail_at(const Where& where, const std::string& problem, const std::string& why = {}, const std::string& suggestion = {});

} // namespace tessera::run_file

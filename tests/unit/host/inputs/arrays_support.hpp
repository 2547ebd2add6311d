// What the tests of arrays, inputs and outputs share.
#pragma once

#include "device_runtime/error.hpp"
#include "host/array.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>

namespace tessera::test {

inline std::filesystem::path data_file(const std::string& name) { return test_data("data/arrays/" + name); }

inline std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void put(const std::filesystem::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// What the error says, with its kind in front: "3: a.csv:2:5: ..."; "no error" if there is none.
inline std::string error_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        return std::to_string(error.exit_status()) + ": " + error.what();
    }
    return "no error";
}

template<class T> Array array_of(const std::vector<T>& values, std::array<std::int64_t, 3> size, int dimensions, int elements = 1) {
    Array array = make_array(Array::scalar_of<T>(), size, dimensions, elements, "test");
    std::copy(values.begin(), values.end(), array.data<T>().begin());
    return array;
}

template<class T> std::vector<T> values_of(const Array& array) {
    const auto values = array.data<T>();
    return {values.begin(), values.end()};
}

// Changes, removes, doubles or inserts bytes at a few places.
inline std::string damaged(std::string bytes) {
    const int damages = *rc::gen::inRange(1, 5);
    for (int i = 0; i < damages && !bytes.empty(); ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
        switch (*rc::gen::inRange(0, 5)) {
        case 0: bytes[at] = *rc::gen::arbitrary<char>(); break;
        case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << *rc::gen::inRange(0, 8))); break;
        case 2: bytes.erase(at, *rc::gen::inRange<std::size_t>(1, 20)); break;
        case 3: bytes.insert(at, bytes.substr(at, *rc::gen::inRange<std::size_t>(1, 20))); break;
        default: bytes.resize(at); break;
        }
    }
    return bytes;
}

// Reading damaged bytes either works or is an input (or memory) error.
inline void never_breaks(const std::string& intact, const std::function<void(const std::string&)>& read) {
    EXPECT_TRUE(rc::check("damaged input is read or refused", [&] {
        const std::string bytes = damaged(intact);
        try {
            read(bytes);
        } catch (const Error& error) {
            RC_ASSERT(error.kind() == Failure::input || error.kind() == Failure::memory);
        }
    }));
}

} // namespace tessera::test

#include "host/bind/read_degrees.hpp"

#include "device_runtime/error.hpp"
#include "host/inputs/read_array.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

void expect_one_each(const ArrayShape& shape, const run_file::Located<std::string>& file, const std::string& places, std::int64_t count) {
    const bool is_line = (shape.size[0] == 1 || shape.size[1] == 1) && shape.size[2] == 1 && shape.elements == 1;
    if (!is_line)
        run_file::fail_at(file.where, fmt::format("{} is no list of numbers", *file),
                          fmt::format("it has {} columns and {} rows", shape.size[0], shape.size[1]), "give each place one number");
    if (shape.places() != count)
        run_file::fail_at(file.where, fmt::format("{} has {} numbers", *file, shape.places()),
                          fmt::format("{} has {} places", places, count), "give each place one number");
}

Array array_in(const run_file::Located<std::string>& file, const std::string& path, std::int64_t count) {
    ReadOptions options;
    options.places = count;
    try {
        return read_array(path, options);
    } catch (const Error& error) {
        run_file::fail_at(file.where, "cannot read the degrees of places", error.what());
    }
}

} // namespace

std::vector<std::int64_t> read_degrees(const run_file::Located<std::string>& file, const std::string& path, const std::string& places,
                                       std::int64_t count) {
    const auto array = array_in(file, path, count);
    expect_one_each(array, file, places, count);
    try {
        const auto numbers = array.converted(Scalar::u32, path); // whole, and none below 0
        const auto values = numbers.data<std::uint32_t>();
        return {values.begin(), values.end()};
    } catch (const Error& error) {
        run_file::fail_at(file.where, "cannot read the degrees of places", error.what(), "give each place a whole number, 0 or more");
    }
}

} // namespace tessera

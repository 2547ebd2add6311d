// The reduces of a run as data, for kernels that go with any run (kernels/reduce/any_reduce.hpp).
#pragma once

#include "host/setup/setup.hpp"
#include "kernels/launch/arguments.hpp"
#include "kernels/reduce/reduce_code.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

class ReduceCode {
public:
    ReduceCode() = default; // of no reduces
    explicit ReduceCode(const Setup& setup);

    // All of it, as it has to stand on a device, and one reduce of it where it stands there.
    [[nodiscard]] std::vector<std::byte> bytes() const;
    [[nodiscard]] reduce_code at(const void* address, ReductionId reduction) const;
    // Whether all that is added up of a collection for a reduce is of the kinds that have loops of their own (plain_reduce.hpp).
    [[nodiscard]] bool is_plain(ReductionId reduction, CollectionId collection) const;

private:
    struct Range {
        std::size_t part, parts, value, values;
        int words;
    };
    std::vector<reduce_instruction> instructions_;
    std::vector<reduce_part> parts_; // of all reduces, one after the other
    std::vector<reduce_value> values_;
    std::vector<Range> ranges_; // by reduce
};

// The text that stands behind a prelude of its own, for kernels that have nothing of a model, and its entry points.
[[nodiscard]] std::string prelude_without_model();
[[nodiscard]] std::string any_reduce_epilogue();
inline constexpr const char* any_reduce_symbol = "tessera_any_reduce";     // adds up: any_reduce_arguments
inline constexpr const char* plain_reduce_symbol = "tessera_plain_reduce"; // likewise, where ReduceCode::is_plain
inline constexpr const char* any_join_symbol = "tessera_any_join";         // any_join_arguments

// Why a reduce cannot be told so: "`...` takes 9 intermediate values at a time, and 8 are the most there"; nothing if all can.
[[nodiscard]] std::string obstacle_to_reduce_code(const Setup& setup);

} // namespace tessera

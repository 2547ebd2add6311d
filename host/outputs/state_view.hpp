// One state as outputs and conditions see it: columns by name, each fetched from the device once.
#pragma once

#include "host/array.hpp"
#include "host/run_file/expression.hpp"
#include "host/setup/names.hpp"

#include <cstdint>
#include <functional>
#include <map>

namespace tessera {

class ThreadPool;

class StateView : public expression::Columns {
public:
    using Read = std::function<Array(ColumnId)>;

    // `setup` and `pool` must outlive the view. The view is of the state `step` for as long as the state is not changed.
    StateView(const Setup& setup, std::uint64_t step, Read read, ThreadPool& pool)
        : setup_(setup), step_(step), read_(std::move(read)), pool_(pool) {}

    [[nodiscard]] std::uint64_t step() const noexcept { return step_; }
    [[nodiscard]] const Array& array(ColumnId column) const;
    [[nodiscard]] expression::ColumnSpan column(const expression::Attribute& attribute) const override;
    [[nodiscard]] expression::Value evaluate(const expression::Expression& expression) const;

private:
    const Setup& setup_;
    std::uint64_t step_;
    Read read_;
    ThreadPool& pool_;
    mutable std::map<ColumnId, Array> arrays_;
};

} // namespace tessera

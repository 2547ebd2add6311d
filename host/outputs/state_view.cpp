#include "host/outputs/state_view.hpp"

#include "device_runtime/thread_pool.hpp"

namespace tessera {

const Array& StateView::array(ColumnId column) const {
    auto found = arrays_.find(column);
    if (found == arrays_.end()) found = arrays_.emplace(column, read_(column)).first;
    return found->second;
}

expression::ColumnSpan StateView::column(const expression::Attribute& attribute) const {
    const auto& values = array(require_column(setup_, {{attribute.collection, attribute.member}, {}}));
    const auto places = static_cast<std::uint64_t>(values.count() / values.elements);
    const auto skip = static_cast<std::uint64_t>(attribute.element.value_or(0)) * places * size_of(values.type);
    return {values.type, values.bytes.data() + skip, places};
}

expression::Value StateView::evaluate(const expression::Expression& expression) const {
    return expression::evaluate(expression, *this, step_,
                                [this](std::int64_t items, const std::function<void(std::int64_t, std::int64_t)>& body) {
                                    pool_.run(items, [&](std::int64_t first, std::int64_t last) { body(first, last); });
                                });
}

} // namespace tessera

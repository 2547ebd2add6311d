#include "host/generate/numbered.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

std::string link_row_type(const model::Row& row) { return "tessera_model::" + (row.scope.empty() ? "" : row.scope + "::") + row.name; }

const char* side_name(model::LinkSide side) {
    switch (side) {
    case model::LinkSide::in: return "in";
    case model::LinkSide::out: return "out";
    case model::LinkSide::both: break;
    }
    return "both";
}

// Which of a kernel's arguments a column is.
int argument_for(const KernelSetup& kernel, ColumnId column) {
    for (std::size_t i = 0; i < kernel.accesses.size(); ++i)
        if (kernel.accesses[i].column == column) return static_cast<int>(i);
    return -1;
}

// Values of an array of C++, which has one at least.
class ValueList {
public:
    template<class T> void add(T value) { text_ += fmt::format("{}{}", text_.empty() ? "" : ", ", value); }
    [[nodiscard]] std::string text() const { return text_.empty() ? "-1" : text_; }

private:
    std::string text_;
};

std::string columns_source(const Setup& setup, const KernelSetup& kernel, const model::LinkUse& use, const std::string& function) {
    const auto id = links_at(setup, kernel.collection, use).front();
    const auto& collection = setup.collections[id];
    const auto& list = *collection.links->find(use.side);
    const auto far = use.side == model::LinkSide::out ? collection.links->to : collection.links->from;
    ValueList link, elements, end;
    for (std::size_t m = 0; m < setup.row_of(collection).members.size(); ++m) {
        const auto found = std::find_if(list.members.begin(), list.members.end(), [m](const auto& named) { return named.first == m; });
        link.add(found == list.members.end() ? -1 : argument_for(kernel, setup.column_of(id, found->second)));
        elements.add(found == list.members.end() ? 0 : collection.columns[found->second].layout.element);
    }
    const auto& seen = use.end_members;
    for (std::size_t m = 0; m < setup.row_of(setup.collections[far]).members.size(); ++m)
        end.add(std::find(seen.begin(), seen.end(), m) == seen.end() ? -1 : argument_for(kernel, setup.column_of(far, m)));
    return fmt::format(R"(template<> struct tessera::link_columns<{}, tessera::link_list<{}, tessera::link_side::{}>> {{
    using end_grid = {};
    static constexpr int start = {}, other = {};
    static constexpr int link[] = {{{}}}, end[] = {{{}}};
    static constexpr std::int64_t element[] = {{{}}};
}};
)",
                       function, link_row_type(setup.description().rows[use.row]), side_name(use.side), grid_type(setup.collections[far]),
                       argument_for(kernel, setup.column_of(id, list.start)), argument_for(kernel, setup.column_of(id, list.other)),
                       link.text(), end.text(), elements.text());
}

} // namespace

ViewChoice numbered_view(const CollectionSetup& collection) {
    auto view = direct_view(collection);
    view.kind = ViewChoice::Kind::numbered;
    return view;
}

std::string numbered_source(const Setup& setup, const KernelSetup& kernel, const ViewChoice& view) {
    const auto& function = setup.function_of(kernel);
    auto type = function_type(setup, kernel);
    std::string text;
    if (!function.link_uses.empty()) {
        const auto of_row = std::count_if(kernel.accesses.begin(), kernel.accesses.end(), [&](const Access& access) {
            const auto& place = setup.columns[access.column];
            return place.collection == kernel.collection && std::any_of(function.accesses.begin(), function.accesses.end(),
                                                                        [&](const auto& named) { return named.member == place.member; });
        });
        const auto linked = kernel.symbol + "_along_links";
        text = fmt::format("struct {} : {} {{\n    static constexpr int tessera_link_arguments = {};\n}};\n", linked, type,
                           static_cast<std::ptrdiff_t>(kernel.accesses.size()) - of_row);
        for (const auto& use : function.link_uses) text += columns_source(setup, kernel, use, linked);
        type = linked;
    }
    return text + fmt::format("TESSERA_ENTRY({}, {}, call_numbered<{}, {}, {}>)\n", kernel.symbol, type, type,
                              grid_type(setup.collections[kernel.collection]), view.width);
}

} // namespace tessera

#include "host/storage/changing_links.hpp"

#include "host/manage/ordered_list.hpp"
#include "host/storage/accesses.hpp"
#include "host/storage/link_kinds.hpp"
#include "host/storage/storage.hpp"

namespace tessera {
namespace {

class ManagedLinks : public KernelKind {
public:
    [[nodiscard]] const char* name() const noexcept override { return "links"; }
    [[nodiscard]] std::string explained() const override {
        return "one over the links, which removes those that have died, puts those that are born where they belong, and makes the lists "
               "anew";
    }
    [[nodiscard]] std::optional<ListWork> list_work() const noexcept override { return ListWork::links; }
    [[nodiscard]] bool is_of_all_rows() const noexcept override { return true; }
    [[nodiscard]] LaunchShape shape(const Setup&, const KernelSetup&, const RowRange&) const override { return {}; }
    // All columns of the collection in their order.
    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        std::vector<Access> accesses;
        for (std::size_t c = 0; c < setup.collections[kernel.collection].columns.size(); ++c)
            accesses.push_back({setup.column_of(kernel.collection, c), changing()});
        return accesses;
    }
};

const KernelKind& kind_of_managed_links() {
    static const ManagedLinks kind;
    return kind;
}

ListColumn column_at(const CollectionSetup& collection, std::size_t column) {
    const auto& layout = collection.columns[column].layout;
    return {static_cast<int>(column), static_cast<int>(size_of(layout.type)), layout.elements, layout.element, layout.row, layout.plane};
}
ListColumn column_at(const CollectionSetup& collection, std::optional<std::size_t> column) {
    return column ? column_at(collection, *column) : ListColumn{};
}

LinkWishes wishes_of(const Setup& setup, const CollectionSetup& collection, const LinkSource& source) {
    LinkWishes wishes;
    auto column = source.column;
    wishes.asked = column_at(collection, column++);
    wishes.from = column_at(collection, column++);
    wishes.to = column_at(collection, column++);
    for (std::size_t m = 0; m < setup.row_of(collection).members.size(); ++m) wishes.members.push_back(column_at(collection, column++));
    if (setup.collections[source.authors].agents) wishes.author = column_at(collection, column);
    wishes.authors = authors_of(setup, source);
    wishes.calls = source.calls;
    wishes.phase = static_cast<int>(source.phase.index()) + 1;
    return wishes;
}

} // namespace

LinksPlan links_plan(const Setup& setup, CollectionId id) {
    const auto& collection = setup.collections[id];
    const auto& links = *collection.links;
    LinksPlan plan;
    plan.room = *collection.count;
    plan.from_places = setup.collections[links.from].places();
    plan.to_places = setup.collections[links.to].places();
    plan.is_directed = links.is_directed;
    plan.parallel = links.parallel;
    plan.loops = links.loops;
    const auto ends = collection.find_column(Role::link_end).value();
    plan.from = column_at(collection, ends);
    plan.to = column_at(collection, ends + 1);
    plan.dying = column_at(collection, collection.find_column(Role::link_dying));
    plan.count = column_at(collection, collection.find_column(Role::link_count));
    for (std::size_t m = 0; m < setup.row_of(collection).members.size(); ++m) plan.members.push_back(column_at(collection, m));
    for (const auto& list : links.lists)
        plan.lists.push_back({list.side, column_at(collection, list.start), column_at(collection, list.other),
                              column_at(collection, list.number), list.side == model::LinkSide::out ? plan.from_places : plan.to_places});
    for (const auto& source : links.sources) plan.wishes.push_back(wishes_of(setup, collection, source));
    plan.launch.columns = static_cast<int>(collection.columns.size());
    return plan;
}

void add_kernels_of_links(Setup& setup, CollectionId links, std::vector<KernelId>& kernels) {
    if (find_work(setup.collections[links], LinkWork::totals)) return add_link_kernels(setup, links, kernels);
    kernels.push_back(manage_kernel(setup, links, kind_of_managed_links()));
}

} // namespace tessera

#include "host/storage/link_kinds.hpp"

#include "host/run_file/where.hpp"
#include "host/storage/accesses.hpp"
#include "host/storage/storage.hpp"
#include "kernels/agents/code_blocks.hpp"
#include "kernels/agents/link_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr std::int64_t numbers_a_chunk = 1024; // as kernels/agents/list_parts.hpp has them
constexpr std::int64_t most_link_blocks = 4096;

std::int64_t most_authors(const Setup& setup, const CollectionSetup& links) {
    std::int64_t most = 0;
    for (const auto& source : links.links->sources) most = std::max(most, authors_of(setup, source));
    return most;
}
std::int64_t rows_of_other_list(const CollectionSetup& links) {
    const auto* const list = other_list(links);
    return list == nullptr ? 0 : *links.count * (list->side == model::LinkSide::both ? 2 : 1);
}
std::int64_t places_of_list(const Setup& setup, const CollectionSetup& links, const LinkList& list) {
    return setup.collections[list.side == model::LinkSide::out ? links.links->from : links.links->to].places();
}

std::int64_t blocks_of_summed(const Setup& setup, const CollectionSetup& links) {
    auto blocks = blocks_of_links(words_of_links(*links.count));
    for (const auto& source : links.links->sources) blocks += blocks_of_links(authors_of(setup, source));
    return blocks;
}

// What a part goes over: blocks, each of which a block of threads has to itself, and numbers of which a thread may have several.
struct Extent {
    std::int64_t blocks = 0, numbers = 0;
};

class LinkPart : public KernelKind {
public:
    using ExtentOf = Extent (*)(const Setup&, const CollectionSetup&);
    using IsMoved = bool (*)(Role);
    LinkPart(const char* name, const char* explained, ExtentOf extent, IsMoved is_moved = nullptr, Number number = Number::one)
        : name_(name), explained_(explained), extent_(extent), is_moved_(is_moved), number_(number) {}

    [[nodiscard]] const char* name() const noexcept override { return name_; }
    [[nodiscard]] std::string explained() const override { return explained_; }
    [[nodiscard]] std::string entry(const Setup&, const KernelSetup&) const override { return name_; }
    [[nodiscard]] Number number() const noexcept override { return number_; }
    [[nodiscard]] bool is_of_all_rows() const noexcept override { return true; }
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        const auto extent = extent_(setup, setup.collections[kernel.collection]);
        LaunchShape shape;
        shape.items = std::max({extent.blocks, (extent.numbers + numbers_a_chunk - 1) / numbers_a_chunk, std::int64_t{1}});
        shape.block = {static_cast<unsigned>(agent_threads), 1, 1};
        const auto of_numbers = std::min((extent.numbers + agent_threads - 1) / agent_threads, most_link_blocks);
        shape.grid[0] = static_cast<unsigned>(std::max({extent.blocks, of_numbers, std::int64_t{1}}));
        return shape;
    }
    // All columns of the collection in their order; those that move go from one buffer to the other.
    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        const auto& columns = setup.collections[kernel.collection].columns;
        std::vector<Access> accesses;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            auto use = changing();
            use.around = is_moved_ != nullptr && is_moved_(columns[c].role);
            accesses.push_back({setup.column_of(kernel.collection, c), use});
        }
        // The list's columns of other ends move with the list: those of the list in the order of the links with these.
        if (is_moved_ != nullptr) keep_others(setup.collections[kernel.collection], accesses);
        return accesses;
    }

private:
    void keep_others(const CollectionSetup& collection, std::vector<Access>& accesses) const {
        const bool moves_rows = is_moved_(Role::link_end);
        for (const auto& list : collection.links->lists)
            if ((list.side == model::LinkSide::in) != moves_rows) accesses[list.other].use.around = false;
    }

    const char *name_, *explained_;
    ExtentOf extent_;
    IsMoved is_moved_;
    Number number_;
};

bool moves_with_rows(Role role) { return role == Role::member || role == Role::link_end || role == Role::link_other; }
bool moves_with_list(Role role) { return role == Role::link_number || role == Role::link_other; }

const KernelKind& kind_of_summed_links() {
    static const LinkPart kind("sum_links", "running sums over the links that stay and those that are wanted, in two passes",
                               [](const Setup& setup, const CollectionSetup& links) {
                                   return Extent{blocks_of_summed(setup, links), 0};
                               });
    return kind;
}
const KernelKind& kind_of_collected_links() {
    static const LinkPart kind("collect_links", "", [](const Setup& setup, const CollectionSetup& links) {
        return Extent{blocks_of_summed(setup, links), 0};
    });
    return kind;
}
Extent blocks_of_born(const Setup& setup, const CollectionSetup& links) { return {blocks_of_links(most_born(setup, links)), 0}; }
const KernelKind& kind_of_sorted_links() {
    static const LinkPart kind("sort_links", "several that sort those that are wanted by their ends",
                               [](const Setup& setup, const CollectionSetup& links) {
                                   return Extent{runs_of_links(most_born(setup, links)), 0};
                               });
    return kind;
}
const KernelKind& kind_of_merged_links() {
    static const LinkPart kind(
        "merge_links", "",
        [](const Setup& setup, const CollectionSetup& links) {
            return Extent{0, most_born(setup, links)};
        },
        nullptr, KernelKind::Number::round);
    return kind;
}
const KernelKind& kind_of_judged_links() {
    static const LinkPart kind("judge_links", "two that look each up among the links and number those that are born", blocks_of_born);
    return kind;
}
const KernelKind& kind_of_entered_links() {
    static const LinkPart kind("enter_links", "", blocks_of_born);
    return kind;
}
const KernelKind& kind_of_placed_links() {
    static const LinkPart kind("place_links", "one over the places", [](const Setup& setup, const CollectionSetup& links) {
        return Extent{0, std::max(words_of_links(*links.count), setup.collections[links.links->to].places()) + 1};
    });
    return kind;
}
const KernelKind& kind_of_settled_links() {
    static const LinkPart kind(
        "settle_links", "one over the links, which copies each to its own position",
        [](const Setup& setup, const CollectionSetup& links) {
            return Extent{0, std::max({*links.count, most_born(setup, links), most_authors(setup, links)})};
        },
        moves_with_rows);
    return kind;
}
const KernelKind& kind_of_finished_links() {
    static const LinkPart kind("finish_links", "", [](const Setup&, const CollectionSetup&) { return Extent{0, 1}; });
    return kind;
}

// ---- of the other list

const KernelKind& kind_of_summed_list_links() {
    static const LinkPart kind("sum_list_links", "the same over the rows of their list",
                               [](const Setup& setup, const CollectionSetup& links) {
                                   return Extent{blocks_of_links(words_of_links(rows_of_other_list(links))), most_born(setup, links)};
                               });
    return kind;
}
const KernelKind& kind_of_collected_list_links() {
    static const LinkPart kind("collect_list_links", "", [](const Setup&, const CollectionSetup& links) {
        return Extent{blocks_of_links(words_of_links(rows_of_other_list(links))), 0};
    });
    return kind;
}
const KernelKind& kind_of_sorted_list_links() {
    static const LinkPart kind("sort_list_links", "", [](const Setup& setup, const CollectionSetup& links) {
        return Extent{runs_of_links(most_sorted(setup, links)), 0};
    });
    return kind;
}
Extent numbers_of_sorted(const Setup& setup, const CollectionSetup& links) { return {0, most_sorted(setup, links)}; }
const KernelKind& kind_of_merged_list_links() {
    static const LinkPart kind("merge_list_links", "", numbers_of_sorted, nullptr, KernelKind::Number::round);
    return kind;
}
const KernelKind& kind_of_judged_list_links() {
    static const LinkPart kind("judge_list_links", "", numbers_of_sorted);
    return kind;
}
const KernelKind& kind_of_placed_list_links() {
    static const LinkPart kind("place_list_links", "", [](const Setup& setup, const CollectionSetup& links) {
        return Extent{0, std::max(words_of_links(rows_of_other_list(links)), places_of_list(setup, links, *other_list(links))) + 1};
    });
    return kind;
}
const KernelKind& kind_of_settled_list_links() {
    static const LinkPart kind(
        "settle_list_links", "",
        [](const Setup& setup, const CollectionSetup& links) {
            return Extent{0, std::max(rows_of_other_list(links), most_sorted(setup, links))};
        },
        moves_with_list);
    return kind;
}

} // namespace

std::optional<std::size_t> find_work(const CollectionSetup& links, LinkWork which) {
    const auto first = links.find_column(Role::sum);
    return first ? std::optional(*first + static_cast<std::size_t>(which)) : std::nullopt;
}

std::int64_t authors_of(const Setup& setup, const LinkSource& source) {
    const auto& authors = setup.collections[source.authors];
    if (!authors.agents) return authors.places();
    const auto slots = std::int64_t{authors.agents->capacity};
    return authors.agents->in_list() ? slots : authors.size[0] * authors.size[1] * authors.size[2] * slots;
}
std::int64_t most_born(const Setup& setup, const CollectionSetup& links) {
    std::int64_t most = 0;
    for (const auto& source : links.links->sources) most += authors_of(setup, source) * source.calls;
    return most;
}
std::int64_t most_sorted(const Setup& setup, const CollectionSetup& links) {
    return most_born(setup, links) * (links.links->find(model::LinkSide::both) != nullptr ? 2 : 1);
}
const LinkList* other_list(const CollectionSetup& links) {
    const auto* const out = links.links->find(model::LinkSide::out);
    return out != nullptr ? out : links.links->find(model::LinkSide::both);
}

void add_link_work(Setup& setup, CollectionId id) {
    auto& links = setup.collections[id];
    const auto born = most_born(setup, links), sorted = most_sorted(setup, links);
    if (sorted >= std::int64_t{1} << 30)
        run_file::fail_at(links.where, fmt::format("too many links of {} may be wanted at once", links.name),
                          fmt::format("their functions could ask for {}", born),
                          "let fewer places, or calls, want them: together fewer than 2^30, or 2^29 of links without a direction");
    const auto words = words_of_links(*links.count) + 1, list_words = words_of_links(rows_of_other_list(links)) + 1;
    const auto sums = std::max({blocks_of_summed(setup, links), blocks_of_links(list_words), blocks_of_links(born)});
    const auto add = [&](const char* name, Scalar type, std::int64_t cells) {
        add_column(links, Role::sum, unnamed_member(name, type, 1), std::max<std::int64_t>(cells, 1));
    };
    add("(totals)", Scalar::i64, link_totals);
    add("(sums)", Scalar::i32, sums);
    add("(bits)", Scalar::i32, words);
    add("(staying)", Scalar::i32, words);
    add("(births)", Scalar::i32, words);
    add("(keys)", Scalar::i64, 2 * sorted);
    add("(refs)", Scalar::i32, 2 * sorted);
    add("(judged)", Scalar::i32, sorted);
    add("(born)", Scalar::i64, born);
    add("(born from)", Scalar::i32, born);
    add("(born at)", Scalar::i32, born);
    if (other_list(links) == nullptr) return;
    add("(bits of list)", Scalar::i32, list_words);
    add("(staying in list)", Scalar::i32, list_words);
    add("(births in list)", Scalar::i32, list_words);
}

void add_link_kernels(Setup& setup, CollectionId id, std::vector<KernelId>& kernels) {
    const auto add = [&](const KernelKind& kind, int round = 0) { kernels.push_back(manage_kernel(setup, id, kind, 0, round)); };
    const auto add_merges = [&](const KernelKind& kind, std::int64_t children) {
        for (int round = 0; round < merges_of_links(children); ++round) add(kind, round);
    };
    const auto born = most_born(setup, setup.collections[id]), sorted = most_sorted(setup, setup.collections[id]);
    add(kind_of_summed_links());
    add(kind_of_collected_links());
    if (born > 0) {
        add(kind_of_sorted_links());
        add_merges(kind_of_merged_links(), born);
        add(kind_of_judged_links());
        add(kind_of_entered_links());
    }
    add(kind_of_placed_links());
    add(kind_of_settled_links());
    if (other_list(setup.collections[id]) != nullptr) {
        add(kind_of_summed_list_links());
        add(kind_of_collected_list_links());
        if (born > 0) {
            add(kind_of_sorted_list_links());
            add_merges(kind_of_merged_list_links(), sorted);
            add(kind_of_judged_list_links());
        }
        add(kind_of_placed_list_links());
        add(kind_of_settled_list_links());
    }
    add(kind_of_finished_links());
}

} // namespace tessera

// manageAll of links, on a CPU: those that want to be no more go, and those that are wanted come, in the order that all links stand in.
// It is compiled with the program and not with each model, for it depends on how columns stand in memory alone.
#pragma once

#include "host/manage/list_plan.hpp"
#include "host/model/description.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

class ListLaunch;

// A phase whose function may want links (LinkSource).
struct LinkWishes {
    ListColumn asked, from, to;
    ListColumn author; // of agents: the ids of those that asked
    std::vector<ListColumn> members;
    std::int64_t authors = 0; // places, or for how many agents there is room
    int calls = 1, phase = 0; // of a call; its number, from 1
};

// A list in which functions go along the links (LinkList).
struct LinkListPlan {
    model::LinkSide side = model::LinkSide::both;
    ListColumn start, other, number;
    std::int64_t places = 0;
};

struct LinksPlan {
    std::int64_t room = 0, from_places = 0, to_places = 0;
    bool is_directed = false, parallel = false, loops = false; // two of the same ends, and of one place, are allowed
    ListColumn from, to, dying, count;
    std::vector<ListColumn> members;
    std::vector<LinkListPlan> lists;
    std::vector<LinkWishes> wishes; // in the order of their phases
    ListPlan launch;                // how many arguments there are
};

class ChangingLinks {
public:
    explicit ChangingLinks(LinksPlan plan) : plan_(std::move(plan)) {}
    ChangingLinks(const ChangingLinks&) = delete;
    ChangingLinks& operator=(const ChangingLinks&) = delete;

    // A kernel of one item, as a launch of the engine's calls it. Its arguments begin with LinksCall.
    static void run(const void* arguments, std::int64_t first, std::int64_t last);

private:
    struct Wish {
        std::uint64_t ends; // where it leads to, and in the lower half where it comes from
        std::size_t source;
        std::int64_t at; // in its columns
    };
    // A link as it will stand: one that there is, or one that is wanted.
    struct Entry {
        std::int64_t row = -1;
        const Wish* wish = nullptr;
    };

    void manage(const ListLaunch& launch);
    [[nodiscard]] bool collect_wishes(const ListLaunch& launch);
    [[nodiscard]] bool add_wishes(const ListLaunch& launch, std::size_t source);
    void find_authors(const ListLaunch& launch, const LinkWishes& wishes);
    void find_staying(const ListLaunch& launch, std::int64_t count);
    void merge(const ListLaunch& launch);
    [[nodiscard]] bool is_refused(std::uint64_t ends, std::uint64_t before) const noexcept;
    void put(const ListLaunch& launch, std::int64_t before);
    void put_column(const ListLaunch& launch, const ListColumn& column, std::size_t member);
    void put_ends(const ListLaunch& launch, std::int64_t before);
    void make_list(const ListLaunch& launch, const LinkListPlan& list) const;
    void forget_wishes(const ListLaunch& launch, std::int64_t before) const;

    const LinksPlan plan_;
    std::vector<std::int64_t> authors_; // of a source, those that have asked, in the order in which they are served
    std::vector<Wish> wishes_;
    std::vector<std::int64_t> staying_; // rows, in order
    std::vector<Entry> entries_;        // all that there will be, in order
    std::vector<std::byte> column_;
    std::uint64_t died_ = 0, born_ = 0, refused_ = 0;
};

// What stands in front of the arguments.
struct LinksCall {
    ChangingLinks* links;
};

} // namespace tessera

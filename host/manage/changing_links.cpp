#include "host/manage/changing_links.hpp"

#include "host/manage/list_launch.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

std::uint64_t ends_of(std::int64_t from, std::int64_t to) noexcept {
    return static_cast<std::uint64_t>(to) << 32 | static_cast<std::uint64_t>(from);
}
std::int32_t source_of_ends(std::uint64_t ends) noexcept { return static_cast<std::int32_t>(ends & 0xffffffff); }
std::int32_t target_of_ends(std::uint64_t ends) noexcept { return static_cast<std::int32_t>(ends >> 32); }

constexpr std::uint64_t no_ends = ~std::uint64_t{0};

} // namespace

void ChangingLinks::run(const void* arguments, std::int64_t, std::int64_t) {
    const auto& call = *static_cast<const LinksCall*>(arguments);
    const ListLaunch launch(call.links->plan_.launch, &call + 1);
    if (!launch.is_over()) call.links->manage(launch);
}

void ChangingLinks::manage(const ListLaunch& launch) {
    auto& count = *launch.column<std::int64_t>(plan_.count);
    died_ = born_ = refused_ = 0;
    if (!collect_wishes(launch)) return;
    find_staying(launch, count);
    if (died_ == 0 && wishes_.empty()) return;
    merge(launch);
    if (static_cast<std::int64_t>(entries_.size()) > plan_.room) return launch.report(outgrows_room, entries_.size());
    const auto before = count;
    put(launch, before);
    count = static_cast<std::int64_t>(entries_.size());
    forget_wishes(launch, before);
    auto& counters = launch.counters();
    counters.died += died_;
    counters.born += born_;
    counters.refused_births += refused_;
}

// In the order in which they are served: of phases, authors, calls. False: one was a fault.
bool ChangingLinks::collect_wishes(const ListLaunch& launch) {
    wishes_.clear();
    for (std::size_t source = 0; source < plan_.wishes.size(); ++source)
        if (!add_wishes(launch, source)) return false;
    std::stable_sort(wishes_.begin(), wishes_.end(), [](const Wish& a, const Wish& b) { return a.ends < b.ends; });
    return true;
}

void ChangingLinks::find_authors(const ListLaunch& launch, const LinkWishes& wishes) {
    authors_.clear();
    const auto* const asked = launch.column<std::int32_t>(wishes.asked);
    for (std::int64_t author = 0; author < wishes.authors; ++author)
        if (asked[author] != 0) authors_.push_back(author);
    const auto* const ids = launch.column<std::uint64_t>(wishes.author);
    const auto is_older = [ids](std::int64_t a, std::int64_t b) { return ids[a] < ids[b]; };
    if (ids != nullptr && !std::is_sorted(authors_.begin(), authors_.end(), is_older))
        std::sort(authors_.begin(), authors_.end(), is_older);
}

bool ChangingLinks::add_wishes(const ListLaunch& launch, std::size_t source) {
    const auto& wishes = plan_.wishes[source];
    find_authors(launch, wishes);
    const auto* const asked = launch.column<std::int32_t>(wishes.asked);
    const auto *const from = launch.column<std::int64_t>(wishes.from), *const to = launch.column<std::int64_t>(wishes.to);
    const auto* const ids = launch.column<std::uint64_t>(wishes.author);
    const auto fail = [&](agent_fault fault, std::int64_t author) {
        launch.report(fault, ids != nullptr ? ids[author] : static_cast<std::uint64_t>(author), static_cast<std::uint64_t>(wishes.phase));
        return false;
    };
    for (const auto author : authors_) {
        if (asked[author] > wishes.calls) return fail(spawns_too_many_links, author);
        for (auto at = author * wishes.calls; at < author * wishes.calls + asked[author]; ++at) {
            if (from[at] < 0 || from[at] >= plan_.from_places || to[at] < 0 || to[at] >= plan_.to_places)
                return fail(links_to_nowhere, author);
            const bool turned = !plan_.is_directed && from[at] > to[at];
            wishes_.push_back({turned ? ends_of(to[at], from[at]) : ends_of(from[at], to[at]), source, at});
        }
    }
    return true;
}

void ChangingLinks::find_staying(const ListLaunch& launch, std::int64_t count) {
    staying_.clear();
    const auto* const dying = launch.column<std::uint8_t>(plan_.dying);
    for (std::int64_t row = 0; row < count; ++row) {
        if (dying != nullptr && dying[row] != 0)
            ++died_;
        else
            staying_.push_back(row);
    }
}

// `before`: the ends of the link in front of it, which is there or was served earlier.
bool ChangingLinks::is_refused(std::uint64_t ends, std::uint64_t before) const noexcept {
    return (!plan_.loops && source_of_ends(ends) == target_of_ends(ends)) || (!plan_.parallel && ends == before);
}

// Those of the same ends stand by their age: those that there are, and then those that are wanted, in the order in which they are served.
void ChangingLinks::merge(const ListLaunch& launch) {
    const auto *const from = launch.column<std::int32_t>(plan_.from), *const to = launch.column<std::int32_t>(plan_.to);
    entries_.clear();
    auto before = no_ends;
    std::size_t next = 0;
    const auto add_wished = [&](const Wish& wish) {
        if (is_refused(wish.ends, before)) return void(++refused_);
        ++born_;
        entries_.push_back({-1, &wish});
        before = wish.ends;
    };
    for (const auto row : staying_) {
        const auto ends = ends_of(from[row], to[row]);
        for (; next < wishes_.size() && wishes_[next].ends < ends; ++next) add_wished(wishes_[next]);
        entries_.push_back({row, nullptr});
        before = ends;
    }
    for (; next < wishes_.size(); ++next) add_wished(wishes_[next]);
}

void ChangingLinks::put(const ListLaunch& launch, std::int64_t before) {
    for (std::size_t member = 0; member < plan_.members.size(); ++member) put_column(launch, plan_.members[member], member);
    put_ends(launch, before);
    for (const auto& list : plan_.lists) make_list(launch, list);
}

void ChangingLinks::put_column(const ListLaunch& launch, const ListColumn& column, std::size_t member) {
    const auto bytes = static_cast<std::size_t>(column.bytes);
    column_.resize(entries_.size() * bytes);
    for (int e = 0; e < column.elements; ++e) {
        auto* const values = launch.bytes(column) + static_cast<std::size_t>(e * column.stride) * bytes;
        auto* into = column_.data();
        for (const auto& entry : entries_) {
            if (entry.wish == nullptr) {
                std::memcpy(into, values + static_cast<std::size_t>(entry.row) * bytes, bytes);
            } else {
                const auto& wished = plan_.wishes[entry.wish->source].members[member];
                std::memcpy(into, launch.bytes(wished) + static_cast<std::size_t>(entry.wish->at + e * wished.stride) * bytes, bytes);
            }
            into += bytes;
        }
        if (!column_.empty()) std::memcpy(values, column_.data(), column_.size());
    }
}

void ChangingLinks::put_ends(const ListLaunch& launch, std::int64_t before) {
    auto *const from = launch.column<std::int32_t>(plan_.from), *const to = launch.column<std::int32_t>(plan_.to);
    std::vector<std::uint64_t> ends;
    ends.reserve(entries_.size());
    for (const auto& entry : entries_) ends.push_back(entry.wish != nullptr ? entry.wish->ends : ends_of(from[entry.row], to[entry.row]));
    for (std::size_t i = 0; i < ends.size(); ++i) from[i] = source_of_ends(ends[i]), to[i] = target_of_ends(ends[i]);
    for (auto row = static_cast<std::int64_t>(ends.size()); row < before; ++row) from[row] = to[row] = -1;
}

// As host/world/link_lists.cpp makes it: at each place in the order of the other ends.
void ChangingLinks::make_list(const ListLaunch& launch, const LinkListPlan& list) const {
    const auto *const from = launch.column<std::int32_t>(plan_.from), *const to = launch.column<std::int32_t>(plan_.to);
    auto *const start = launch.column<std::int32_t>(list.start), *const other = launch.column<std::int32_t>(list.other);
    auto* const number = launch.column<std::int32_t>(list.number);
    const auto links = static_cast<std::int32_t>(entries_.size());
    const auto for_each_row = [&](const auto& visit) {
        for (std::int32_t i = 0; i < links; ++i) list.side == model::LinkSide::out ? visit(from[i], to[i], i) : visit(to[i], from[i], i);
        for (std::int32_t i = 0; list.side == model::LinkSide::both && i < links; ++i)
            if (from[i] != to[i]) visit(from[i], to[i], i);
    };
    std::fill_n(start, list.places + 1, 0);
    for_each_row([&](std::int32_t place, std::int32_t, std::int32_t) { ++start[place + 1]; });
    for (std::int64_t place = 0; place < list.places; ++place) start[place + 1] += start[place];
    for_each_row([&](std::int32_t place, std::int32_t far, std::int32_t link) { // `start` becomes where the next place's begin
        const auto row = start[place]++;
        other[row] = far;
        if (number != nullptr) number[row] = link;
    });
    for (auto place = list.places; place > 0; --place) start[place] = start[place - 1];
    start[0] = 0;
}

void ChangingLinks::forget_wishes(const ListLaunch& launch, std::int64_t before) const {
    if (auto* const dying = launch.column<std::uint8_t>(plan_.dying); dying != nullptr && died_ > 0)
        std::fill_n(dying, before, std::uint8_t{0});
    if (wishes_.empty()) return;
    for (const auto& wishes : plan_.wishes) std::fill_n(launch.column<std::int32_t>(wishes.asked), wishes.authors, 0);
}

} // namespace tessera

// What functions send along links: to which members of places, and what becomes of these.
#include "host/bind/function_errors.hpp"
#include "host/bind/steps.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"

#include <tessera/detail/sent_sums.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

using model::SentAs;

const char* entry_of(SentAs as) {
    switch (as) {
    case SentAs::least: return "least";
    case SentAs::most: return "most";
    case SentAs::sum: break;
    }
    return "adds";
}

int words_a_plane(const model::Member& member, SentAs as) {
    if (as != SentAs::sum) return 1;
    return member.type == Scalar::f32 ? words_of_sum<float> : member.type == Scalar::f64 ? words_of_sum<double> : 1;
}

CollectionId far_end(const LinksSetup& links, model::LinkSide side) { return side == model::LinkSide::out ? links.to : links.from; }

std::string sent_name(const model::Row& row, std::size_t member) { return row.name + "::" + row.members[member].name; }

class SendBinder {
public:
    SendBinder(Setup& setup, const run_file::RunFile& run) : setup_(setup), run_(run), sends_later_(model::may_send_later(*setup.model)) {}

    void bind() {
        for (const auto id : setup_.collections.ids()) {
            if (!setup_.collections[id].links) continue;
            for (const auto& function : setup_.description().functions)
                for (const auto& use : function.link_uses)
                    if (use.row == setup_.collections[id].row)
                        for (const auto& sending : use.sent) add(id, function, use.side, sending);
        }
    }

private:
    void add(CollectionId links, const model::Function& function, model::LinkSide side, const model::Sending& sending) {
        const auto& where = setup_.collections[links].where;
        auto& places = setup_.collections[far_end(*setup_.collections[links].links, side)];
        const auto& member = setup_.row_of(places).members[sending.member];
        const auto known =
            std::find_if(places.sent.begin(), places.sent.end(), [&](const SentMember& sent) { return sent.member == sending.member; });
        if (known != places.sent.end() && known->as != sending.as)
            fail_in_function(setup_, function, where,
                             fmt::format("{} sends to {} by {}<...>, and another function by {}<...>", function.name,
                                         sent_name(setup_.row_of(places), sending.member), entry_of(sending.as), entry_of(known->as)),
                             "what is sent to a member is added up, or lowers it, or raises it", "send to another member");
        const int planes = sending.as == SentAs::sum && sends_later_ ? delays_of(setup_.collections[links].name) : 1;
        if (known == places.sent.end()) {
            if (sending.as == SentAs::sum) expect_nothing_else(links, places, sending.member);
            places.sent.push_back({sending.member, add_column(places, member, sending.as, planes), sending.as});
        } else if (auto& column = places.columns[known->column]; column.planes < planes)
            set_planes(places, known->column, words_a_plane(member, sending.as), planes);
    }

    [[nodiscard]] int delays_of(const std::string& links) const {
        for (const auto& each : run_.links)
            if (*each->name == links) return static_cast<int>(*each->delays);
        return 1;
    }

    static void set_planes(CollectionSetup& places, std::size_t column, int words, int planes) {
        places.columns[column].planes = planes;
        auto& stored = places.stored[column];
        stored.elements = planes * words;
        stored.initial.assign(stored.bytes(), std::byte{0});
        places.columns[column].layout.elements = stored.elements;
        places.columns[column].outside = places.columns[column].missing = stored.initial;
    }
    static std::size_t add_column(CollectionSetup& places, const model::Member& member, SentAs as, int planes) {
        model::Member stored;
        stored.name = fmt::format("({} under way, {})", member.name, tessera::name_of(member.type));
        stored.type = Scalar::u64;
        ColumnSetup column;
        column.role = Role::due;
        column.layout.type = stored.type;
        places.columns.push_back(std::move(column));
        places.stored.push_back(std::move(stored));
        set_planes(places, places.columns.size() - 1, words_a_plane(member, as), planes);
        return places.columns.size() - 1;
    }

    // What is sent to a member is all that it is.
    void expect_nothing_else(CollectionId links, const CollectionSetup& places, std::size_t member) const {
        const auto& row = setup_.row_of(places);
        const auto& where = setup_.collections[links].where;
        const auto name = sent_name(row, member);
        for (const auto& function : setup_.description().functions)
            for (const auto& access : function.accesses)
                if (access.row == places.row && access.member == member && (access.use.writes || access.use.folds))
                    fail_in_function(setup_, function, where,
                                     fmt::format("{} changes {}, to which functions send along links", function.name, name),
                                     "such a member is what was sent to it, and nothing else", "write another member");
        const auto& initial = row.members[member].initial;
        if (std::any_of(initial.begin(), initial.end(), [](std::byte byte) { return byte != std::byte{0}; }))
            fail_at_member(setup_, places.row, member, where,
                           fmt::format("{} has a default that is not 0, and functions send to it along links", name),
                           "nothing was sent to it before the first step", fmt::format("declare it as `{} = 0`", row.members[member].name));
        for (const auto id : setup_.collections.ids())
            for (const auto& named : setup_.start[id].init)
                if (&setup_.collections[id] == &places && *named.name == row.members[member].name)
                    run_file::fail_at(named.name.where, fmt::format("{}.{} has first values", places.name, *named.name),
                                      "functions send to it along links, and nothing was sent before the first step", "remove them");
    }

    Setup& setup_;
    const run_file::RunFile& run_;
    bool sends_later_;
};

bool sends_to(const Setup& setup, const KernelSetup& kernel, CollectionId places, std::size_t member) {
    for (const auto& use : setup.function_of(kernel).link_uses)
        for (const auto& sending : use.sent)
            if (sending.member == member)
                for (const auto links : links_at(setup, kernel.collection, use))
                    if (far_end(*setup.collections[links].links, use.side) == places) return true;
    return false;
}

// The kernel behind a phase for the places of one collection, if the phase sends to any.
std::optional<KernelId> arrivals_kernel(Setup& setup, PhaseId number, KernelId sender, CollectionId places) {
    KernelSetup kernel = setup.kernels[sender];
    kernel.kind = &kind_of_arrivals();
    kernel.collection = places;
    kernel.accesses.clear();
    kernel.symbol += fmt::format("_arrivals_{}_{}", number.index(), setup.collections[places].name);
    kernel.name += fmt::format(" to {}", setup.collections[places].name);
    const auto& collection = setup.collections[places];
    for (std::size_t s = 0; s < collection.sent.size(); ++s) {
        const auto& sent = collection.sent[s];
        if (!sends_to(setup, setup.kernels[sender], places, sent.member)) continue;
        bool is_last = true;
        for (auto behind = number.index() + 1; behind < setup.phases.size(); ++behind)
            if (const auto* call = std::get_if<CallPhase>(&setup.phases[PhaseId(behind)].action))
                is_last &= !sends_to(setup, setup.kernels[call->kernel], places, sent.member);
        kernel.arrivals.push_back({s, is_last});
        model::Use into, from;
        into.writes = from.reads = from.writes = true;
        into.reads = sent.as != SentAs::sum;
        kernel.accesses.push_back({setup.column_of(places, sent.member), into});
        kernel.accesses.push_back({setup.column_of(places, sent.column), from});
    }
    if (kernel.arrivals.empty()) return std::nullopt;
    return setup.kernels.add(std::move(kernel));
}

} // namespace

void bind_sends(Setup& setup, const run_file::RunFile& run) { SendBinder(setup, run).bind(); }

void add_sent_accesses(const Setup& setup, KernelSetup& kernel, CollectionId links, const model::LinkUse& use) {
    const auto places = far_end(*setup.collections[links].links, use.side);
    for (const auto& sending : use.sent)
        for (const auto& sent : setup.collections[places].sent) {
            const auto column = setup.column_of(places, sent.column);
            const auto is_this = [column](const Access& access) { return access.column == column; };
            if (sent.member != sending.member || std::any_of(kernel.accesses.begin(), kernel.accesses.end(), is_this)) continue;
            model::Use changes;
            changes.reads = changes.writes = changes.everywhere = true;
            kernel.accesses.push_back({column, changes});
        }
}

void bind_arrivals(Setup& setup) {
    for (const auto phase : setup.phases.ids()) {
        const auto* const call = std::get_if<CallPhase>(&setup.phases[phase].action);
        if (call == nullptr || !setup.function_of(setup.kernels[call->kernel]).sends()) continue;
        for (const auto places : setup.collections.ids()) {
            const auto arrivals = arrivals_kernel(setup, phase, call->kernel, places);
            if (arrivals) std::get<CallPhase>(setup.phases[phase].action).arrivals.push_back(*arrivals);
        }
    }
}

} // namespace tessera

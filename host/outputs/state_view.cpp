#include "host/outputs/state_view.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/outputs/outbox.hpp"
#include "host/world/link_lists.hpp"

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

// Whole batches of an expression's sum, so that what an output reads next is what the one before it read.
std::int64_t places_that_fit(const Setup& setup) {
    constexpr std::size_t batch = std::size_t{1} << 16;
    std::size_t bytes = 0; // of a place in every collection
    for (const auto column : setup.columns.ids())
        bytes += size_of(setup[column].layout.type) * static_cast<std::size_t>(setup[column].layout.elements);
    return static_cast<std::int64_t>(std::max<std::size_t>(setup.bytes_at_a_time / std::max<std::size_t>(bytes, 1) / batch, 1) * batch);
}

} // namespace

StateView::StateView(State state, ThreadPool& pool)
    : state_(std::move(state)), setup_(state_.setup()), pool_(pool), places_at_a_time_(places_that_fit(setup_)) {}

void StateView::turn_to(State state) {
    forget();
    state_ = std::move(state);
}

void StateView::forget() {
    for (auto& [of, window] : windows_) window.places = {};
    agents_.clear();
    links_.clear();
    agent_values_.clear();
}

ArrayShape StateView::shape(ColumnId column) const {
    const auto& collection = setup_.collections[setup_.columns[column].collection];
    const auto& layout = setup_[column].layout;
    const bool is_seen = setup_[column].cells == 0;
    return {layout.type, is_seen ? collection.seen_size() : layout.size, layout.elements,
            is_seen ? collection.seen_dimensions() : collection.dimensions};
}

const std::byte* StateView::values(ColumnId column, int element, const PlaceRange& places) const {
    const auto type = setup_[column].layout.type;
    auto& window = windows_[{column, element}];
    if (window.values == nullptr || places.first < window.places.first || places.end > window.places.end) {
        const auto bytes = static_cast<std::size_t>(places.count()) * size_of(type);
        if (window.room < bytes) window.values.reset(new std::byte[window.room = bytes]);
        window.places = {}; // of nothing, should reading fail
        state_.read(column, element, places, window.values.get());
        window.places = places;
    }
    return window.values.get() + static_cast<std::size_t>(places.first - window.places.first) * size_of(type);
}

std::size_t StateView::bytes_of_agents(const Needs& needs) const {
    std::size_t bytes = 0;
    const auto alive = [&](CollectionId agents) { return static_cast<std::size_t>(state_.past(agents).alive()); };
    for (const auto agents : needs.agents) bytes += alive(agents) * (sizeof(std::uint64_t) + sizeof(std::int64_t) + sizeof(std::size_t));
    for (const auto& [column, element] : needs.agent_values)
        bytes += alive(setup_.columns[column].collection) * size_of(setup_[column].layout.type);
    return bytes;
}

std::map<Needs::Element, PlaceRange> StateView::ranges_of(const Needs& needs) const {
    Needs all;
    all.places = needs.places;
    for (const auto id : needs.links)
        for (std::size_t c = 0; c < setup_.collections[id].columns.size(); ++c) {
            const auto column = setup_.column_of(id, c);
            if (setup_[column].role != Role::member && setup_[column].role != Role::link_end) continue;
            for (int e = 0; e < setup_[column].layout.elements && links(id) > 0; ++e) all.add({column, e}, {0, links(id)});
        }
    return all.places;
}

std::size_t StateView::bytes_of(const Needs& needs) const {
    std::size_t bytes = bytes_of_agents(needs);
    for (const auto& [of, places] : ranges_of(needs))
        bytes += static_cast<std::size_t>(places.count()) * size_of(setup_[of.first].layout.type);
    return bytes;
}

std::shared_ptr<const StateView> StateView::capture(const Needs& needs, CaptureMemory& memory) const {
    const auto refuse = [](ColumnId, int, const PlaceRange&, std::byte*) {
        throw Error(Failure::internal, "a file asked for values that were not captured");
    };
    auto taken = std::make_shared<StateView>(State(setup_, step(), refuse), pool_);
    if (const auto bytes = bytes_of_agents(needs); bytes > 0) taken->counted_ = memory.count(bytes);
    for (const auto& [of, places] : ranges_of(needs)) {
        const auto bytes = static_cast<std::size_t>(places.count()) * size_of(setup_[of.first].layout.type);
        auto values = memory.take(bytes);
        state_.read(of.first, of.second, places, values.get());
        taken->windows_[of] = {places, std::move(values), bytes};
    }
    for (const auto id : needs.agents) taken->agents_.emplace(id, agents(id));
    for (const auto id : needs.links) taken->links_.emplace(id, links(id));
    for (const auto& of : needs.agent_values) {
        (void)agent_values(of.first, of.second);
        taken->agent_values_[of] = agent_values_.at(of);
    }
    return taken;
}

ColumnId StateView::column_of(const expression::Attribute& attribute) const {
    return require_column(setup_, {{attribute.collection, attribute.member}, {}});
}

const AgentTable& StateView::agents(CollectionId collection) const {
    const auto found = agents_.find(collection);
    if (found != agents_.end()) return found->second;
    return agents_.emplace(collection, find_agents(setup_, collection, state_.reader())).first->second;
}

const std::byte* StateView::agent_values(ColumnId column, int element) const {
    const auto [found, is_new] = agent_values_.try_emplace({column, element});
    if (is_new) try {
            found->second = tessera::agent_values(setup_, column, element, agents(setup_.columns[column].collection), state_.reader());
        } catch (...) {
            agent_values_.erase(found);
            throw;
        }
    return found->second.data();
}

std::int64_t StateView::links(CollectionId collection) const {
    const auto found = links_.find(collection);
    if (found != links_.end()) return found->second;
    return links_.emplace(collection, links_there(setup_, collection, state_.reader())).first->second;
}

expression::ColumnInfo StateView::column(const expression::Attribute& attribute) const {
    const auto collection = require_collection(setup_, attribute.collection, {});
    const auto& of = setup_.collections[collection];
    const auto count = of.agents  ? agents(collection).size()
                       : of.links ? static_cast<std::size_t>(links(collection))
                                  : static_cast<std::size_t>(of.places());
    const bool is_member = attribute.kind == expression::Attribute::Kind::member;
    return {is_member ? setup_[column_of(attribute)].layout.type : Scalar::boolean, count};
}

const void* StateView::elements(const expression::Attribute& attribute, std::uint64_t first, std::uint64_t count) const {
    if (attribute.kind == expression::Attribute::Kind::presence) {
        if (ones_.size() < count) ones_.assign(count, std::byte{1});
        return ones_.data();
    }
    const auto column = column_of(attribute);
    const auto element = static_cast<int>(attribute.element.value_or(0));
    if (setup_.collections[setup_.columns[column].collection].agents)
        return agent_values(column, element) + first * size_of(setup_[column].layout.type);
    return values(column, element, {static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + count)});
}

std::uint64_t StateView::tally(const expression::Attribute& attribute) const {
    const auto counts = state_.past(require_collection(setup_, attribute.collection, {})).counters;
    switch (attribute.kind) {
    case expression::Attribute::Kind::births: return counts.born;
    case expression::Attribute::Kind::deaths: return counts.died;
    case expression::Attribute::Kind::moves: return counts.moved;
    case expression::Attribute::Kind::refused_moves: return counts.refused_moves;
    default: return counts.refused_births;
    }
}

std::vector<std::optional<expression::Partials>> StateView::reduced(const std::vector<const expression::Expression*>& expressions) const {
    if (reduce_) return reduce_(expressions);
    return std::vector<std::optional<expression::Partials>>(expressions.size());
}

expression::Value StateView::evaluate(const expression::Expression& expression, std::optional<expression::Partials> partials) const {
    const auto parallel_for = [this](std::int64_t items, const std::function<void(std::int64_t, std::int64_t)>& body) {
        pool_.run(items, [&](std::int64_t first, std::int64_t last) { body(first, last); });
    };
    return expression::evaluate(expression, *this, step(), parallel_for, std::move(partials));
}

expression::Value StateView::evaluate(const expression::Expression& expression) const {
    return evaluate(expression, std::move(reduced({&expression}).front()));
}

expression::Value StateView::evaluate(const run_file::Located<expression::Expression>& expression) const {
    return evaluate(std::vector{&expression}).front();
}

std::vector<expression::Value> StateView::evaluate(const std::vector<const run_file::Located<expression::Expression>*>& expressions) const {
    std::vector<const expression::Expression*> wanted;
    for (const auto* expression : expressions) wanted.push_back(&**expression);
    auto partials = reduced(wanted);
    std::vector<expression::Value> values;
    for (std::size_t i = 0; i < expressions.size(); ++i) try {
            values.push_back(evaluate(*wanted[i], std::move(partials[i])));
        } catch (const Error& error) {
            if (error.kind() != Failure::model) throw;
            throw error.with_prefix(run_file::in_file(expressions[i]->where));
        }
    return values;
}

} // namespace tessera

#include "host/world/setup.hpp"

#include "host/outputs/colour_map.hpp"
#include "host/run_file/nearest.hpp"
#include "host/world/names.hpp"
#include "host/world/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace tessera {
namespace {

using run_file::Boundary;

// ---- collections

std::size_t find_row(const model::Description& description, const run_file::Places& places) {
    const auto& wanted = places.type.value.empty() ? places.name : places.type;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < description.rows.size(); ++i) {
        if (description.rows[i].collection == *wanted) return i;
        known.push_back(description.rows[i].collection);
    }
    run_file::fail_at(wanted.where, fmt::format("{} has no places of type `{}`", description.name, *wanted), "it has " + listed(known),
                      did_you_mean(*wanted, known));
}

std::array<Boundary, 3> boundaries_of(const run_file::Places& places, int dimensions) {
    std::array<Boundary, 3> result{};
    result.fill(Boundary::open);
    for (int axis = 0; axis < dimensions; ++axis)
        result[static_cast<std::size_t>(axis)] =
            places.boundary.empty() ? Boundary::torus
                                    : *places.boundary[std::min(static_cast<std::size_t>(axis), places.boundary.size() - 1)];
    return result;
}

CollectionSetup bind_collection(const model::Description& description, const run_file::Places& places) {
    CollectionSetup collection;
    collection.name = *places.name;
    collection.row = find_row(description, places);
    collection.dimensions = static_cast<int>(places.size->size());
    for (std::size_t axis = 0; axis < places.size->size(); ++axis) collection.size[axis] = static_cast<std::int64_t>((*places.size)[axis]);
    collection.boundary = boundaries_of(places, collection.dimensions);
    const auto& row = description.rows[collection.row];
    for (const auto& member : row.members) {
        ColumnSetup column;
        column.outside = column.missing = member.initial;
        column.layout.type = member.type;
        column.layout.elements = member.elements;
        collection.columns.push_back(std::move(column));
    }
    const bool any_fixed = std::find(collection.boundary.begin(), collection.boundary.end(), Boundary::fixed) != collection.boundary.end();
    for (const auto& [name, value] : places.outside) {
        const auto index = require_member(row, *name, name.where);
        if (!any_fixed)
            run_file::fail_at(name.where, fmt::format("`outside` has no effect in places.{}", collection.name),
                              "no boundary of it is fixed", "set boundary = \"fixed\", or leave `outside` out");
        collection.columns[index].outside = constant_bytes(value, row.members[index].type, row.members[index].elements, name.where,
                                                           fmt::format("{}.{}", collection.name, *name));
    }
    for (const auto& [name, steps] : places.init) {
        const auto& member = row.members[require_member(row, *name, name.where)];
        const std::string what = fmt::format("{}.{}", collection.name, *name);
        for (const auto& step : steps) {
            if (const auto* constant = std::get_if<run_file::Constant>(&step->source))
                (void)constant_bytes(*constant, member.type, member.elements, step.where, what);
            check_random(*step, member.type, step.where, what);
        }
    }
    return collection;
}

// ---- parameters

std::vector<ParameterValue> bind_parameters(const model::Description& description, const run_file::RunFile& run) {
    std::vector<ParameterValue> values;
    for (const auto& parameter : description.parameters) values.push_back({parameter.name, parameter.type, parameter.initial});
    for (const auto& [name, number] : run.params) {
        const auto known = names_of(description.parameters);
        const auto found = std::find(known.begin(), known.end(), *name);
        if (found == known.end())
            run_file::fail_at(name.where, fmt::format("{} has no parameter `{}`", description.name, *name),
                              known.empty() ? "it has none" : "it has " + listed(known), did_you_mean(*name, known));
        const auto index = static_cast<std::size_t>(found - known.begin());
        const auto& parameter = description.parameters[index];
        values[index].bytes = value_bytes(*number, parameter.type, number.where, "params." + *name);
        const auto* const bytes = values[index].bytes.data();
        if (parameter.range && !lies_within(parameter.type, bytes, (*parameter.range)[0], (*parameter.range)[1]))
            run_file::fail_at(number.where, fmt::format("params.{} is {}", *name, readable(parameter.type, bytes)),
                              fmt::format("{} allows {} to {}", description.name, readable(parameter.type, (*parameter.range)[0]),
                                          readable(parameter.type, (*parameter.range)[1])));
    }
    return values;
}

// ---- functions and phases

class PhaseBinder {
public:
    explicit PhaseBinder(Setup& setup) : setup_(setup) {}

    void bind_init() {
        for (std::size_t c = 0; c < setup_.collections.size(); ++c)
            for (std::size_t f = 0; f < setup_.description().functions.size(); ++f) {
                const auto& function = setup_.description().functions[f];
                if (function.is_init && function.row == setup_.collections[c].row && !all_given(c, function))
                    setup_.init_kernels.push_back(kernel(c, f, {}));
            }
    }

    void bind_phases() {
        if (setup_.run.phases.empty()) return default_phases();
        for (const auto& phase : setup_.run.phases) setup_.phases.push_back(bind(*phase, phase.where));
        number_calls();
    }

    void add_all_functions() {
        for (std::size_t c = 0; c < setup_.collections.size(); ++c)
            for (std::size_t f = 0; f < setup_.description().functions.size(); ++f)
                if (setup_.description().functions[f].row == setup_.collections[c].row) (void)kernel(c, f, {});
    }

private:
    // Whether the run file gives every member that an init function writes.
    [[nodiscard]] bool all_given(std::size_t collection, const model::Function& function) const {
        const auto& row = setup_.row_of(setup_.collections[collection]);
        const auto& given = setup_.run.places[collection]->init;
        for (std::size_t i = 0; i < row.members.size(); ++i) {
            const auto is_this = [&](const auto& named) { return *named.name == row.members[i].name; };
            if (function.uses[i].writes && std::none_of(given.begin(), given.end(), is_this)) return false;
        }
        return true;
    }

    // Every function once a step, in the order of declaration.
    void default_phases() {
        setup_.run.schedule.exchange.value = run_file::ExchangeMode::automatic;
        for (std::size_t f = 0; f < setup_.description().functions.size(); ++f)
            for (std::size_t c = 0; c < setup_.collections.size(); ++c)
                if (!setup_.description().functions[f].is_init && setup_.description().functions[f].row == setup_.collections[c].row) {
                    PhaseSetup phase;
                    phase.action = CallPhase{kernel(c, f, {})};
                    phase.name = fmt::format("callAll {}.{}", setup_.collections[c].name, setup_.description().functions[f].name);
                    setup_.phases.push_back(std::move(phase));
                }
        if (setup_.phases.empty())
            throw Error(Failure::input, setup_.description().name + " has nothing to do in a step",
                        "the run file has no [[phase]] and the model no TESSERA_CALL", "add a phase");
    }

    PhaseSetup bind(const run_file::Phase& phase, const run_file::Where& where) {
        PhaseSetup result;
        result.timing = phase.timing;
        result.where = where;
        std::visit([&](const auto& action) { bind_action(action, result); }, phase.action);
        return result;
    }

    void bind_action(const run_file::CallAll& call, PhaseSetup& phase) {
        const auto& where = call.function.where;
        const auto collection = require_collection(setup_, call.function->collection, where);
        const auto row = setup_.collections[collection].row;
        const auto function = setup_.description().find_function(row, call.function->member);
        if (!function) {
            std::vector<std::string> known;
            for (const auto& candidate : setup_.description().functions)
                if (candidate.row == row && !candidate.is_init) known.push_back(candidate.name);
            run_file::fail_at(where, fmt::format("`{}` has no function `{}`", call.function->collection, call.function->member),
                              known.empty() ? "it has none" : "it has " + listed(known), did_you_mean(call.function->member, known));
        }
        if (setup_.description().functions[*function].is_init)
            run_file::fail_at(where, fmt::format("`{}` is not for a phase", call.function->member),
                              "it is a TESSERA_INIT function and runs once, before the first step", "call a TESSERA_CALL function");
        phase.action = CallPhase{kernel(collection, *function, where)};
        phase.name = fmt::format("callAll {}.{}", call.function->collection, call.function->member);
    }
    void bind_action(const run_file::ExchangeAll& exchange, PhaseSetup& phase) {
        ExchangePhase action;
        if (*exchange.collection == "*")
            for (std::size_t c = 0; c < setup_.collections.size(); ++c) action.collections.push_back(c);
        else
            action.collections.push_back(require_collection(setup_, *exchange.collection, exchange.collection.where));
        phase.action = action;
        phase.name = "exchangeAll " + *exchange.collection;
    }
    void bind_action(const run_file::ManageAll& manage, PhaseSetup&) {
        run_file::fail_at(manage.collection.where, fmt::format("manageAll of `{}` has nothing to manage", *manage.collection),
                          fmt::format("{} has places only, and manageAll is about agents", setup_.description().name), "remove the phase");
    }
    void bind_action(const run_file::Rotate& rotate, PhaseSetup& phase) {
        RotatePhase action{};
        for (const auto& member : rotate.members) {
            const auto column = require_column(setup_, member);
            action.collection = column.collection;
            action.columns.push_back(column.member);
            phase.name += (phase.name.empty() ? "rotate " : ", ") + member->collection + "." + member->member;
        }
        const auto& members = setup_.row_of(setup_.collections[action.collection]).members;
        for (std::size_t i = 1; i < action.columns.size(); ++i) {
            const auto &first = members[action.columns[0]], &other = members[action.columns[i]];
            if (first.type != other.type || first.elements != other.elements)
                run_file::fail_at(rotate.members[i].where, fmt::format("cannot rotate {} and {}", first.name, other.name),
                                  fmt::format("one is {}, the other {}", type_text(first), type_text(other)), "rotate members of one type");
        }
        phase.action = action;
    }

    static std::string type_text(const model::Member& member) {
        return fmt::format("{}{}", name_of(member.type), member.elements > 1 ? fmt::format("[{}]", member.elements) : "");
    }

    // Underscores stand in both names: the length says where the first one ends.
    static std::string entry_symbol(const std::string& collection, const std::string& function) {
        return fmt::format("tessera_{}_{}_{}", collection.size(), collection, function);
    }

    // The kernel for a function of a collection, made when it is first asked for.
    std::size_t kernel(std::size_t collection, std::size_t function, const run_file::Where& where) {
        for (std::size_t i = 0; i < setup_.kernels.size(); ++i)
            if (setup_.kernels[i].collection == collection && setup_.kernels[i].function == function) return i;
        const auto& bound = setup_.collections[collection];
        const auto& described = setup_.description().functions[function];
        for (const auto& use : described.uses)
            for (auto axis = static_cast<std::size_t>(bound.dimensions); axis < 3; ++axis) {
                const auto dims = static_cast<std::size_t>(bound.dimensions - 1);
                if (use.low[dims][axis] > 0 || use.high[dims][axis] > 0)
                    run_file::fail_at(where.file.empty() ? setup_.run.places[collection]->size.where : where,
                                      fmt::format("{}.{} needs more dimensions than places.{} has", bound.name, described.name, bound.name),
                                      fmt::format("it reads neighbours along {}, and `size` has {} extent{}", axis == 1 ? "y" : "z",
                                                  bound.dimensions, bound.dimensions == 1 ? "" : "s"),
                                      "give `size` more extents");
            }
        setup_.kernels.push_back(
            {collection, function, entry_symbol(bound.name, described.name), bound.name + "." + described.name});
        return setup_.kernels.size() - 1;
    }

    void number_calls() {
        std::map<std::size_t, int> calls;
        for (auto& phase : setup_.phases)
            if (const auto* call = std::get_if<CallPhase>(&phase.action)) phase.call_in_step = calls[call->kernel]++;
    }

    Setup& setup_;
};

// ---- columns

void widen_ghosts(Setup& setup) {
    for (const auto& kernel : setup.kernels) {
        auto& collection = setup.collections[kernel.collection];
        const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
        const auto& uses = setup.description().functions[kernel.function].uses;
        for (std::size_t i = 0; i < uses.size(); ++i) {
            bool looks_away = false;
            for (std::size_t axis = 0; axis <= dims; ++axis) {
                const int reach = std::max(uses[i].low[dims][axis], uses[i].high[dims][axis]);
                looks_away |= reach > 0;
                collection.columns[i].layout.ghost[axis] = std::max(collection.columns[i].layout.ghost[axis], reach);
            }
            if (looks_away && uses[i].writes) collection.columns[i].has_spare = true;
        }
    }
}

bool has_axis(const CollectionSetup& collection, Boundary rule) {
    const auto* const first = collection.boundary.data();
    return std::find(first, first + collection.dimensions, rule) != first + collection.dimensions;
}

// Whether ghosts of the two columns hold the same constants.
bool alike_outside(const CollectionSetup& collection, const ColumnSetup& a, const ColumnSetup& b) {
    return (!has_axis(collection, Boundary::fixed) || a.outside == b.outside) &&
           (!has_axis(collection, Boundary::open) || a.missing == b.missing);
}

// Gives the columns of a rotation the widest ghosts among them; whether that changed one.
bool share_ghosts(CollectionSetup& collection, const RotatePhase& rotate) {
    std::array<int, 3> widest{};
    for (const auto c : rotate.columns)
        for (std::size_t axis = 0; axis < 3; ++axis) widest[axis] = std::max(widest[axis], collection.columns[c].layout.ghost[axis]);
    bool changed = false;
    for (const auto c : rotate.columns) changed |= std::exchange(collection.columns[c].layout.ghost, widest) != widest;
    return changed;
}

void check_outside(const CollectionSetup& collection, const RotatePhase& rotate, const PhaseSetup& phase) {
    const auto& first = collection.columns[rotate.columns[0]];
    if (first.layout.ghost == std::array<int, 3>{}) return; // nobody looks there
    for (const auto c : rotate.columns)
        if (!alike_outside(collection, collection.columns[c], first))
            run_file::fail_at(phase.where, fmt::format("cannot {}", phase.name),
                              "the members have different values outside of the boundary", "give them the same default or `outside` value");
}

// Columns that rotate change places with their ghosts, so they have the same ones; also those that meet through a third column.
void equalise_rotated(Setup& setup) {
    const auto for_each_rotation = [&](const auto& visit) {
        for (const auto& phase : setup.phases)
            if (const auto* rotate = std::get_if<RotatePhase>(&phase.action)) visit(setup.collections[rotate->collection], *rotate, phase);
    };
    for (bool changed = true; changed;) {
        changed = false;
        for_each_rotation([&](auto& collection, const auto& rotate, const auto&) { changed |= share_ghosts(collection, rotate); });
    }
    for_each_rotation(check_outside);
}

void lay_out(Setup& setup) {
    widen_ghosts(setup);
    equalise_rotated(setup);
    for (auto& collection : setup.collections)
        for (auto& column : collection.columns)
            column.layout = make_layout(column.layout.type, column.layout.elements, collection.size, column.layout.ghost);
}

// ---- outputs

void check_expression(const Setup& setup, const run_file::Located<expression::Expression>& expression) {
    for (const auto& attribute : expression->attributes) {
        run_file::Where where = expression.where;
        where.column += attribute.column; // behind the opening quote
        const auto column = require_column(setup, {{attribute.collection, attribute.member}, where});
        const auto& member = setup.row_of(setup.collections[column.collection]).members[column.member];
        const std::string name = attribute.collection + "." + attribute.member;
        if (member.elements == 1 && attribute.element)
            run_file::fail_at(where, fmt::format("{} has no elements", name), "it is a single value", "leave out the brackets");
        if (member.elements > 1 && !attribute.element)
            run_file::fail_at(where, fmt::format("{} is an array", name), fmt::format("it has {} elements", member.elements),
                              fmt::format("write {}[0], say", name));
        if (attribute.element && (*attribute.element < 0 || *attribute.element >= member.elements))
            run_file::fail_at(where, fmt::format("there is no {}[{}]", name, *attribute.element),
                              fmt::format("it has {} elements, from 0", member.elements));
    }
}

void check_colours(const run_file::Located<std::string>& colours) {
    const auto names = colour_map_names();
    const std::vector<std::string> known(names.begin(), names.end());
    if (std::find(known.begin(), known.end(), *colours) == known.end())
        run_file::fail_at(colours.where, fmt::format("there is no colour map `{}`", *colours), "there are " + listed(known),
                          did_you_mean(*colours, known));
}

void check_picture(const Setup& setup, const run_file::Png& png) {
    check_colours(png.colours);
    const auto column = require_column(setup, png.attribute);
    const auto& collection = setup.collections[column.collection];
    const auto& member = setup.row_of(collection).members[column.member];
    if (png.slice && static_cast<std::int64_t>(**png.slice) >= collection.size[2])
        run_file::fail_at(png.slice->where, fmt::format("there is no slice {}", **png.slice),
                          fmt::format("{} has {} on z", collection.name, collection.size[2]));
    if (png.element && static_cast<std::int64_t>(**png.element) >= member.elements)
        run_file::fail_at(png.element->where, fmt::format("there is no element {}", **png.element),
                          fmt::format("{} has {}", member.name, member.elements));
}

void check_outputs(const Setup& setup) {
    if (setup.run.run.stop) check_expression(setup, *setup.run.run.stop);
    for (const auto& output : setup.run.outputs) {
        if (const auto* csv = std::get_if<run_file::Csv>(&output->content))
            for (const auto& column : csv->columns) check_expression(setup, column.value);
        if (const auto* npy = std::get_if<run_file::Npy>(&output->content)) (void)require_column(setup, npy->attribute);
        if (const auto* png = std::get_if<run_file::Png>(&output->content)) check_picture(setup, *png);
    }
}

} // namespace

std::optional<std::size_t> Setup::find_collection(const std::string& name) const {
    for (std::size_t i = 0; i < collections.size(); ++i)
        if (collections[i].name == name) return i;
    return std::nullopt;
}

std::int64_t Setup::column_bytes() const noexcept {
    std::int64_t total = 0;
    for (const auto& collection : collections)
        for (const auto& column : collection.columns) total += column.layout.bytes * (column.has_spare ? 2 : 1);
    return total;
}

std::size_t require_collection(const Setup& setup, const std::string& name, const run_file::Where& where) {
    if (const auto found = setup.find_collection(name)) return *found;
    const auto known = names_of(setup.collections);
    run_file::fail_at(where, fmt::format("there is no collection `{}`", name),
                      known.empty() ? "there is none" : "there is " + listed(known), did_you_mean(name, known));
}

std::size_t require_member(const model::Row& row, const std::string& name, const run_file::Where& where) {
    if (const auto found = row.find(name)) return *found;
    const auto known = names_of(row.members);
    run_file::fail_at(where, fmt::format("{} has no member `{}`", row.name, name), "it has " + listed(known), did_you_mean(name, known));
}

ColumnRef require_column(const Setup& setup, const run_file::Located<run_file::QualifiedName>& name) {
    const auto collection = require_collection(setup, name->collection, name.where);
    return {collection, require_member(setup.row_of(setup.collections[collection]), name->member, name.where)};
}

Setup bind(const model::Model& model, run_file::RunFile run, Functions functions) {
    Setup setup;
    setup.model = &model;
    setup.run = std::move(run);
    for (const auto& places : setup.run.places) setup.collections.push_back(bind_collection(model.description, *places));
    if (setup.collections.empty())
        throw Error(Failure::input, fmt::format("{}: no places to run {} on", setup.run.path, model.description.name),
                    "there is no [places] table", fmt::format("add [places.{}] with a size", model.description.rows.front().collection));
    setup.parameters = bind_parameters(model.description, setup.run);
    PhaseBinder phases(setup);
    phases.bind_init();
    phases.bind_phases();
    if (functions == Functions::all) phases.add_all_functions();
    lay_out(setup);
    check_outputs(setup);
    return setup;
}

} // namespace tessera

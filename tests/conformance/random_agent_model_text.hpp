// A random model of agents as its author would write it: source of the SDK, and keys of a run file.
#pragma once

#include "tests/conformance/random_agent_model.hpp"
#include "tests/conformance/random_model_text.hpp"

#include <fmt/format.h>

namespace tessera::test::random_agent_model {

using random_model::type_text;
using random_model::value_text;

class Writer {
public:
    explicit Writer(const Model& model) : model_(model) {}

    [[nodiscard]] std::string source() {
        text_.clear();
        write(model_.places, "TESSERA_PLACE(" + model_.places.name);
        for (const auto& type : model_.types) write(type.row, "TESSERA_AGENT(" + type.row.name + ", on<" + model_.places.name + ">");
        for (std::size_t n = 0; n < model_.neighbourhoods.size(); ++n) write_tables(n);
        for (const auto& function : model_.starts) write(function, "TESSERA_INIT");
        for (const auto& function : model_.functions) write(function, "TESSERA_CALL");
        return text_;
    }
    // But for how many agents there are at the start.
    [[nodiscard]] std::vector<std::string> keys() const {
        auto keys = geometry(model_.places.collection, model_.shape, model_.dimensions);
        const auto& s = model_.shape;
        const bool has_outside = s.x == Boundary::fixed || (model_.dimensions > 1 && s.y == Boundary::fixed) ||
                                 (model_.dimensions > 2 && s.z == Boundary::fixed);
        for (const auto& member : model_.places.members)
            if (has_outside && member.outside != member.initially)
                keys.push_back("places." + model_.places.collection + ".outside." + member.name + "=" +
                               value_text(member.type, member.outside));
        for (const auto& type : model_.types) {
            const auto of = "agents." + type.row.collection + ".";
            keys.push_back(of + "capacity=" + (type.in_list() ? "\"unlimited\"" : std::to_string(type.capacity)));
            if (type.in_list()) keys.push_back(of + "reserve=30000");
            keys.push_back(of + "priority=\"" + (type.by_id ? "id" : "random") + "\"");
            keys.push_back(of + "on_edge=\"" + (type.refuses_at_edge ? "refuse" : "error") + "\"");
        }
        return keys;
    }
    [[nodiscard]] std::string phase(const Phase& phase) const {
        std::string timing;
        if (phase.every != 1) timing += ",every=" + std::to_string(phase.every);
        if (phase.from != 0) timing += ",from=" + std::to_string(phase.from);
        std::string list;
        if (phase.action == Phase::Action::manage) {
            for (const int type : phase.types) list += (list.empty() ? "\"" : ",\"") + model_.row(type).collection + "\"";
            return "{manageAll=[" + list + "]" + timing + "}";
        }
        if (phase.action == Phase::Action::rotate) {
            const auto& row = model_.row(phase.types.front());
            for (const int m : phase.rotated) list += (list.empty() ? "\"" : ",\"") + row.collection + "." + row.members[of(m)].name + "\"";
            return "{rotate=[" + list + "]" + timing + "}";
        }
        const auto& function = model_.functions[of(phase.function)];
        return "{callAll=\"" + model_.row(function.type).collection + "." + function.name + "\"" + timing + "}";
    }

private:
    using Op = Expression::Op;

    static std::size_t of(int index) { return static_cast<std::size_t>(index); }
    [[nodiscard]] const std::string& around(int index) const { return model_.neighbourhoods[of(index)].name; }
    [[nodiscard]] std::string table(int index) const { return fmt::format("way{}_{}", model_.number, index); }
    static std::string local(int index) { return "v" + std::to_string(index); }
    void line(int depth, const std::string& text) { text_ += std::string(of(4 * depth), ' ') + text + "\n"; }

    void write(const Row& row, const std::string& macro) {
        line(0, "struct " + row.name + " {");
        std::string names;
        for (const auto& member : row.members) {
            const auto initially = value_text(member.type, member.initially);
            std::string all = initially;
            for (int e = 1; e < member.elements; ++e) all += ", " + initially;
            line(1, type_text(member.type) + " " + member.name +
                        (member.elements > 0 ? "[" + std::to_string(member.elements) + "] = {" + all + "}" : " = " + initially) + ";");
            names += ", " + member.name;
        }
        line(0, "};");
        line(0, macro + names + ");");
    }
    // The offsets of a neighbourhood, for what goes by one that is known only when it runs; and its name, of one that has none.
    void write_tables(std::size_t n) {
        const auto& neighbourhood = model_.neighbourhoods[n];
        if (!neighbourhood.definition.empty())
            line(0, "inline constexpr auto " + neighbourhood.name + " = " + neighbourhood.definition + ";");
        std::array<std::string, 3> steps;
        for (const auto& offset : neighbourhood.offsets) {
            steps[0] += std::to_string(offset.x) + ", ", steps[1] += std::to_string(offset.y) + ", ";
            steps[2] += std::to_string(offset.z) + ", ";
        }
        for (std::size_t axis = 0; axis < 3; ++axis)
            line(0, fmt::format("constexpr int {}{}[] = {{{}}};", table(static_cast<int>(n)), "xyz"[axis], steps[axis]));
    }

    std::string access(const Access& access) {
        using Entry = Access::Entry;
        const auto& row = model_.row(access.type);
        const auto member = access.member < 0 ? std::string() : "&" + row.name + "::" + row.members[of(access.member)].name;
        switch (access.entry) {
        case Entry::reads: return "reads<" + member + ">";
        case Entry::around: return "around<" + around(access.around) + ", " + member + ">";
        case Entry::writes: return "writes<" + member + ">";
        case Entry::sets: return "sets<" + member + ">";
        case Entry::adds: return "adds<" + member + ">";
        case Entry::least: return "least<" + member + ">";
        case Entry::most: return "most<" + member + ">";
        case Entry::counts: return "counts<" + around(access.around) + ", " + row.name + ">";
        case Entry::meets: return "meets<" + around(access.around) + ", " + (member.empty() ? "agents<" + row.name + ">" : member) + ">";
        case Entry::moves: return "moves<" + around(access.around) + ">";
        case Entry::spawns: return fmt::format("spawns<{}, {}, {}>", row.name, around(access.around), access.most);
        case Entry::dies: return "dies";
        case Entry::moved: return "reads<moved>";
        case Entry::refused: return "reads<refused>";
        case Entry::refused_births: break;
        }
        return "reads<refused_births>";
    }
    void write(const Function& function, const std::string& macro) {
        std::string list;
        for (const auto& each : function.accesses) list += ", " + access(each);
        type_ = function.type;
        line(0, macro + "(" + model_.row(type_).name + ", " + function.name + list + ") {");
        if (function.leaving.empty() || !function.is_within_if) {
            if (!function.leaving.empty()) line(1, "if (" + leaving(function, true, " || ") + ") return;");
            write(function.body, 1);
        } else
            write_block("if (" + leaving(function, false, " && ") + ")", function.body, "", 1);
        line(0, "}");
    }
    // Who leaves, or who does not.
    [[nodiscard]] std::string leaving(const Function& function, bool leaves, const std::string& between) const {
        std::string text;
        for (const auto& each : function.leaving) {
            const auto sign = each.how == Leaving::How::less                ? (leaves ? " < " : " >= ")
                              : (each.how == Leaving::How::equal) == leaves ? " == "
                                                                            : " != ";
            text += (text.empty() ? "" : between) + "self." + model_.row(function.type).members[of(each.member)].name + sign +
                    std::to_string(each.value);
        }
        return text;
    }
    void write(const std::vector<Statement>& statements, int depth) {
        for (const auto& statement : statements) write(statement, depth);
    }
    void write_block(const std::string& head, const std::vector<Statement>& then, const std::string& end, int depth) {
        line(depth, head + " {");
        write(then, depth + 1);
        line(depth, "}" + end);
    }
    void write(const Statement& s, int depth) {
        const auto& own = model_.row(type_);
        const auto below = [&] { return "self.place." + element(model_.places, s.index, s.element); };
        const auto value = [&] { return text(s.of[0]); };
        const auto stored_below = [&] { return stored(model_.places.members[of(s.index)], value()); };
        switch (s.op) {
        case Statement::Op::draw:
            line(depth, "[[maybe_unused]] std::uint64_t " + local(s.index) + " = self.random." +
                            (s.bits == 0 ? "bits();" : "below(" + std::to_string(s.bits) + ");"));
            break;
        case Statement::Op::declare: line(depth, "[[maybe_unused]] std::uint64_t " + local(s.index) + " = " + value() + ";"); break;
        case Statement::Op::change: line(depth, local(s.index) + " = " + value() + ";"); break;
        case Statement::Op::assign:
            line(depth, "self." + element(own, s.index, s.element) + " = " + stored(own.members[of(s.index)], value()) + ";");
            break;
        case Statement::Op::write: line(depth, below() + " = " + stored_below() + ";"); break;
        case Statement::Op::add: line(depth, below() + " += " + stored_below() + ";"); break;
        case Statement::Op::subtract: line(depth, below() + " -= " + stored_below() + ";"); break;
        case Statement::Op::lower: line(depth, below() + ".lower_to(" + stored_below() + ");"); break;
        case Statement::Op::raise: line(depth, below() + ".raise_to(" + stored_below() + ");"); break;
        case Statement::Op::when: write_block("if (" + value() + " != 0)", s.then, "", depth); break;
        case Statement::Op::meet:
            write_block("self.meet(" + around(s.around) + ", agents<" + model_.row(s.type).name +
                            ">, [&]([[maybe_unused]] const auto& other)",
                        s.then, ");", depth);
            break;
        case Statement::Op::each:
            write_block((type_ == of_places ? "self.each(" : "self.place.each(") + around(s.around) +
                            ", [&]([[maybe_unused]] const auto& site)",
                        s.then, ");", depth);
            break;
        case Statement::Op::seek:
            line(depth, "auto best = self.place.here(" + around(s.around) + ");");
            line(depth, "std::uint64_t highest = " + value() + ";");
            line(depth, "self.place.each(" + around(s.around) + ", [&]([[maybe_unused]] const auto& site) {");
            line(depth + 1, "const std::uint64_t found = " + text(s.of[2]) + ";");
            line(depth + 1, "if (" + text(s.of[1]) + " != 0 && found > highest) best = site, highest = found;");
            line(depth, "});");
            break;
        case Statement::Op::go_there: line(depth, "self.migrate(best);"); break;
        case Statement::Op::go: line(depth, "self.migrate(" + around(s.around) + ");"); break;
        case Statement::Op::go_by_turn: {
            const auto offsets = model_.neighbourhoods[of(s.around)].offsets.size();
            line(depth, fmt::format("const auto turn{} = {} % {};", s.index, value(), offsets));
            line(depth, fmt::format("self.migrate({0}x[turn{1}], {0}y[turn{1}], {0}z[turn{1}]);", table(s.around), s.index));
            break;
        }
        case Statement::Op::spawn: line(depth, "self.spawn(" + child(s) + (s.around == 0 ? ");" : ", " + around(s.around) + ");")); break;
        case Statement::Op::spawn_there: line(depth, "self.spawn(" + child(s) + ", best);"); break;
        case Statement::Op::kill: line(depth, "self.kill();"); break;
        }
    }
    std::string child(const Statement& s) {
        const auto& row = model_.row(s.type);
        std::string text = row.name + "{";
        std::size_t next = 0;
        for (const auto& member : row.members) {
            std::string values;
            for (int e = 0; e < member.values(); ++e) values += (e > 0 ? ", " : "") + stored(member, this->text(s.of[next++]));
            text += (text.back() == '{' ? "." : ", .") + member.name + " = " + (member.elements > 0 ? "{" + values + "}" : values);
        }
        return text + "}";
    }

    static std::string element(const Row& row, int member, int element) {
        const auto& named = row.members[of(member)];
        return named.elements > 0 ? named.name + "[" + std::to_string(element) + "]" : named.name;
    }
    static std::string stored(const Member& member, const std::string& value) {
        switch (member.type) {
        case Scalar::boolean: return "((" + value + " & 1u) != 0)";
        case Scalar::f32: return "(static_cast<float>(" + value + " & 1023u) * 0.1f)";
        case Scalar::f64: return "(static_cast<double>(" + value + " & 1023u) * 0.1)";
        default: return "static_cast<" + type_text(member.type) + ">(" + value + ")";
        }
    }
    static std::string read(const std::string& from, const Row& row, const Expression& e) {
        const auto name = from + "." + element(row, e.index, e.element);
        switch (row.members[of(e.index)].type) {
        case Scalar::f32: return "static_cast<std::uint64_t>(to_int<std::int64_t>(" + name + " * 8.0f))";
        case Scalar::f64: return "static_cast<std::uint64_t>(to_int<std::int64_t>(" + name + " * 8.0))";
        default: return "static_cast<std::uint64_t>(" + name + ")";
        }
    }
    std::string text(const Expression& e) {
        const auto as_number = [](const std::string& value) { return "static_cast<std::uint64_t>(" + value + ")"; };
        const auto infix = [&](const char* symbol) { return "(" + text(e.of[0]) + " " + symbol + " " + text(e.of[1]) + ")"; };
        const auto by_constant = [&](const char* symbol) {
            return "(" + text(e.of[0]) + " " + symbol + " " + std::to_string(e.bits) + "u)";
        };
        const auto truth = [](const std::string& value) { return "std::uint64_t{" + value + " ? 1u : 0u}"; };
        const auto agents = [&] { return "agents<" + model_.row(e.type).name + ">"; };
        const std::string ground = type_ == of_places ? "self." : "self.place.";
        const auto there = [&] { return ground + "at(" + around(e.around) + ")"; };
        switch (e.op) {
        case Op::constant: return std::to_string(e.bits) + "ull";
        case Op::local: return local(e.index);
        case Op::own: return read("self", model_.row(type_), e);
        case Op::below: return read("self.place", model_.places, e);
        case Op::position: return as_number(std::string("self.position.") + "xyz"[e.index]);
        case Op::step: return as_number("self.step");
        case Op::id: return "self.id";
        case Op::moved: return truth("self.moved()");
        case Op::refused: return truth("self.refused()");
        case Op::refused_births: return as_number("self.refused_births()");
        case Op::dying: return truth("self.dying()");
        case Op::rank: return as_number("self.rank()");
        case Op::count: return as_number("self.count(" + around(e.around) + ", " + agents() + ")");
        case Op::at: return read(there(), model_.places, e);
        case Op::count_at: return as_number(there() + ".count(" + agents() + ")");
        case Op::free_at: return as_number(there() + ".free()");
        case Op::exists_at: return truth(ground + "exists(" + around(e.around) + ")");
        case Op::other: return read("other", model_.row(e.type), e);
        case Op::other_id: return "other.id";
        case Op::site: return read("site", model_.places, e);
        case Op::count_on: return as_number("site.count(" + agents() + ")");
        case Op::free_on: return as_number("site.free()");
        case Op::distance: return as_number("site.distance");
        case Op::add: return infix("+");
        case Op::subtract: return infix("-");
        case Op::multiply: return infix("*");
        case Op::exclusive: return infix("^");
        case Op::halved: return by_constant(">>");
        case Op::remainder: return by_constant("%");
        case Op::equal: return truth(infix("=="));
        case Op::less: return truth(infix("<"));
        case Op::both: return infix("&");
        case Op::select: break;
        }
        return "(" + text(e.of[0]) + " != 0 ? " + text(e.of[1]) + " : " + text(e.of[2]) + ")";
    }

    const Model& model_;
    int type_ = of_places; // whose function is written
    std::string text_{};
};

// The source of one model file that has several.
inline std::string source_of(const std::vector<Model>& models, const std::string& name) {
    std::string text = "#include <tessera/model.hpp>\n\n";
    for (const auto& model : models) text += Writer(model).source() + "\n";
    return text + "TESSERA_MODEL(" + name + ", \"agents that nobody thought of\");\n";
}

} // namespace tessera::test::random_agent_model

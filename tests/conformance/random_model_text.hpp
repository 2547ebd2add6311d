// A random model as its author would write it: source of the SDK, and keys of a run file.
#pragma once

#include "tests/conformance/random_model.hpp"
#include "tests/conformance/random_model_loop.hpp"

#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace tessera::test::random_model {

inline std::string type_text(Scalar type) {
    switch (type) {
    case Scalar::boolean: return "bool";
    case Scalar::f32: return "float";
    case Scalar::f64: return "double";
    default: return "std::" + std::string(name_of(type)) + "_t";
    }
}
inline std::string type_text(Kind kind) {
    constexpr std::array names{"bool", "std::uint32_t", "std::uint64_t", "float", "double", "int"};
    return names[static_cast<std::size_t>(kind)];
}

// A float's literal, without loss.
inline std::string float_text(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%a", value);
    return text;
}
inline std::string constant_text(Kind kind, Bits bits) {
    switch (kind) {
    case Kind::boolean: return bits != 0 ? "true" : "false";
    case Kind::u32: return std::to_string(bits) + "u";
    case Kind::u64: return std::to_string(bits) + "ull";
    case Kind::f32: return "(" + float_text(static_cast<double>(as_float(bits))) + "f)";
    case Kind::i32: return std::to_string(static_cast<std::int32_t>(bits));
    case Kind::f64: break;
    }
    return "(" + float_text(as_double(bits)) + ")";
}
// A member's value in a run file, or as the initialiser of a member; small enough that both take it.
inline std::string value_text(Scalar type, Bits bits) {
    switch (type) {
    case Scalar::boolean: return bits != 0 ? "true" : "false";
    case Scalar::f32: return std::to_string(static_cast<double>(as_float(bits)));
    case Scalar::f64: return std::to_string(as_double(bits));
    default: return std::to_string(bits);
    }
}

class Writer {
public:
    explicit Writer(const Model& model) : model_(model) {}

    [[nodiscard]] std::string source() {
        std::string names;
        text_ = "struct " + model_.row + " {\n";
        for (const auto& member : model_.members) {
            const auto initially = value_text(member.type, member.initially);
            std::string all = initially;
            for (int e = 1; e < member.elements; ++e) all += ", " + initially;
            text_ += "    " + type_text(member.type) + " " + member.name +
                     (member.elements > 0 ? "[" + std::to_string(member.elements) + "] = {" + all + "}" : " = " + initially) + ";\n";
            names += ", " + member.name;
        }
        text_ += "};\nTESSERA_PLACE(" + model_.row + names + ");\n";
        for (const auto& neighbourhood : model_.neighbourhoods)
            if (!neighbourhood.definition.empty())
                text_ += "inline constexpr auto " + neighbourhood.name + " = " + neighbourhood.definition + ";\n";
        for (std::size_t f = 0; f < model_.functions.size(); ++f) write(model_.functions[f], f == 0 ? "TESSERA_INIT" : "TESSERA_CALL");
        return text_;
    }
    [[nodiscard]] std::vector<std::string> keys() const {
        auto keys = geometry(model_.collection, model_.shape, model_.dimensions);
        const auto& s = model_.shape;
        const bool has_outside = s.x == Boundary::fixed || (model_.dimensions > 1 && s.y == Boundary::fixed) ||
                                 (model_.dimensions > 2 && s.z == Boundary::fixed);
        for (const auto& member : model_.members)
            if (has_outside && member.outside != member.initially)
                keys.push_back("places." + model_.collection + ".outside." + member.name + "=" + value_text(member.type, member.outside));
        return keys;
    }
    // One a phase, in their order.
    [[nodiscard]] std::vector<std::string> phases() const {
        std::vector<std::string> all;
        for (const auto& phase : model_.phases) {
            std::string timing, rotated;
            if (phase.every != 1) timing += ",every=" + std::to_string(phase.every);
            if (phase.from != 0) timing += ",from=" + std::to_string(phase.from);
            if (phase.until != ~std::uint64_t{0}) timing += ",until=" + std::to_string(phase.until);
            for (const int m : phase.rotated) rotated += (rotated.empty() ? "\"" : ",\"") + model_.collection + "." + member(m) + "\"";
            all.push_back(phase.function < 0
                              ? "{rotate=[" + rotated + "]" + timing + "}"
                              : "{callAll=\"" + model_.collection + "." + model_.functions[of(phase.function)].name + "\"" + timing + "}");
        }
        return all;
    }

private:
    using Op = Expression::Op;

    static std::size_t of(int index) { return static_cast<std::size_t>(index); }
    [[nodiscard]] const std::string& member(int index) const { return model_.members[of(index)].name; }
    [[nodiscard]] std::string pointer(int index) const { return "&" + model_.row + "::" + member(index); }
    [[nodiscard]] const std::string& around(int index) const { return model_.neighbourhoods[of(index)].name; }
    static std::string local(int index) { return "v" + std::to_string(index); }
    [[nodiscard]] std::string offset(Offset o) const {
        std::string text = "offset<" + std::to_string(o.x);
        if (model_.dimensions > 1) text += ", " + std::to_string(o.y);
        if (model_.dimensions > 2) text += ", " + std::to_string(o.z);
        return text + ">";
    }
    void line(int depth, const std::string& text) { text_ += std::string(of(4 * depth), ' ') + text + "\n"; }

    void write(const Function& function, const std::string& macro) {
        std::string list;
        for (const auto& access : function.accesses) {
            constexpr std::array names{"reads<", "around<", "writes<", "sets<"};
            list += std::string(", ") + names[static_cast<std::size_t>(access.entry)];
            if (access.entry == Access::Entry::around) list += around(access.neighbourhood) + ", ";
            list += pointer(access.member) + ">";
        }
        line(0, macro + "(" + model_.row + ", " + function.name + list + ") {");
        const auto begin = text_.size();
        read_.clear();
        write(function.body, 1);
        const auto body = text_.substr(begin);
        text_.resize(begin);
        for (const int m : read_)
            if (!function.reads(m)) assign_default(model_.members[of(m)]);
        text_ += body;
        line(0, "}");
    }
    // A member of `sets` has its default until it is assigned, but cannot be read before.
    void assign_default(const Member& member) {
        for (int e = 0; e < member.values(); ++e)
            line(1, "self." + member.name + (member.elements > 0 ? "[" + std::to_string(e) + "]" : "") + " = " +
                        value_text(member.type, member.initially) + ";");
    }
    void write(const std::vector<Statement>& statements, int depth) {
        for (const auto& statement : statements) write(statement, depth);
    }
    void write(const Statement& s, int depth) {
        switch (s.op) {
        case Statement::Op::draw:
            line(depth, "const " + type_text(s.kind) + " " + local(s.index) + " = self.random." + draw(s) + ";");
            break;
        case Statement::Op::declare:
            line(depth, (model_.bits > 0 ? "const auto" : type_text(s.kind)) + " " + local(s.index) + " = " + text(s.of[0]) + ";");
            break;
        case Statement::Op::change: line(depth, local(s.index) + " = " + text(s.of[0]) + ";"); break;
        case Statement::Op::assign: line(depth, assignment(s)); break;
        case Statement::Op::when:
            line(depth, "if (" + text(s.of[0]) + ") {");
            write(s.then, depth + 1);
            if (!s.otherwise.empty()) line(depth, "} else {");
            write(s.otherwise, depth + 1);
            line(depth, "}");
            break;
        case Statement::Op::each:
            line(depth, "self.each(" + around(s.index) + ", [&]([[maybe_unused]] const auto& other) {");
            write(s.then, depth + 1);
            line(depth, "});");
        }
    }
    static std::string draw(const Statement& s) {
        switch (s.draw) {
        case Statement::Draw::bits: return "bits()";
        case Statement::Draw::below: return "below(" + std::to_string(s.below) + "u)";
        case Statement::Draw::uniform: return "uniform()";
        case Statement::Draw::uniform64: return "uniform64()";
        case Statement::Draw::bernoulli: break;
        }
        return "bernoulli(0.25f)";
    }
    std::string assignment(const Statement& s) {
        const auto& to = model_.members[of(s.index)];
        std::string name = "self." + to.name, value = text(s.of[0]);
        if (to.elements > 0)
            name += "[" + (s.element >= 0 ? std::to_string(s.element) : text(s.of[1]) + " % " + std::to_string(to.elements) + "u") + "]";
        if (to.odd) value = "(" + value + " | 1u)";
        const bool same = (model_.bits > 0 && s.of[0].kind != Kind::u32) || to.type == Scalar::boolean || to.type == Scalar::f32 ||
                          to.type == Scalar::f64;
        return name + " = " + (same ? value : "static_cast<" + type_text(to.type) + ">(" + value + ")") + ";";
    }

    // A member's value that is read as `from`.
    std::string read(const std::string& from, const Expression& e) {
        const auto& read = model_.members[of(e.index)];
        if (from == "self") read_.insert(e.index);
        std::string text = from + "." + read.name;
        if (read.elements > 0)
            text +=
                "[" +
                (e.op == Op::own_chosen ? this->text(e.of[0]) + " % " + std::to_string(read.elements) + "u" : std::to_string(e.element)) +
                "]";
        return e.kind == Kind::u32 || e.kind == Kind::u64 ? "static_cast<" + type_text(e.kind) + ">(" + text + ")" : text;
    }
    std::string text(const Expression& e) {
        constexpr std::array axes{"x", "y", "z"};
        const auto a = [&] { return text(e.of[0]); };
        const auto b = [&] { return text(e.of[1]); };
        const auto c = [&] { return text(e.of[2]); };
        const auto infix = [&](const char* symbol) { return "(" + a() + " " + symbol + " " + b() + ")"; };
        const auto by_constant = [&](const char* symbol) { return "(" + a() + " " + symbol + " " + constant_text(e.kind, e.bits) + ")"; };
        const std::string one = e.kind == Kind::f32 ? "1.0f" : "1.0";
        switch (e.op) {
        case Op::constant: return constant_text(e.kind, e.bits);
        case Op::own:
        case Op::own_chosen: return read("self", e);
        case Op::at: return read("self.at(" + offset(e.offset) + ")", e);
        case Op::other: return read("other", e);
        case Op::exists: return "self.exists(" + offset(e.offset) + ")";
        case Op::local: return local(e.index);
        case Op::position: return "static_cast<std::uint32_t>(self.position." + std::string(axes[of(e.index)]) + ")";
        case Op::size: return "static_cast<std::uint32_t>(self.size." + std::string(axes[of(e.index)]) + ")";
        case Op::step: return "static_cast<std::uint64_t>(self.step)";
        case Op::parameter: return e.kind == Kind::u32 ? "salt" : "drift";
        case Op::sum: {
            const auto total = "self.sum(" + around(e.around) + ", " + pointer(e.index) + ")";
            return is_float(e.kind) || e.kind == Kind::i32 ? total : "static_cast<" + type_text(e.kind) + ">(" + total + ")";
        }
        case Op::add: return infix("+");
        case Op::subtract: return infix("-");
        case Op::multiply: return infix("*");
        case Op::bit_and: return infix("&");
        case Op::bit_or: return infix("|");
        case Op::bit_xor: return infix("^");
        case Op::shift_left: return by_constant("<<");
        case Op::shift_right: return by_constant(">>");
        case Op::remainder: return by_constant("%");
        case Op::scaled: return by_constant("*");
        case Op::quotient: return infix("/");
        case Op::modulus: return infix("%");
        case Op::ratio: return "(" + a() + " / (" + one + " + " + b() + " * " + b() + "))";
        case Op::root: return "sqrt(" + one + " + " + a() + " * " + a() + ")";
        case Op::fused: return "fma(" + a() + ", " + b() + ", " + c() + ")";
        case Op::smaller: return "min(" + a() + ", " + b() + ")";
        case Op::larger: return "max(" + a() + ", " + b() + ")";
        case Op::magnitude: return "abs(" + a() + ")";
        case Op::equal: return infix("==");
        case Op::less: return infix("<");
        case Op::negate: return "(!" + a() + ")";
        case Op::select:
            if (model_.bits > 0) return "select(" + a() + ", " + b() + ", " + c() + ")";
            return "(" + a() + " ? " + b() + " : " + c() + ")";
        case Op::convert: break;
        }
        return conversion(e.of[0].kind, e.kind, a());
    }
    static std::string conversion(Kind from, Kind to, const std::string& a) {
        const auto cast = [&](const std::string& value) { return "static_cast<" + type_text(to) + ">(" + value + ")"; };
        if (from == Kind::boolean) return "(" + a + " ? " + constant_text(to, 1) + " : " + constant_text(to, 0) + ")";
        if (to == Kind::u32 && from == Kind::f32) return cast(a + " * 8.0f + 1024.0f");
        if (to == Kind::u32 && from == Kind::f64) return cast(a + " * 8.0 + 1024.0");
        if (from == Kind::u32 && is_float(to)) return "(" + cast(a + " & 1023u") + (to == Kind::f32 ? " / 1024.0f)" : " / 1024.0)");
        return cast(a);
    }

    const Model& model_;
    std::string text_{};
    std::set<int> read_{}; // members of its own place that the function reads
};

// The source of one model file that has several.
inline std::string source_of(const std::vector<Model>& models, const std::string& name) {
    std::string text = "#include <tessera/model.hpp>\n\nTESSERA_PARAM(std::uint32_t, salt, 1);\nTESSERA_PARAM(float, drift, 0.5f);\n\n";
    for (const auto& model : models) text += Writer(model).source() + "\n";
    return text + "TESSERA_MODEL(" + name + ", \"models that nobody thought of\");\n";
}

} // namespace tessera::test::random_model

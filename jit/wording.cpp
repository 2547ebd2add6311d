#include "jit/wording.hpp"

#include "jit/wording/rules.hpp"

#include <algorithm>
#include <iterator>
#include <regex>

namespace tessera::jit {
namespace {

using Put = std::optional<Wording> (*)(const Captures&, const Passage&);

struct Rule {
    Toolchain toolchain;
    const char* pattern; // of the whole message; of `anywhere`: plain words in the message or in the notes below it
    Put put;
    bool anywhere = false;
};

constexpr Rule rules[] = {
    {Toolchain::gcc, "member_is_not_in_the_access_list", undeclared_summand, true},
    {Toolchain::clang, "member_is_not_in_the_access_list", undeclared_summand, true},
    {Toolchain::nvrtc, "member_is_not_in_the_access_list", undeclared_summand, true},

    {Toolchain::gcc, R"~(static assertion failed: (.*))~", its_own_text},
    {Toolchain::clang, R"~(static_assert failed(?: due to requirement '.*')? "(.*)")~", its_own_text},
    {Toolchain::clang, R"~(static assertion failed(?: due to requirement '.*')?: (.*))~", its_own_text},
    {Toolchain::nvrtc, R"~(static assertion failed with "(.*)")~", its_own_text},

    {Toolchain::gcc, R"~(use of deleted function 'tessera::(?:place|agent|ground)<.*)~", copied_place},
    {Toolchain::clang,
     R"~((?:call to deleted constructor of|.* deleted copy constructor of) '(?:const )?tessera::(?:place|agent|ground)<.*)~", copied_place},
    {Toolchain::nvrtc, R"~(function "tessera::(?:place|agent|ground)<.* cannot be referenced -- it is a deleted function)~", copied_place},
    {Toolchain::gcc, R"~(use of deleted function 'tessera::met_(?:agent|in_space)<.*)~", copied_other},
    {Toolchain::clang,
     R"~((?:call to deleted constructor of|.* deleted copy constructor of) '(?:const )?tessera::met_(?:agent|in_space)<.*)~", copied_other},
    {Toolchain::nvrtc, R"~(function "tessera::met_(?:agent|in_space)<.* cannot be referenced -- it is a deleted function)~", copied_other},
    {Toolchain::gcc, R"~(use of deleted function 'tessera::(?:other_end|given_end|linked_site)<.*)~", copied_end},
    {Toolchain::clang,
     R"~((?:call to (?:implicitly-)?deleted (?:copy )?constructor of|.* deleted copy constructor of) '(?:const )?tessera::(?:other_end|given_end|linked_site)<.*)~",
     copied_end},
    {Toolchain::nvrtc, R"~(function "tessera::(?:other_end|given_end|linked_site)<.* cannot be referenced -- it is a deleted function)~",
     copied_end},
    {Toolchain::gcc, R"~(use of deleted function 'tessera::(?:folded_member|fixed_array)<.*)~", copied_sum},
    {Toolchain::clang, R"~((?:call to (?:implicitly-)?deleted (?:copy )?constructor of|.* deleted copy constructor of) .*folded_member.*)~",
     copied_sum},
    {Toolchain::nvrtc, R"~(function "tessera::(?:folded_member|fixed_array)<.* cannot be referenced -- it is a deleted function)~",
     copied_sum},
    {Toolchain::gcc, R"~(use of deleted function 'tessera::random_stream::.*)~", copied_stream},
    {Toolchain::clang, R"~((?:call to deleted constructor of|.* deleted copy constructor of) '(?:const )?tessera::random_stream'.*)~",
     copied_stream},
    {Toolchain::nvrtc, R"~(function "tessera::random_stream::.* cannot be referenced -- it is a deleted function)~", copied_stream},
    {Toolchain::gcc, R"~(invalid use of non-static data member .*)~", member_without_address},
    {Toolchain::clang, R"~(invalid use of non-static data member .*)~", member_without_address},
    {Toolchain::nvrtc, R"~(a nonstatic member reference must be relative to a specific object)~", member_without_address},

    {Toolchain::gcc, R"~(the value of '[\w:]+' is not usable in a constant expression)~", variable_offset},
    {Toolchain::clang, R"~(non-type template argument is not a constant expression)~", variable_offset},
    {Toolchain::nvrtc, R"~(expression must have a constant value)~", variable_offset},
    {Toolchain::nvrtc, R"~(no instance of (?:overloaded )?function(?: template)? "tessera::(?:place|agent|ground)<Function, View>::at.*)~",
     variable_offset},

    {Toolchain::gcc, R"~(the value of '[\w:]+' is not usable in a constant expression|ISO C\+\+ forbids variable length array.*)~",
     not_constant},
    {Toolchain::gcc, R"~(non-constant condition for static assertion)~", not_constant},
    {Toolchain::clang,
     R"~(variable length arrays are a C99 feature|.* (?:is not|must be initialized by) an? (?:integral )?constant expression)~",
     not_constant},
    {Toolchain::nvrtc, R"~(expression must have a constant value)~", not_constant},
    {Toolchain::clang, "invalid explicitly-specified argument for template parameter", not_constant, true},

    {Toolchain::gcc, R"~(no matching function for call to 'describe_parameter<.*)~", wrong_parameter},
    {Toolchain::clang, R"~(no matching function for call to 'describe_parameter')~", wrong_parameter},
    {Toolchain::nvrtc, R"~(no instance of .*"tessera::describe_parameter".*)~", wrong_parameter},

    {Toolchain::gcc, R"~(no match for 'operator\[\]' in .*agents_type<.*|'(?:begin|end)' was not declared in this scope.*)~",
     agents_as_a_list},
    {Toolchain::clang,
     R"~(type '.*agents_type<.*' does not provide a subscript operator|invalid range expression of type '.*agents_type<.*)~",
     agents_as_a_list},
    {Toolchain::nvrtc, R"~(no operator "\[\]" matches these operands|this range-based "for" statement requires a suitable "begin" .*)~",
     agents_as_a_list},

    {Toolchain::gcc, R"~(no match for 'operator\[\]' in .*link_list<.*|'(?:begin|end)' was not declared in this scope.*)~",
     links_as_a_list},
    {Toolchain::clang, R"~(type '.*link_list<.*' does not provide a subscript operator|invalid range expression of type '.*link_list<.*)~",
     links_as_a_list},
    {Toolchain::nvrtc, R"~(no operator "\[\]" matches these operands|this range-based "for" statement requires a suitable "begin" .*)~",
     links_as_a_list},

    {Toolchain::gcc, R"~(no match for call to '\(tessera::(?:(?:\w*place|agent|linked_agent)<|random_stream).*)~", called_self},
    {Toolchain::clang, R"~(type '.*tessera::(?:(?:\w*place|agent|linked_agent)<.*|random_stream)'\)? does not provide a call operator)~",
     called_self},
    {Toolchain::nvrtc, R"~(call of an object of a class type without appropriate operator\(\) or conversion functions .*)~", called_self},
    {Toolchain::gcc, R"~(no match for call to '\(.*::<(?:lambda|\.\.\.>).*)~", wrong_visitor},
    {Toolchain::clang, R"~(no matching function for call to object of type '\(lambda at .*)~", wrong_visitor},
    {Toolchain::nvrtc, R"~(function "lambda .*" cannot be called with the given argument list)~", wrong_visitor},

    {Toolchain::gcc, R"~(operands to '\?:' have different types .*)~", directions_that_differ},
    {Toolchain::clang, R"~(incompatible operand types .*)~", directions_that_differ},
    {Toolchain::nvrtc, R"~(operand types are incompatible .*)~", directions_that_differ},
    {Toolchain::gcc, R"~(operands to '\?:' have different types .*)~", different_types},
    {Toolchain::clang, R"~(incompatible operand types .*)~", different_types},
    {Toolchain::nvrtc, R"~(operand types are incompatible .*)~", different_types},

    {Toolchain::gcc,
     R"~((?:invalid initialization|cannot bind non-const lvalue reference) of .*type '(?:const )?(?:tessera_model::)?(\w+)&'.*)~",
     self_as_row},
    {Toolchain::gcc, R"~(could not convert '.*' from 'tessera::.*' to '(?:tessera_model::)?(\w+)'.*)~", self_as_row},
    {Toolchain::clang, R"~(no matching function for call to '(\w+)')~", self_to_function},
    {Toolchain::nvrtc,
     R"~(a reference of type "(?:const )?(?:tessera_model::)?(\w+) &".* cannot be initialized with a value of type "tessera::.*)~",
     self_as_row},
    {Toolchain::nvrtc, R"~(no suitable (?:user-defined conversion|constructor) .*"(?:const )?(?:tessera_model::)?(\w+)"(?: exists)?)~",
     self_as_row},

    {Toolchain::gcc, R"~('using \w+ = struct (.+?)' \{aka .*\} has no member named '(\w+)'.*)~", absent_member},
    {Toolchain::gcc, R"~('(?:const )?(?:(?:struct|class|union) )?(.+)' has no member named '(\w+)'.*)~", absent_member},
    {Toolchain::gcc, R"~('(.+)' has no non-static data member named '(\w+)')~", absent_member},
    {Toolchain::clang, R"~(field designator '(\w+)' does not refer to any field in type '(.+?)'.*)~", member_absent},
    {Toolchain::nvrtc, R"~(class "(.+)" has no field "(\w+)")~", absent_member},
    {Toolchain::gcc, R"~('(\w+)' is not a member of '(?:const )?(.+?)'.*)~", name_absent_from},
    {Toolchain::clang, R"~(no member named '(\w+)' in namespace '(.+?)'.*)~", name_absent_from},
    {Toolchain::clang, R"~(no member named '(\w+)' in '(?:const )?(.+?)'.*)~", member_absent},
    {Toolchain::clang, R"~(no (?:template|type) named '(\w+)' in (?:namespace )?'(.+?)'.*)~", name_absent_from},
    {Toolchain::nvrtc, R"~(namespace "(.+)" has no member "(\w+)")~", namespace_lacks},
    {Toolchain::nvrtc, R"~(name followed by "::" must be a class or namespace name)~", unknown_namespace},
    {Toolchain::nvrtc, R"~((?:class|struct|union) "(?:const )?(.+)" has no member "(\w+)")~", absent_member},

    {Toolchain::gcc, R"~((?:assignment|increment|decrement) of (?:read-only|member|constant|element of read-only).*)~", read_only},
    {Toolchain::clang, R"~(cannot assign to .*)~", read_only},
    {Toolchain::clang, R"~(read-only variable is not assignable)~", read_only},
    {Toolchain::clang, R"~(expression is not assignable)~", read_only},
    {Toolchain::nvrtc, R"~(expression must be a modifiable lvalue.*)~", read_only},

    {Toolchain::gcc, R"~('(\w+)' was not declared in this scope.*)~", unknown_name},
    {Toolchain::gcc, R"~(there are no arguments to '(\w+)' that depend on a template parameter.*)~", unknown_name},
    {Toolchain::gcc, R"~('(\w+)' does not name a type.*)~", unknown_name},
    {Toolchain::gcc, R"~('(std)::(\w+)' has not been declared.*)~", namespace_lacks},
    {Toolchain::gcc, R"~('(\w+)' has not been declared.*)~", unknown_name},
    {Toolchain::clang, R"~(use of undeclared identifier '(\w+)'.*)~", unknown_name},
    {Toolchain::clang, R"~(unknown type name '(\w+)'.*)~", unknown_name},
    {Toolchain::nvrtc, R"~(identifier "(\w+)" is undefined.*)~", unknown_name},

    {Toolchain::nvrtc, R"~((\w+) is not a template)~", unknown_template},

    {Toolchain::gcc, R"~(invalid use of incomplete type '(?:struct )?tessera_model::(\w+)'.*)~", unknown_name},
    {Toolchain::clang, R"~('tessera_model::(\w+)' is an incomplete type)~", unknown_name},
    {Toolchain::clang, R"~((?:invalid use of|variable has) incomplete type '(?:const )?tessera_model::(\w+)')~", unknown_name},
    {Toolchain::nvrtc, R"~(incomplete type "(?:const )?tessera_model::(\w+)" is not allowed)~", unknown_name},
    {Toolchain::gcc, R"~(expected (?:primary-expression|unqualified-id) before .*)~", hidden_name},
    {Toolchain::clang, R"~('\w+' does not refer to a value|cannot use dot operator on a type)~", hidden_name},
    {Toolchain::nvrtc, R"~(type name is not allowed)~", hidden_name},

    {Toolchain::gcc, R"~((?:redefinition of|redeclaration of|conflicting declaration) '(?:.*[ :*&])?(\w+)(?:\(.*\))?'.*)~", defined_twice},
    {Toolchain::clang, R"~((?:redefinition|redeclaration) of (?:enumerator )?'(\w+)'.*)~", defined_twice},
    {Toolchain::nvrtc,
     R"~((?:(?:class|struct|function|variable|enum) )?"(?:.*[ :*&])?(\w+)(?:\(.*\))?".* has already been (?:defined|declared).*)~",
     defined_twice},
    {Toolchain::nvrtc, R"~(declaration is incompatible with ".*[ :*&](\w+)".*)~", defined_twice},

    {Toolchain::gcc, R"~(only \d+ names? provided for structured binding)~", not_all_listed},
    {Toolchain::clang, R"~(type '.+' decomposes into \d+ elements, but only \d+ names? (?:was|were) provided)~", not_all_listed},
    {Toolchain::nvrtc, R"~(there are more elements than there are binding names)~", not_all_listed},

    {Toolchain::gcc,
     R"~(no matching function for call to 'tessera::(?:\w*place|place_of_agents|agent|linked_agent|ground|\w*site)<.*>::(\w+)(?:<.*>)?\(.*\)')~",
     wrong_arguments},
    {Toolchain::clang, R"~(no matching member function for call to '(\w+)')~", wrong_arguments},
    {Toolchain::nvrtc,
     R"~(no instance of (?:overloaded )?function(?: template)? "tessera::(?:\w*place|place_of_agents|agent|linked_agent|ground|\w*site)<.*?>::(\w+).*" matches the argument list.*)~",
     wrong_arguments},

    {Toolchain::gcc, R"~(no matching function for call to 'tessera::random_stream::.*)~", wrong_draw},
    {Toolchain::clang, R"~(too (?:many|few) arguments to function call.*)~", wrong_draw},
    {Toolchain::nvrtc, R"~(too (?:many|few) arguments in function call)~", wrong_draw},
    {Toolchain::clang, R"~(no matching member function for call to 'below')~", wrong_draw},
    {Toolchain::nvrtc, R"~(no instance of function template "tessera::random_stream::below" matches the argument list.*)~", wrong_draw},
    {Toolchain::gcc, R"~(cannot convert 'tessera::random_stream::.*|invalid use of member function '.*random_stream::.*)~", uncalled_draw},
    {Toolchain::clang, R"~(reference to non-static member function must be called.*)~", uncalled_draw},
    {Toolchain::nvrtc, R"~(a pointer to a bound function may only be used to call the function)~", uncalled_draw},

    {Toolchain::gcc, R"~('\w+' is not captured)~", uncaptured},
    {Toolchain::clang, R"~(variable '\w+' cannot be implicitly captured in a lambda with no capture-default specified)~", uncaptured},
    {Toolchain::nvrtc, R"~(an enclosing-function local variable cannot be referenced in a lambda body unless it is in the capture list)~",
     uncaptured},
    {Toolchain::gcc, R"~((break|continue) statement not within .*)~", left_a_visit},
    {Toolchain::clang, R"~('(break|continue)' statement not in loop.*)~", left_a_visit},
    {Toolchain::nvrtc, R"~(a (break|continue) statement may only be used within .*)~", left_a_visit},
    {Toolchain::gcc, R"~(return-statement with a value, in function returning 'void'.*)~", returned_value},
    {Toolchain::clang, R"~(void function '.*' should not return a value.*)~", returned_value},
    {Toolchain::nvrtc, R"~(return value type (?:".*" )?does not match the function type.*)~", returned_value},
    {Toolchain::gcc, R"~('this' is unavailable for static member functions|invalid use of 'this' .*)~", without_this},
    {Toolchain::clang, R"~(invalid use of 'this' .*)~", without_this},
    {Toolchain::nvrtc, R"~("this" may only be used inside a nonstatic member function)~", without_this},
    {Toolchain::gcc, R"~(base operand of '->' has non-pointer type .*)~", no_pointer},
    {Toolchain::clang, R"~(member reference type '.*' is not a pointer.*)~", no_pointer},
    {Toolchain::nvrtc, R"~(operator -> or ->\* applied to ".*" instead of to a pointer type)~", no_pointer},
    {Toolchain::gcc, R"~(.*'const (?:[\w:]+::)?tessera_(?:global|uniform)_(\w+)'.*)~", value_by_its_name},
    {Toolchain::clang, R"~(.*'const (?:[\w:]+::)?tessera_(?:global|uniform)_(\w+)'.*)~", value_by_its_name},
    {Toolchain::nvrtc, R"~(.*"const (?:[\w:]+::)?tessera_(?:global|uniform)_(\w+)".*)~", value_by_its_name},

    {Toolchain::gcc, R"~(no match for 'operator=' in .*)~", assigned_self},
    {Toolchain::clang, R"~(no viable overloaded '=')~", assigned_self},
    {Toolchain::nvrtc, R"~(no operator "=" matches these operands)~", assigned_self},
    {Toolchain::gcc, R"~(no match for 'operator.*' in .*|cannot convert '.+ to '.+|invalid operands .*)~", whole_array},
    {Toolchain::clang,
     R"~(no viable (?:overloaded|conversion) .*|invalid (?:operands to|argument type) .*|assigning to '.+' from incompatible type .*|cannot (?:initialize|convert) .*)~",
     whole_array},
    {Toolchain::nvrtc, R"~(no operator ".*" matches these operands|no suitable conversion function from .* exists)~", whole_array},
    {Toolchain::gcc, R"~(invalid operands of types .* to binary 'operator[%^]=?')~", operator_of_integers},
    {Toolchain::clang, R"~(invalid operands to binary expression .*)~", operator_of_integers},
    {Toolchain::nvrtc, R"~(expression must have integral or unscoped enum type)~", operator_of_integers},

    {Toolchain::gcc, R"~(cannot convert '.+' to '(.+?)'.* in .*)~", no_conversion},
    {Toolchain::gcc, R"~(invalid conversion from '.+' to '(.+?)'.*)~", no_conversion},
    {Toolchain::clang, R"~(assigning to '(.+?)'.* from incompatible type .*)~", no_conversion},
    {Toolchain::clang, R"~(cannot initialize a variable of type '(.+?)'.* with an .*)~", no_conversion},
    {Toolchain::nvrtc, R"~(a value of type ".+" cannot be (?:assigned to|used to initialize) an entity of type "(.+?)".*)~", no_conversion},

    {Toolchain::gcc, R"~(narrowing conversion of '.*' from '.+' to '.+'.*)~", narrowed},
    {Toolchain::clang, R"~(.*cannot be narrowed .*)~", narrowed},
    {Toolchain::nvrtc, R"~(invalid narrowing conversion from .*)~", narrowed},

    {Toolchain::gcc, R"~(expected (?:',' or )?';'.*)~", missing_semicolon},
    {Toolchain::clang, R"~(expected ';'.*)~", missing_semicolon},
    {Toolchain::nvrtc, R"~(expected a ";".*)~", missing_semicolon},
};

const std::vector<std::regex>& patterns() {
    static const std::vector<std::regex> compiled = [] {
        std::vector<std::regex> result;
        for (const auto& rule : rules) result.emplace_back(rule.pattern, std::regex::ECMAScript | std::regex::optimize);
        return result;
    }();
    return compiled;
}

std::optional<Captures> match(const Rule& rule, const std::regex& pattern, const CompilerMessage& message) {
    if (rule.anywhere) {
        const auto has = [&](const std::string& text) { return text.find(rule.pattern) != std::string::npos; };
        const bool found = has(message.text) || std::any_of(message.notes.begin(), message.notes.end(), has);
        return found ? std::optional(Captures{message.text}) : std::nullopt;
    }
    std::smatch found;
    if (!std::regex_match(message.text, found, pattern)) return std::nullopt;
    Captures captures;
    for (const auto& each : found) captures.push_back(each.str());
    return captures;
}

} // namespace

std::optional<Wording> in_our_words(const CompilerMessage& message, Toolchain toolchain, const Passage& passage) {
    for (std::size_t i = 0; i < std::size(rules); ++i) {
        if (rules[i].toolchain != toolchain) continue;
        const auto captures = match(rules[i], patterns()[i], message);
        if (!captures) continue;
        if (auto wording = rules[i].put(*captures, passage)) return wording;
    }
    return std::nullopt;
}

} // namespace tessera::jit

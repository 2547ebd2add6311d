#include "host/run_file/given.hpp"

#include "host/run_file/checks.hpp"
#include "host/run_file/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tessera::run_file {
namespace {

Where given_at(const std::string& from) { return {from, 0, 0}; }

} // namespace

Located<Number> given_number(const std::string& name, const std::string& text, const std::string& from) {
    try {
        return {read_number(parse_value(text, name, given_at(from))), given_at(from)};
    } catch (const std::invalid_argument&) {
        fail_at(given_at(from), fmt::format("`{}` is no value of {}", text, name), "it is no number", "give a number, true or false");
    }
}

Named<Located<Number>> given_parameter(const std::string& name, const std::string& text, const std::string& from) {
    return {{name, given_at(from)}, given_number("params." + name, text, from)};
}

Located<expression::Expression> given_condition(const std::string& text, const std::string& from) {
    Node node;
    node.kind = Node::Kind::text;
    node.where = given_at(from);
    node.text = text;
    return read_condition(node);
}

void set_parameter(RunFile& run, const Named<Located<Number>>& given) {
    const auto is_it = [&](const Named<Located<Number>>& each) { return *each.name == *given.name; };
    const auto known = std::find_if(run.params.begin(), run.params.end(), is_it);
    if (known != run.params.end())
        known->value = given.value;
    else
        run.params.push_back(given);
}

} // namespace tessera::run_file

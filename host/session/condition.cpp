#include "host/session/condition.hpp"

#include "host/run_file/given.hpp"
#include "host/setup/expressions.hpp"

namespace tessera {

run_file::Located<expression::Expression> condition_of(const Setup& setup, const std::string& text, const std::string& from) {
    auto condition = run_file::given_condition(text, from);
    check_expression(setup, condition);
    return condition;
}

} // namespace tessera

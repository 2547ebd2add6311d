#include "host/bench/handed_over.hpp"

#include <algorithm>

namespace tessera::bench {

const char* plain_name(Scalar type) {
    switch (type) {
    case Scalar::boolean: return "bool";
    case Scalar::i8: return "signed char";
    case Scalar::u8: return "unsigned char";
    case Scalar::i16: return "short";
    case Scalar::u16: return "unsigned short";
    case Scalar::i32: return "int";
    case Scalar::u32: return "unsigned int";
    case Scalar::i64: return "long long";
    case Scalar::u64: return "unsigned long long";
    case Scalar::f32: return "float";
    case Scalar::f64: break;
    }
    return "double";
}

const ParameterValue& value_of(const Setup& setup, const std::string& name) {
    const auto is_this = [&](const ParameterValue& each) { return each.name == name; };
    return *std::find_if(setup.values.parameters.begin(), setup.values.parameters.end(), is_this); // obstacle() has looked
}

void add_value(std::vector<std::byte>& arguments, const ParameterValue& parameter) {
    arguments.insert(arguments.end(), parameter.bytes.begin(), parameter.bytes.end());
    arguments.resize((arguments.size() + 7) / 8 * 8);
}

} // namespace tessera::bench

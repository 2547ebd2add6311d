// Values of a step, as functions read them.
#pragma once

#include <tessera/detail/uniform.hpp>
#include <tessera/kernels/launch/arguments.hpp>
#include <tessera/kernels/launch/memory.hpp>

namespace tessera {

// Nobody writes a uniform while functions read it.
template<class T> TESSERA_FN T load_uniform(const T* from) {
    const T value = load<true>(from);
#if defined(TESSERA_CHECKED)
    if constexpr (same_type<T, float> || same_type<T, double>)
        if (value != value) running_call().read_nan = 1;
#endif
    return value;
}

// Of the step that is so many after the first.
template<class Value> TESSERA_FN auto step_value(const std::uint64_t* first_step, std::uint64_t step_after_first) {
    const std::uint64_t* const word = first_step + first_value_word + Value::tessera_slot;
    if constexpr (!is_uniform<Value>)
        return *reinterpret_cast<const typename Value::tessera_value*>(word);
    else {
        using scalar = scalar_of_uniform<Value>;
        const auto* const values = reinterpret_cast<const scalar*>(word + uniform_row(step_after_first) * Value::tessera_row_words);
        if constexpr (is_array<typename Value::tessera_declared>)
            return uniform_values<scalar, elements_of_uniform<Value>, load_uniform<scalar>>{values};
        else
            return load_uniform(values);
    }
}
template<class Value> TESSERA_FN auto step_value(const launch_arguments& args) {
    return step_value<Value>(args.first_step, args.step_after_first);
}
// Of the step with a number.
template<class Value> TESSERA_FN auto value_in_step(const std::uint64_t* first_step, std::uint64_t number) {
    return step_value<Value>(first_step, number - *first_step);
}

} // namespace tessera

// Kernels that make uniforms: each has a thread for each of its values, of all steps that are asked for at once.
#pragma once

#include <tessera/kernels/launch/entry.hpp>
#include <tessera/kernels/launch/grid.hpp>
#include <tessera/kernels/launch/step_values.hpp>

namespace tessera {

// What a uniform sees of a step.
struct uniform_view {
    const std::uint64_t* first_step;
    std::uint64_t step_after_first;

    template<class Value> TESSERA_FN auto global() const { return step_value<Value>(first_step, step_after_first); }
};

template<class Uniform> TESSERA_FN void make_uniform(const uniform_arguments& args, std::uint64_t number) {
    constexpr std::uint64_t elements = elements_of_uniform<Uniform>;
    const std::uint64_t after = args.step_after_first + number / elements, element = number % elements;
    const uniform_self<Uniform, uniform_view> self({args.step_words, after}, step_number(*args.step_words + after),
                                                   static_cast<int>(element));
#if defined(TESSERA_CHECKED)
    const noted_call call(self.step, self.index, 0, 0, static_cast<std::int64_t>(number)); // where calls of functions have their places
#endif
    std::uint64_t* const word =
        args.step_words + first_value_word + Uniform::tessera_slot + uniform_row(after) * Uniform::tessera_row_words;
    reinterpret_cast<scalar_of_uniform<Uniform>*>(word)[element] = Uniform::call(self);
}

template<class Uniform> TESSERA_FN void make_uniforms(const uniform_arguments& args) {
    const std::uint64_t count = args.steps * elements_of_uniform<Uniform>;
#if TESSERA_GPU
    const std::uint64_t number = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (number < count) make_uniform<Uniform>(args, number);
#else
    for (std::uint64_t number = 0; number < count; ++number) make_uniform<Uniform>(args, number);
#endif
}

} // namespace tessera

// SPDX-License-Identifier: Apache-2.0
// What the macros of model.hpp are made of.
#pragma once

#include <tessera/detail/describe.hpp>
#include <tessera/detail/place.hpp>
#include <tessera/detail/uniform.hpp>

// A function: its type, by which the engine names it, its record, and the head of the body that follows.
#define TESSERA_FUNCTION(kind, Row, function, ...)                                                                               \
    struct Row##_##function {                                                                                                    \
        using row = Row;                                                                                                         \
        using row_members = tessera_members_of_##Row;                                                                            \
        using access = tessera::access_list<__VA_ARGS__>;                                                                        \
        template<class Self> static TESSERA_FN void call(Self& self);                                                            \
    };                                                                                                                           \
    TESSERA_RECORD(call_##Row##_##function, tessera::describe_function<Row##_##function>(                                        \
                                                tessera::record_kind::kind, TESSERA_HERE, #Row "\0" #function "\0" #__VA_ARGS__, \
                                                tessera::indices_to<tessera_members_of_##Row::member_count>{}))                  \
    template<class Self> TESSERA_FN void Row##_##function::call([[maybe_unused]] Self& self)

// A parameter. The host defines TESSERA_KIND_<name>: BAKED, a constant to the compiler, or PASSED, set at run time.
#define TESSERA_PARAMETER(type, name, ...)                  \
    TESSERA_PARAM_FITS(type, name, __VA_ARGS__)             \
    TESSERA_CAT(TESSERA_DECLARE_, TESSERA_PARAM_KIND(name)) \
    (type, name, __VA_ARGS__)                               \
        TESSERA_RECORD(parameter_##name, tessera::describe_parameter<type>(TESSERA_HERE, TESSERA_PARAM_ARGUMENTS(name, __VA_ARGS__)))
#define TESSERA_PARAM_ARGUMENTS(name, value, ...) value, #name __VA_OPT__(, ) __VA_ARGS__
#define TESSERA_FIRST(first, ...) first
#if defined(TESSERA_KERNELS) || defined(TESSERA_VALUES_ARE_KNOWN)
#define TESSERA_PARAM_KIND(name) TESSERA_KIND_##name
#else
#define TESSERA_PARAM_KIND(name) DEFAULT
#endif
#if defined(TESSERA_KERNELS)
#define TESSERA_PARAM_FITS(type, name, ...)
#else
#define TESSERA_PARAM_FITS(type, name, ...)                                 \
    static_assert(tessera::is_value_of<type>(TESSERA_FIRST(__VA_ARGS__, )), \
                  "the default of " #name " is no " #type ", and would become another number");
#endif
#define TESSERA_DECLARE_DEFAULT(type, name, ...) constexpr type name = TESSERA_FIRST(__VA_ARGS__, );
#define TESSERA_DECLARE_BAKED(type, name, ...) constexpr type name = TESSERA_VALUE_##name;
// TESSERA_PASSED(name) is where it is set.
#if TESSERA_GPU
#define TESSERA_DECLARE_PASSED(type, name, ...) __device__ type name;
#define TESSERA_PASSED(name) name
#else
#define TESSERA_DECLARE_PASSED(type, name, ...)                              \
    TESSERA_UNKNOWN_CONSTANT("tessera_value_of_" #name, "8")                 \
    extern type tessera_set_##name TESSERA_NAMED("tessera_value_of_" #name); \
    extern const type name TESSERA_NAMED("tessera_value_of_" #name);
#define TESSERA_PASSED(name) tessera_set_##name
#endif

// A value of a step: a type that stands for it in access lists, and its record. The host defines TESSERA_SLOT_<name>: where it stands.
#define TESSERA_GLOBAL_VALUE(type, name, ...)                                    \
    struct tessera_global_##name {                                               \
        using tessera_value = type;                                              \
        static constexpr std::uint64_t tessera_name = tessera::name_hash(#name); \
        static constexpr int tessera_slot = TESSERA_SLOT(name);                  \
    };                                                                           \
    inline constexpr tessera_global_##name name{};                               \
    TESSERA_RECORD(value_##name, tessera::describe_value<type>(TESSERA_HERE, #name __VA_OPT__(, ) __VA_ARGS__))
#if defined(TESSERA_KERNELS)
#define TESSERA_SLOT(name) TESSERA_SLOT_##name
#else
#define TESSERA_SLOT(name) 0
#endif

// The host defines TESSERA_UNIFORM_WORDS as well: those of 8 bytes that the uniforms of a step take.
#if !defined(TESSERA_KERNELS)
#define TESSERA_UNIFORM_WORDS 0
#endif
// What is made once a step: a type that stands for it in access lists, its record, and the head of the body that follows.
#define TESSERA_UNIFORM_VALUE(type, name, ...)                                                                               \
    struct tessera_uniform_##name {                                                                                          \
        using tessera_declared = type;                                                                                       \
        using tessera_value = tessera::member_type<tessera_declared>::scalar;                                                \
        using access = tessera::access_list<__VA_ARGS__>;                                                                    \
        static constexpr std::uint64_t tessera_name = tessera::name_hash(#name);                                             \
        static constexpr int tessera_slot = TESSERA_SLOT(name);                                                              \
        static constexpr std::uint64_t tessera_row_words = TESSERA_UNIFORM_WORDS;                                            \
        template<class Self> static TESSERA_FN tessera_value call(const Self& self);                                         \
    };                                                                                                                       \
    inline constexpr tessera_uniform_##name name{};                                                                          \
    TESSERA_RECORD(uniform_##name, tessera::describe_uniform<tessera_uniform_##name>(TESSERA_HERE, #name "\0" #__VA_ARGS__)) \
    template<class Self> TESSERA_FN tessera_uniform_##name::tessera_value tessera_uniform_##name::call([[maybe_unused]] const Self& self)

// A text of which a model has one, and a text of a kind of which it may have several.
#define TESSERA_TEXT_RECORD(kind, ...) TESSERA_RECORD(kind, tessera::describe_text(tessera::record_kind::kind, TESSERA_HERE, __VA_ARGS__))
#define TESSERA_TEXT_RECORDS(kind, ...) \
    TESSERA_RECORDS(kind, __VA_ARGS__, tessera::describe_text(tessera::record_kind::kind, TESSERA_HERE, __VA_ARGS__))

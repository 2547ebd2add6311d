// The one header that a model includes.
//
//     struct Cell { std::uint8_t alive = 0; };
//     TESSERA_PLACE(Cell, alive);
//     TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::alive>) { ... }
//     TESSERA_MODEL(life, "Conway's Game of Life");
//
// The same text is compiled by NVRTC for a GPU and by the host's C++ compiler for a CPU. docs/sdk.md is the reference.
#pragma once

#include <tessera/access.hpp>
#include <tessera/base.hpp>
#include <tessera/describe.hpp>
#include <tessera/macros.hpp>
#if !defined(TESSERA_WITHOUT_MATH) // the engine defines it for models that name none of it
#include <tessera/math.hpp>
#endif
#include <tessera/member.hpp>
#include <tessera/neighbourhood.hpp>
#include <tessera/place.hpp>
#include <tessera/random.hpp>
#include <tessera/self.hpp>

// TESSERA_CALL(Row, function, access list...) { body over `self` }: a function that a phase `callAll` runs once for every place.
#define TESSERA_CALL(Row, function, ...) TESSERA_FUNCTION(tessera::record_kind::call, Row, function, __VA_ARGS__)

// TESSERA_INIT: the same, run once before the first step. Init functions run in the order of declaration; what the run file gives stays.
#define TESSERA_INIT(Row, function, ...) TESSERA_FUNCTION(tessera::record_kind::init, Row, function, __VA_ARGS__)

#define TESSERA_FUNCTION(kind, Row, function, ...)                                                                                        \
    struct Row##_##function {                                                                                                             \
        using row = Row;                                                                                                                  \
        using row_members = tessera_members_of_##Row;                                                                                     \
        using access = tessera::access_list<__VA_ARGS__>;                                                                                 \
        template<class Self> static TESSERA_FN void call(Self& self);                                                                     \
    };                                                                                                                                    \
    TESSERA_RECORD(decltype(tessera::describe_function<Row##_##function>(kind, __LINE__, #Row "\0" #function "\0" #__VA_ARGS__,           \
                                                                         tessera::indices_to<tessera_members_of_##Row::member_count>{})), \
                   call_##Row##_##function,                                                                                               \
                   tessera::describe_function<Row##_##function>(kind, __LINE__, #Row "\0" #function "\0" #__VA_ARGS__,                    \
                                                                tessera::indices_to<tessera_members_of_##Row::member_count>{}))           \
    template<class Self> TESSERA_FN void Row##_##function::call([[maybe_unused]] Self& self)

// TESSERA_PARAM(type, name, default[, range(low, high)][, "documentation"]): a constant that the run file may set.
// For each parameter the host defines TESSERA_KIND_<name>: BAKED, a constant to the compiler, or PASSED, set at run time.
#define TESSERA_PARAM(type, name, ...)                                                                                    \
    TESSERA_CAT(TESSERA_DECLARE_, TESSERA_PARAM_KIND(name))                                                               \
    (type, name, __VA_ARGS__)                                                                                             \
        TESSERA_RECORD(decltype(tessera::describe_parameter<type>(__LINE__, TESSERA_PARAM_ARGUMENTS(name, __VA_ARGS__))), \
                       parameter_##name, tessera::describe_parameter<type>(__LINE__, TESSERA_PARAM_ARGUMENTS(name, __VA_ARGS__)))
#define TESSERA_PARAM_ARGUMENTS(name, value, ...) value, #name __VA_OPT__(, ) __VA_ARGS__
#define TESSERA_FIRST(first, ...) first
#if defined(TESSERA_KERNELS)
#define TESSERA_PARAM_KIND(name) TESSERA_KIND_##name
#else
#define TESSERA_PARAM_KIND(name) DEFAULT
#endif
#define TESSERA_DECLARE_DEFAULT(type, name, ...) constexpr type name = TESSERA_FIRST(__VA_ARGS__, );
#define TESSERA_DECLARE_BAKED(type, name, ...) constexpr type name = TESSERA_VALUE_##name;
#if TESSERA_GPU
#define TESSERA_DECLARE_PASSED(type, name, ...) __device__ type name;
#else
#define TESSERA_DECLARE_PASSED(type, name, ...) static type name;
#endif

// TESSERA_DOC(Row::member, "documentation")
#define TESSERA_DOC(what, text) TESSERA_TEXT_RECORD(doc, TESSERA_CAT(doc_, __LINE__), #what "\0" text)

// TESSERA_DEFAULTS("run file text"): what a run takes where its run file says nothing, so that `tessera run <model>` works.
#define TESSERA_DEFAULTS(text) TESSERA_TEXT_RECORD(defaults, TESSERA_CAT(defaults_, __LINE__), text)

// TESSERA_MODEL(name, "what it is"): once a model; the name is that of its file or folder.
#define TESSERA_MODEL(name, text) TESSERA_TEXT_RECORD(model, model, #name "\0" text)

#define TESSERA_TEXT_RECORD(kind, name, ...)                                                                  \
    TESSERA_RECORD(decltype(tessera::describe_text(tessera::record_kind::kind, __LINE__, __VA_ARGS__)), name, \
                   tessera::describe_text(tessera::record_kind::kind, __LINE__, __VA_ARGS__))

using namespace tessera;

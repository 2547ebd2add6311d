// SPDX-License-Identifier: Apache-2.0
// The one header that a model includes.
//
//     struct Cell { std::uint8_t alive = 0; };
//     TESSERA_PLACE(Cell, alive);
//     TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::alive>) { ... }
//     TESSERA_MODEL(life, "Conway's Game of Life");
//
// The same text is compiled by NVRTC for a GPU and by the host's C++ compiler for a CPU. docs/sdk.md is the reference. What an author uses
// is in this folder; what it is made of is in detail/, which no model includes.
#pragma once

#include <tessera/access.hpp>
#if !defined(TESSERA_WITHOUT_AGENTS) // the engine defines it for models that have none
#include <tessera/agent.hpp>
#if !defined(TESSERA_WITHOUT_LINKS) // likewise
#include <tessera/agent_links.hpp>
#endif
#endif
#include <tessera/assert.hpp>
#include <tessera/detail/declare.hpp>
#if !defined(TESSERA_WITHOUT_MATH) // the engine defines it for models that name none of it
#include <tessera/math.hpp>
#endif
#include <tessera/neighbourhood.hpp>
#include <tessera/random.hpp>
#include <tessera/select.hpp>
#include <tessera/self.hpp>

// TESSERA_PLACE(Row, members...): places have rows of this struct. Every member is listed, 356 at most; an array is one. Use it in the
// struct's own namespace. (detail/place.hpp)

// TESSERA_AGENT(Row, on<Place>, members...): agents that stand on places have rows of this struct. (agent.hpp)

// TESSERA_CALL(Row, function, access list...) { body over `self` }: a function that a phase `callAll` runs once for every place, or agent.
#define TESSERA_CALL(Row, function, ...) TESSERA_FUNCTION(call, Row, function, __VA_ARGS__)

// TESSERA_INIT: the same, run once before the first step. Init functions run in the order of declaration, in whatever files of the model
// they stand; what the run file gives stays.
#define TESSERA_INIT(Row, function, ...) TESSERA_FUNCTION(init, Row, function, __VA_ARGS__)

// TESSERA_PARAM(type, name, default[, range(low, high)][, "documentation"]): a constant that the run file may set.
#define TESSERA_PARAM(type, name, ...) TESSERA_PARAMETER(type, name, __VA_ARGS__)

// TESSERA_GLOBAL(type, name[, "documentation"]): one value for all, float, double or an integer, that a phase `reduce` makes of places or
// agents. Functions behind it in the step that have reads<name> in their access list read it: `self.get(name)`.
#define TESSERA_GLOBAL(type, name, ...) TESSERA_GLOBAL_VALUE(type, name __VA_OPT__(, ) __VA_ARGS__)

// TESSERA_UNIFORM(type, name[, reads<values>]) { return ...; }: a value that is made once a step and not by every place, or an array of up
// to 64, TESSERA_UNIFORM(float[9], chance): element self.index of it. It goes by self.step, parameters, and the values of the step that
// its list reads. Functions that have reads<name> in their access list read it: `self.get(name)`, `self.get(chance)[i]`.
#define TESSERA_UNIFORM(type, name, ...) TESSERA_UNIFORM_VALUE(type, name __VA_OPT__(, ) __VA_ARGS__)

// TESSERA_ASSERT(condition, "words"): what holds, as `tessera run --check` makes sure. (assert.hpp)

// TESSERA_DOC(Row::member, "documentation"), TESSERA_DOC(Row::function, ...), TESSERA_DOC(name of the model, ...)
#define TESSERA_DOC(what, text) TESSERA_TEXT_RECORDS(doc, #what "\0" text)

// TESSERA_VALUES(Row::member, bare, tree, burning): names of a member's values, whole numbers from 0 on; or tree = 5 from there on.
#define TESSERA_VALUES(what, ...) TESSERA_TEXT_RECORDS(values, #what "\0" #__VA_ARGS__)

// TESSERA_DEFAULTS("run file text"): what a run takes where its run file says nothing, so that `tessera run <model>` works.
#define TESSERA_DEFAULTS(text) TESSERA_TEXT_RECORDS(defaults, text)

// TESSERA_MODEL(name, "what it is"): once a model; the name is that of its file or folder.
#define TESSERA_MODEL(name, text) TESSERA_TEXT_RECORD(model, #name "\0" text)

using namespace tessera;

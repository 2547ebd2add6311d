// SPDX-License-Identifier: Apache-2.0
// What a function works on where the run file gives its places a `count` and no `size`: they have numbers, and nothing lies around them.
//
//     TESSERA_CALL(Person, recover, writes<&Person::days>) { if (self.days > 0) self.days -= 1; }
//
// The function is the same; only what it can ask differs. `self.position`, offsets and neighbourhoods of them are not there.
#pragma once

#include <tessera/detail/view.hpp>
#include <tessera/random.hpp>

namespace tessera {

template<class Function, class View> struct numbered_place : Function::row_members::template tessera_own<Function, View> {
    using tessera_members = typename Function::row_members;

    /// The number of the place, from 0.
    const std::int64_t id;

    /// How many places there are. A constant.
    const std::int64_t size;

    /// The number of the step that is being made, from 0.
    const std::int64_t step;

    /// This place's random numbers in this call (random.hpp).
    decltype(static_cast<const View*>(nullptr)->random()) random;

    /// A value of the step, as `self.get(total)`. Needs reads<total>.
    template<class Value> TESSERA_FN auto get(Value) const { return value_of_step<Function, Value>(tessera_view_); }

    // The engine makes it, once a call.
    TESSERA_FN explicit numbered_place(const View& from)
        : tessera_members::template tessera_own<Function, View>(from), id(from.number()), size(from.count()), step(from.step()),
          random(from.random()), tessera_view_(from) {}
    numbered_place(const numbered_place&) = delete;
    numbered_place& operator=(const numbered_place&) = delete;

private:
    View tessera_view_;
};

} // namespace tessera

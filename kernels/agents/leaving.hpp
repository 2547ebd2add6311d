// Which agents leave a function at once.
#pragma once

namespace tessera {

// Of a call's type. The host says of a function, where its text tells, by which condition an agent leaves it before it does anything:
// `condition::is_left_by(own)`, of the agent's own members (host/generate/leaving.hpp).
template<class Call> struct leaving { static constexpr bool is_known = false; };

} // namespace tessera

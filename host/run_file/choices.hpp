// What a run file chooses among, by names.
#pragma once

#include <cstdint>

namespace tessera::run_file {

enum class FloatMode { exact, fast };
enum class ExchangeMode { explicit_phases, automatic };
enum class View { automatic, direct, window };
enum class Tune { off, quick, full };
enum class MemoryModel { automatic, shared, own, managed };
enum class Transport { automatic, host };
enum class Boundary { torus, fixed, reflect, open };
enum class Priority { random, id };
enum class EdgeRule { error, refuse };

inline constexpr std::uint64_t unlimited = 0; // capacity

} // namespace tessera::run_file

// The arithmetic of a thread: how it rounds, what it does with the smallest numbers, and whether it traps. Results depend on it.
#pragma once

#include <cfenv>

namespace tessera {

// Makes the calling thread round to the nearest, keep subnormal numbers, and trap nothing, as every program begins. Threads inherit the
// arithmetic of the one that starts them.
void set_default_arithmetic() noexcept;

// Puts the calling thread's arithmetic back, when it goes, as it was when it was made.
class KeptArithmetic {
public:
    KeptArithmetic() noexcept { std::fegetenv(&before_); }
    ~KeptArithmetic() { std::fesetenv(&before_); }
    KeptArithmetic(const KeptArithmetic&) = delete;
    KeptArithmetic& operator=(const KeptArithmetic&) = delete;

private:
    std::fenv_t before_;
};

// The default as long as it lives; then what it was before. For what others call with an arithmetic of their own.
class DefaultArithmetic {
public:
    DefaultArithmetic() noexcept { set_default_arithmetic(); }

private:
    KeptArithmetic kept_;
};

// Whether the calling thread computes as set_default_arithmetic() has it.
[[nodiscard]] bool has_default_arithmetic() noexcept;

} // namespace tessera

// Which sanitizer watches this build: it changes where memory comes from, what ends a process, and how much of both there is.
#pragma once

#if defined(__has_feature) // clang++
#if __has_feature(address_sanitizer)
#define TESSERA_ADDRESS_SANITIZER
#endif
#if __has_feature(thread_sanitizer)
#define TESSERA_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(TESSERA_ADDRESS_SANITIZER)
#define TESSERA_ADDRESS_SANITIZER
#endif
#if defined(__SANITIZE_THREAD__) && !defined(TESSERA_THREAD_SANITIZER)
#define TESSERA_THREAD_SANITIZER
#endif

namespace tessera::test {

// Memory comes from the sanitizer, which keeps some of what was given back.
#if defined(TESSERA_ADDRESS_SANITIZER) || defined(TESSERA_THREAD_SANITIZER)
inline constexpr bool memory_is_watched = true;
#else
inline constexpr bool memory_is_watched = false;
#endif

#if defined(TESSERA_THREAD_SANITIZER)
inline constexpr bool threads_are_watched = true;
#else
inline constexpr bool threads_are_watched = false;
#endif

} // namespace tessera::test

// What a user is told of a crash in code that is not ours.
#pragma once

#include <string>

namespace tessera {

// While it lives, a signal that ends the process (of a null pointer, a division by zero, an abort...) is told first, on stderr, in words
// that were made beforehand: `error: <who> <what it did> <when> (<why>) <advice>`. Then it ends the process, as it would have: code that
// owns memory and locks cannot be left in the middle and gone on behind. So is exit(), whose status is then that of a failed model. One at
// a time.
class CrashWords {
public:
    CrashWords(const std::string& who, const std::string& when);
    ~CrashWords();
    CrashWords(const CrashWords&) = delete;
    CrashWords& operator=(const CrashWords&) = delete;
};

} // namespace tessera

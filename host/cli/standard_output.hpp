// What commands say on stdout, and whether it arrived there.
#pragma once

#include <string>

namespace tessera {

void say(const std::string& line); // and the end of the line
void say_text(const std::string& text);

// Hands on what was said so far. Throws Failure::output if any of it, since the program began, could not be written.
void finish_saying();

} // namespace tessera

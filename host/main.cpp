#include "host/cli/command_line.hpp"

int main(int argc, char** argv) { return tessera::command_line(argc, argv); }

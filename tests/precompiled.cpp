// Nothing: it is there so that tests/precompiled.hpp is compiled.

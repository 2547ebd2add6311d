#include <tessera/model.hpp>

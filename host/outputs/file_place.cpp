#include "host/outputs/file_place.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tessera {

Descriptor::~Descriptor() {
    if (number_ >= 0) ::close(number_);
}

int FilePlace::folder() const noexcept { return folder_ != nullptr ? folder_->number() : AT_FDCWD; }

} // namespace tessera

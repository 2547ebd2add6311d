// Names of files that came from elsewhere (in a library, a run file, a manifest), before a file is made by them.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

// Why a name is none of a file below a folder: "it is empty", "it is not relative", "it has a part `..`", "it has an empty part", "it ends
// in
// `/`", "it has control characters", "a part of it has more than 255 bytes", "it has more than 4095 bytes"; empty if it is one. A plain
// name is relative, and each of its parts is a name: none is empty, `.` or `..`.
[[nodiscard]] std::string why_no_plain_name(std::string_view name);

} // namespace tessera

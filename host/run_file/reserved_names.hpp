// Names in a result folder that belong to the run: no output has one of them.
#pragma once

namespace tessera::run_file {

inline constexpr const char *viewer_addresses = "viewer.url", *viewer_page = "viewer.html";

struct ReservedFile {
    const char* name;
    const char* what;
};
inline constexpr ReservedFile reserved_files[] = {{"manifest.json", "the manifest of the run"},
                                                  {viewer_addresses, "the file with the viewer's addresses"},
                                                  {viewer_page, "the file that leads a browser to the viewer"}};
inline constexpr const char* reserved_folders[] = {"before", "checkpoints", "edits", "set-aside", "source"};

} // namespace tessera::run_file

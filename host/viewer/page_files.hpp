// The files of the page, as they were when this program was built.
#pragma once

#include <string>
#include <vector>

namespace tessera::viewer {

struct PageFile {
    std::string name, text; // "index.html"
};

// Lives until the process ends.
[[nodiscard]] const std::vector<PageFile>& page_files();

} // namespace tessera::viewer

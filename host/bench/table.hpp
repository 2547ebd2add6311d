// A report as text for people, and as comma-separated values.
#pragma once

#include "host/bench/report.hpp"

#include <string>

namespace tessera::bench {

// What was measured on what, a table with aligned columns, and what its columns mean. Ends with a line break.
[[nodiscard]] std::string text_table(const Report& report);

// A heading and a line for each row (RFC 4180's quotes); what was measured has six digits, and what is not known is empty.
[[nodiscard]] std::string csv_table(const Report& report);

} // namespace tessera::bench

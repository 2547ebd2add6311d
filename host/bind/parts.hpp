// What a run file says, taken apart: each part goes to those who need it, and to nobody else.
#pragma once

#include "host/run_file/run_file.hpp"
#include "host/setup/agenda.hpp"
#include "host/setup/modes.hpp"
#include "host/setup/start.hpp"
#include "host/setup/wishes.hpp"

namespace tessera {

[[nodiscard]] Agenda agenda_of(const run_file::RunFile& run);
[[nodiscard]] Wishes wishes_of(const run_file::RunFile& run);
[[nodiscard]] Modes modes_of(const run_file::RunFile& run, Inspection inspection);
[[nodiscard]] CollectionStart start_of(const run_file::Places& places);
[[nodiscard]] CollectionStart start_of(const run_file::Links& links);
[[nodiscard]] CollectionStart start_of(const run_file::Agents& agents);

} // namespace tessera

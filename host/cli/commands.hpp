// What the subcommands do. Each prints to stdout, and throws Error for what goes wrong.
#pragma once

#include "host/bench/bench.hpp"
#include "host/plugins/new_model.hpp"
#include "host/run/resume.hpp"
#include "host/run/run_to_end.hpp"
#include "host/viewer/server.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct RunCommand {
    RunRequest request;
    RunOptions options;
    std::string line;        // that was typed
    bool watch = false;      // go on with what is saved meanwhile
    std::string replay;      // the manifest of such a run; empty: none
    bool view = false;       // in a page
    bool no_browser = false; // which somebody opens who knows its address
    viewer::ServerOptions server;
};

struct ResumeCommand {
    ResumeRequest request;
    RunOptions options;
    bool check = false; // only verifies
};

struct BuildCommand {
    RunRequest request;
    std::string out;                         // the library's path; empty: NAME.so here
    std::vector<std::string> run_files{};    // whose code is compiled beforehand
    std::vector<std::string> cpus{}, gpus{}; // for which processors: "x86-64-v3", "sm_90"
    bool without_source = false;
    std::vector<std::string> hooks{}; // C++ sources that are compiled into the library (tessera/hooks.hpp)
    bool object = false;              // not a library but an object file, for somebody else to link with hooks
    std::string depfile;              // where it says, as make does, what the library was made of; empty: nowhere
};

struct ValidateCommand {
    RunRequest request;
    std::uint64_t steps = 20;    // of each run
    std::uint64_t random = 20;   // how many random run files are run; 0: none is drawn
    std::uint64_t seed = 1;      // by which they are drawn
    std::uint64_t patience = 60; // seconds that a run with hooks may take
    std::string bind_into;       // a folder: draws them there and binds them, and asks nothing else
};

void run_command(const RunCommand& command);
void view_command(const RunCommand& command,
                  bool begins_paused);             // the same in a page, which goes on and stands still there (view_command.cpp)
void resume_command(const ResumeCommand& command); // goes on with a run that ended early (resume_command.cpp)
void tell(const RunResult& result);                // how a run ended. Throws Failure::interrupted for one that was
// A run file or a model; nothing is run. `explain`: see explain.hpp. `target`: the GPU to compile for ("sm_90"), instead of what is here.
void check_command(const RunRequest& request, bool explain, const std::string& target);
void list_command(const RunRequest& search);             // the models that can be found
void info_command(const RunRequest& request);            // what a model says of itself
void docs_command(const RunRequest& request);            // the same as a page (model_page.hpp)
void run_file_docs_command();                            // the keys of run files as a table
void schema_command();                                   // the same as a JSON schema
void validate_command(const ValidateCommand& command);   // does a model keep what it promises? (validate.cpp)
void build_command(const BuildCommand& command);         // a model as a library
void seal_command(const std::filesystem::path& library); // a checksum of its code for a library that was linked with hooks
void new_command(const NewModel& wanted);                // a folder with a model that runs
void devices_command();                                  // what can be computed on, and how fast copies are between them
void bench_command(const bench::BenchOptions& options);  // how fast a model is, by size and view
void doctor_command(const RunRequest& search);           // does every device compute what is known? (doctor.cpp)

// Why no GPU is used, without the places that were searched.
[[nodiscard]] std::string without_search(const std::string& why_not);

} // namespace tessera

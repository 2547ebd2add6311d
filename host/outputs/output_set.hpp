// The outputs of a run: which are due at a state, and writing them.
#pragma once

#include "host/outputs/csv_table.hpp"
#include "host/outputs/needs.hpp"
#include "host/outputs/outbox.hpp"
#include "host/outputs/positions.hpp"
#include "host/outputs/result_folder.hpp"
#include "host/outputs/state_view.hpp"
#include "host/setup/setup.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

class OutputSet {
public:
    // Files are made in `folder` when they are first written. `setup` and `outbox` must outlive the set, and the set what it handed over
    // there (Outbox::wait). `interrupted`: see write_all.
    OutputSet(const Setup& setup, ResultFolder folder, Outbox& outbox, Interrupted interrupted);

    // Takes over the tables of the same outputs of a set that is not used any more, and what it has written. A table whose columns are
    // others goes on in a file of its own: people.2.csv behind people.csv.
    void go_on_from(OutputSet& before);

    // The first state at or behind `step` that an output wants; `end` if none before that.
    [[nodiscard]] std::uint64_t next_due(std::uint64_t step, std::uint64_t end) const;

    // Writes what is due at the view's state, each output once; with `is_last`, the others as well. Rows are written when it returns; files
    // are handed over to the outbox, unless there is not that much memory to capture what they need. Throws what could not be written
    // since the last time, or now, once all rows are written that can be; where something could not be written before, no more files.
    void write(const StateView& state, bool is_last);

    // How far they are by now. What is returned is to be called once all that was handed over before is written, by any thread, and while
    // the set lives: then all of that is on the disk when it returns: rows, files, and the folders that these are in. Throws
    // Failure::output, and so does that.
    [[nodiscard]] std::function<OutputPositions()> positions();
    // Goes on from there, before anything is written: tables are cut to what they were, and files of later states are removed. Throws
    // Failure::output, before anything is changed, where a file is not there, or is another one than was written up to there.
    void go_on_at(const OutputPositions& positions);

    // Finishes the tables, once all else is written. Throws Failure::output.
    void close();

    // Names of the files written so far, relative to the folder, in the order in which they were begun.
    [[nodiscard]] std::vector<std::string> files() const;
    // One that was written beside the outputs.
    void add_file(const std::string& name);
    // Those of the outputs' files that are not there any more, are other ones, or have another size than what was written. Once they are
    // closed.
    [[nodiscard]] std::vector<std::string> changed_files() const;

private:
    struct Output {
        const run_file::Output* wanted;
        std::unique_ptr<CsvTable> table;
        std::string table_name{};
        std::optional<std::uint64_t> written_at; // the last state that was written
        int continued = 1;                       // number of the file, of a table that had other columns before
    };
    struct File {
        explicit File(std::string name_) : name(std::move(name_)) {}
        std::string name;
        std::optional<FileLook> look{};  // as it was when it was written; not of what is no output's
        std::atomic<bool> stands{false}; // from then on nobody else changes the rest
    };
    struct Due {
        const run_file::Output* output;
        std::shared_ptr<File> file;
        Needs needs;
    };
    [[nodiscard]] static bool is_due(const Output& output, std::uint64_t step, bool is_last);
    [[nodiscard]] Due file_due(const Output& output, std::uint64_t step);
    void write_files(const std::vector<Due>& due, const StateView& state);
    [[nodiscard]] bool hand_over(const std::vector<Due>& due, const Needs& needs, const StateView& state);
    [[nodiscard]] std::shared_ptr<File> begun(const std::string& name);
    void note(File& file) const;
    [[nodiscard]] static std::string table_name(const Output& output, std::uint64_t step);
    void write_row(Output& output, const run_file::Csv& csv, const StateView& state);
    [[nodiscard]] std::vector<std::string> columns_of(const run_file::Csv& csv) const;

    const Setup& setup_;
    ResultFolder folder_;
    Outbox& outbox_;
    Interrupted interrupted_;
    std::vector<Output> outputs_;
    std::vector<std::shared_ptr<File>> files_;
    std::unordered_map<std::string, std::size_t> numbers_; // of each name among them
};

} // namespace tessera

// The outputs of a run: which are due at a state, and writing them.
#pragma once

#include "host/outputs/csv_table.hpp"
#include "host/outputs/positions.hpp"
#include "host/outputs/result_folder.hpp"
#include "host/outputs/state_view.hpp"
#include "host/setup/setup.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tessera {

class OutputSet {
public:
    // Files are made in `folder` when they are first written. `setup` must outlive the set. `interrupted`: see write_all.
    OutputSet(const Setup& setup, ResultFolder folder, Interrupted interrupted);

    // Takes over the tables of the same outputs of a set that is not used any more, and what it has written. A table whose columns are
    // others goes on in a file of its own: people.2.csv behind people.csv.
    void go_on_from(OutputSet& before);

    // The first state at or behind `step` that an output wants; `end` if none before that.
    [[nodiscard]] std::uint64_t next_due(std::uint64_t step, std::uint64_t end) const;

    // Writes what is due at the view's state, each output once; with `is_last`, the others as well.
    void write(const StateView& state, bool is_last);

    // How far they are, on the disk when it returns: rows, files, and the folders that these are in. Throws Failure::output.
    [[nodiscard]] OutputPositions positions();
    // Goes on from there, before anything is written: tables are cut to what they were, and files of later states are removed. Throws
    // Failure::output, before anything is changed, where a file is not there, or is another one than was written up to there.
    void go_on_at(const OutputPositions& positions);

    // Finishes the tables. Throws Failure::output.
    void close();

    // Names of the files written so far, relative to the folder.
    [[nodiscard]] const std::vector<std::string>& files() const noexcept { return files_; }
    // One that was written beside the outputs.
    void add_file(const std::string& name) { files_.push_back(name); }
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
    void write_one(Output& output, const StateView& state);
    void write_row(Output& output, const run_file::Csv& csv, const StateView& state);
    [[nodiscard]] std::vector<std::string> columns_of(const run_file::Csv& csv) const;
    void note(const std::string& name); // of a file that was just written or begun
    void write_picture(const run_file::Png& png, const FilePlace& place, const StateView& state) const;

    const Setup& setup_;
    ResultFolder folder_;
    Interrupted interrupted_;
    std::vector<Output> outputs_;
    std::vector<std::string> files_;
    std::unordered_map<std::string, FileLook> written_; // of the outputs' files, as they were when they were written
};

} // namespace tessera

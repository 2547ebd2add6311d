#include "host/edits/changes.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/plain_name.hpp"
#include "device_runtime/printable.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/edits/carry_over.hpp"
#include "host/model/library_code.hpp"
#include "host/outputs/output_file.hpp"
#include "host/version.hpp"
#include "jit/log.hpp"

#include <tessera/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include <sys/stat.h>

namespace fs = std::filesystem;

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What a file's status says of its contents without reading them.
using Signature = std::tuple<std::uint64_t, std::int64_t, std::int64_t, std::int64_t>;

Signature signature_of(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return {};
    return {status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

std::string contents_of(const fs::path& path) {
    constexpr std::uint64_t most_bytes = 64 << 20;
    std::string why;
    return read_regular(path, most_bytes, why).value_or("");
}

// The files that a run is made of. Their folders are among them: a header may be missing, and is then made.
std::vector<fs::path> files_of(const RunRequest& request, const Prepared& prepared) {
    std::set<fs::path> files;
    if (fs::path(request.what).extension() == ".toml") files.insert(request.what);
    files.insert(prepared.model->path);
    if (prepared.model->path.extension() != ".so")
        for (const auto& header : prepared.model->source.headers) files.insert(header.path);
    auto all = std::vector<fs::path>(files.begin(), files.end());
    for (const auto& file : files)
        if (const auto folder = fs::absolute(file).parent_path(); std::find(all.begin(), all.end(), folder) == all.end())
            all.push_back(folder);
    return all;
}

class Watched : public Changes {
public:
    Watched(const RunRequest& request, const Prepared& first, jit::Compiler& compiler, GivenOverrides* given)
        : request_(request), compiler_(compiler), given_(given) {
        look_at(first);
    }

    [[nodiscard]] std::uint64_t next(std::uint64_t) const override { return UINT64_MAX; }
    [[nodiscard]] bool is_run() const noexcept override { return !failed_; }
    [[nodiscard]] bool waits_at_end() const noexcept override { return true; }
    [[nodiscard]] bool is_restless() const noexcept override { return Clock::now() - changed_ < std::chrono::seconds(10); }

    [[nodiscard]] bool pending(std::uint64_t) override {
        if (given_ != nullptr && given_->any()) return true;
        const auto now = Clock::now();
        if (now - looked_ < interval) return is_settled(now);
        looked_ = now;
        tell_failure(now);
        if (auto signatures = read_signatures(); signatures != signatures_) {
            signatures_ = std::move(signatures);
            changed_ = now;
            unread_ = true;
        }
        return is_settled(now);
    }

    [[nodiscard]] std::optional<Prepared> take(const run_file::RunFile& now) override {
        const auto before = request_.overrides;
        const bool given = add_given();
        try {
            return given ? prepared(now) : taken_from_files(now);
        } catch (const Error& error) {
            request_.overrides = before;
            if (error.kind() == Failure::interrupted) return std::nullopt; // by whoever ends the run meanwhile
            if (given)
                given_->refused(error.what());
            else
                failure_ = error.what();
            return std::nullopt;
        }
    }

private:
    static constexpr auto interval = milliseconds(10), quiet = milliseconds(20), patience = milliseconds(200);

    // Whether there were any. A later one of a key takes the place of an earlier one.
    [[nodiscard]] bool add_given() {
        if (given_ == nullptr) return false;
        const auto given = given_->take();
        auto& overrides = request_.overrides;
        for (const auto& each : given) {
            const auto key = each.substr(0, each.find('=') + 1);
            const auto is_of_key = [&](const std::string& other) { return other.rfind(key, 0) == 0; };
            overrides.erase(std::remove_if(overrides.begin(), overrides.end(), is_of_key), overrides.end());
            overrides.push_back(each);
        }
        return !given.empty();
    }
    // The run as the files are now; nothing where they are what they were.
    [[nodiscard]] std::optional<Prepared> taken_from_files(const run_file::RunFile& now) {
        unread_ = false;
        auto contents = read_contents();
        if (contents == contents_ && !failed_) return std::nullopt;
        contents_ = std::move(contents);
        failed_ = true;
        auto next = prepared(now);
        failed_ = false;
        failure_.clear();
        return next;
    }
    [[nodiscard]] Prepared prepared(const run_file::RunFile& now) {
        std::vector<std::string> at_restart;
        auto prepared =
            prepare(request_, compiler_, Functions::called, [&](run_file::RunFile& next) { at_restart = keep_beginning(next, now); });
        look_at(prepared);
        for (const auto& key : at_restart)
            if (told_.insert(key).second) log_info("a change of {} takes effect when the run begins again", key);
        return prepared;
    }
    [[nodiscard]] bool is_settled(Clock::time_point now) const { return unread_ && now - changed_ >= quiet; }

    // An editor may save file after file, and what stands between is of no interest.
    void tell_failure(Clock::time_point now) {
        if (failure_.empty() || now - changed_ < patience) return;
        log_error("{}", failure_);
        log_info("the run goes on as before");
        failure_.clear();
    }
    void look_at(const Prepared& prepared) {
        files_ = files_of(request_, prepared);
        signatures_ = read_signatures();
        contents_ = read_contents();
    }
    [[nodiscard]] std::vector<Signature> read_signatures() const {
        std::vector<Signature> signatures;
        for (const auto& file : files_) signatures.push_back(signature_of(file));
        return signatures;
    }
    [[nodiscard]] std::vector<std::string> read_contents() const {
        std::vector<std::string> contents;
        for (const auto& file : files_) contents.push_back(contents_of(file));
        return contents;
    }

    RunRequest request_;
    jit::Compiler& compiler_;
    GivenOverrides* given_;
    std::vector<fs::path> files_;
    std::vector<Signature> signatures_;
    std::vector<std::string> contents_;
    Clock::time_point looked_{}, changed_{};
    bool unread_ = false, failed_ = false;
    std::string failure_;        // that is not told yet
    std::set<std::string> told_; // keys that are looked at again when a run begins
};

class Replayed : public Changes {
public:
    Replayed(const RunRequest& options, fs::path folder, std::vector<Edit> edits, jit::Compiler& compiler)
        : options_(options), folder_(std::move(folder)), edits_(std::move(edits)), compiler_(compiler) {}

    void check_hooks(const std::vector<RunReport::Hook>& hooks) const override {
        for (const auto& hook : hooks)
            if (hook.stateful)
                throw Error(Failure::input, fmt::format("the run in {} cannot be replayed", folder_.string()),
                            fmt::format("its hook `{}` is stateful: what it does depends on more than the state of the run", hook.name),
                            "make the run again with the same library");
    }

    [[nodiscard]] std::uint64_t next(std::uint64_t) const override { return done_ < edits_.size() ? edits_[done_].step : UINT64_MAX; }
    [[nodiscard]] bool pending(std::uint64_t step) override { return next(step) <= step; }
    [[nodiscard]] std::optional<Prepared> take(const run_file::RunFile& now) override {
        auto request = options_;
        request.what = (folder_ / edits_[done_++].folder / "run.toml").string();
        return prepare(request, compiler_, Functions::called, [&](run_file::RunFile& next) { (void)keep_beginning(next, now); });
    }

private:
    RunRequest options_;
    fs::path folder_;
    std::vector<Edit> edits_;
    jit::Compiler& compiler_;
    std::size_t done_ = 0;
};

void write(const ResultFolder& folder, const std::string& name, const std::string& text) {
    OutputFile file(folder.place(name));
    file.write(text.data(), text.size());
    file.commit();
}

} // namespace

std::unique_ptr<Changes> watch(const RunRequest& request, const Prepared& first, jit::Compiler& compiler, GivenOverrides* given) {
    return std::make_unique<Watched>(request, first, compiler, given);
}

namespace {

constexpr const char* edits_name = "edits/edits.jsonl";
constexpr std::uint64_t most_bytes_of_record = 64 << 20; // of a manifest, or of a list of edits

// What an earlier run says of itself, read as data that anybody may have written.
class Record {
public:
    explicit Record(fs::path manifest) : manifest_(std::move(manifest)) {
        std::string why;
        const auto text = read_regular(manifest_, most_bytes_of_record, why);
        if (!text) refuse(why, "name the manifest.json of a run with --watch");
        json_ = nlohmann::json::parse(*text, nullptr, false);
        if (!json_.is_object()) refuse("it is none", "name the manifest.json of a run with --watch");
    }

    [[nodiscard]] fs::path folder() const { return manifest_.parent_path(); }
    [[nodiscard]] std::uint64_t number(const char* key) const { return number(json_, key); }

    // In the order of their steps, at least one.
    [[nodiscard]] std::vector<Edit> edits() const {
        const auto written = json_.contains("edits") ? json_["edits"] : nlohmann::json::array();
        if (!written.is_array()) refuse("its \"edits\" are no list", "");
        std::vector<Edit> edits;
        for (const auto& each : written) edits.push_back(edit(each));
        if (auto listed = listed_edits(); !listed.empty()) {
            const auto same = [](const Edit& a, const Edit& b) { return a.step == b.step && a.folder == b.folder; };
            if (listed.size() < edits.size() || !std::equal(edits.begin(), edits.end(), listed.begin(), same))
                refuse(fmt::format("{} beside it belongs to another run", edits_name), "");
            edits = std::move(listed);
        }
        if (edits.empty()) refuse("it does not name the sources of the run", "name the manifest.json of a run with --watch");
        if (!std::is_sorted(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.step < b.step; }))
            refuse("its edits are not in the order of their steps", "");
        return edits;
    }

    [[noreturn]] void refuse(const std::string& why, const std::string& suggestion) const {
        throw Error(Failure::input, fmt::format("{} cannot be replayed", manifest_.string()), why, suggestion);
    }

private:
    [[nodiscard]] std::uint64_t number(const nlohmann::json& in, const char* key) const {
        const auto found = in.find(key);
        if (found == in.end()) refuse(fmt::format("it has no \"{}\"", key), "");
        if (!found->is_number_unsigned()) refuse(fmt::format("its \"{}\" is {}, and no number", key, shown(dumped(*found))), "");
        return found->get<std::uint64_t>();
    }
    [[nodiscard]] Edit edit(const nlohmann::json& json) const {
        if (json.is_discarded()) refuse("one of its edits is damaged", "");
        if (!json.is_object()) refuse(fmt::format("one of its edits is {}", shown(dumped(json))), "");
        const auto folder = json.find("folder");
        if (folder == json.end() || !folder->is_string()) refuse("one of its edits names no folder", "");
        Edit edit{number(json, "step"), folder->get<std::string>(), {}};
        if (const auto why = why_no_plain_name(edit.folder); !why.empty())
            refuse(fmt::format("one of its folders is called \"{}\": {}", shown(edit.folder), why), "");
        return edit;
    }
    // Of the list, which each edit has a line of before the next step is made; none where there is no list.
    [[nodiscard]] std::vector<Edit> listed_edits() const {
        std::string why;
        const auto path = folder() / edits_name;
        std::error_code absent;
        if (!fs::exists(path, absent)) return {};
        const auto text = read_regular(path, most_bytes_of_record, why);
        if (!text) refuse(fmt::format("{} cannot be read: {}", path.string(), why), "");
        std::vector<Edit> edits;
        std::istringstream lines(*text);
        for (std::string line; std::getline(lines, line);) edits.push_back(edit(nlohmann::json::parse(line, nullptr, false)));
        return edits;
    }
    [[nodiscard]] static std::string dumped(const nlohmann::json& json) {
        return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }

    fs::path manifest_;
    nlohmann::json json_;
};

void write_list(const ResultFolder& folder, const std::vector<Edit>& edits) {
    std::string lines;
    for (const auto& edit : edits) lines += nlohmann::ordered_json{{"step", edit.step}, {"folder", edit.folder}}.dump() + "\n";
    write(folder, edits_name, lines);
}

} // namespace

Replay replay(const fs::path& manifest, const RunRequest& options, jit::Compiler& compiler) {
    const Record record(manifest);
    if (const auto epoch = record.number("result_epoch"); epoch != TESSERA_RESULT_EPOCH)
        record.refuse(fmt::format("it has result_epoch {}, and this program has {}", epoch, TESSERA_RESULT_EPOCH),
                      "replay it with the version of Tessera that it names");
    auto edits = record.edits();
    const auto steps = std::max(record.number("steps"), edits.back().step); // of a run that was killed, all that are known to be made
    Replay result;
    result.request = options;
    result.request.what = (record.folder() / edits.front().folder / "run.toml").string();
    edits.erase(edits.begin());
    auto& overrides = result.request.overrides;
    overrides.insert(overrides.begin(), fmt::format("run.steps={}", steps));
    result.changes = std::make_unique<Replayed>(result.request, record.folder(), std::move(edits), compiler);
    return result;
}

void keep_edit(const ResultFolder& folder, std::vector<Edit>& edits, std::uint64_t step, const Setup& setup,
               const run_file::RunFile& run_file) {
    Edit edit{step, fmt::format("edits/{:03}", edits.size()), {}};
    const auto& source = setup.model->source;
    auto run = run_file::with_absolute_paths(run_file);
    const bool hooked = setup.model->library && setup.model->library->has_hooks(); // which are in the library alone
    const auto library = setup.model->path.filename().string();
    run.model.value = hooked ? library : source.main.name;
    run.run.out.reset();
    const auto keep = [&](const std::string& name, const std::string& text) {
        const auto path = edit.folder + "/" + name;
        if (std::find(edit.files.begin(), edit.files.end(), path) != edit.files.end())
            throw Error(Failure::plugin, fmt::format("{} cannot be kept with the results", setup.model->path.string()),
                        fmt::format("its file {} has the name of another one that is kept beside it", name), "rename that file");
        edit.files.push_back(path);
        write(folder, path, text);
    };
    keep("run.toml", run_file::resolved_toml(run));
    if (hooked) { // the one that runs, whatever the file is by now
        const auto copy = model::checked_copy(*setup.model->library);
        keep(library, {reinterpret_cast<const char*>(copy.bytes.data()), copy.bytes.size()});
    }
    keep(source.main.name, source.main.text);
    for (const auto& header : source.headers) keep(header.name, header.text);
    edits.push_back(std::move(edit));
    write_list(folder, edits);
    if (edits.size() == 1) edits.front().files.emplace_back(edits_name);
}

} // namespace tessera

#include "host/edits/changes.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/edits/carry_over.hpp"
#include "host/edits/paint.hpp"
#include "host/run_file/given.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
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
    Watched(const RunRequest& request, const Prepared& first, jit::Compiler& compiler, Requests* requests)
        : request_(request), compiler_(compiler), requests_(requests) {
        look_at(first);
    }

    [[nodiscard]] std::uint64_t next(std::uint64_t) const override { return UINT64_MAX; }
    [[nodiscard]] bool is_run() const noexcept override { return !failed_; }
    [[nodiscard]] bool waits_at_end() const noexcept override { return true; }
    [[nodiscard]] bool is_restless() const noexcept override { return Clock::now() - changed_ < std::chrono::seconds(10); }

    [[nodiscard]] bool pending(std::uint64_t) override {
        if (is_asked()) return true;
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

    [[nodiscard]] bool takes_sources() const override { return !is_asked(); }

    [[nodiscard]] std::optional<Change> take(Run& now) override {
        if (asked_.empty() && requests_ != nullptr)
            for (auto& request : requests_->take()) asked_.push_back(std::move(request));
        under_way_.reset();
        try {
            if (asked_.empty()) return as_change(taken_from_files(now.run_file()));
            under_way_ = std::move(asked_.front());
            asked_.pop_front();
            return std::visit([&](const auto& request) { return answer(request, now); }, *under_way_);
        } catch (const Error& error) {
            if (error.kind() == Failure::interrupted) return std::nullopt; // by whoever ends the run meanwhile
            if (under_way_)
                failed(error);
            else
                failure_ = error.what();
            return std::nullopt;
        }
    }
    void done(const Edit& edit) override {
        if (edit.kind() == Edit::Kind::sources && !undo_.empty()) {
            undo_.clear();
            why_no_undo_ = "the run was edited after what was painted";
        }
        if (under_way_) requests_->done(edit, undo_.size(), std::holds_alternative<Undo>(*under_way_));
    }
    void failed(const Error& error) override {
        if (under_way_) return requests_->refused(error.what());
        log_error("{}", error.what());
        log_info("the run goes on as before");
    }

private:
    static constexpr auto interval = milliseconds(10), quiet = milliseconds(20), patience = milliseconds(200);

    [[nodiscard]] bool is_asked() const { return !asked_.empty() || (requests_ != nullptr && requests_->any()); }
    [[nodiscard]] static std::optional<Change> as_change(std::optional<Prepared> prepared) {
        return prepared ? std::optional<Change>(std::move(*prepared)) : std::nullopt;
    }

    [[nodiscard]] std::optional<Change> answer(const ParameterRequest& request, Run& now) {
        run_file::Parameters given;
        for (const auto& [name, value] : request) given.push_back(run_file::given_parameter(name, value, "in the page"));
        const auto before = parameters_;
        for (const auto& each : given) parameters_[*each.name] = each;
        try {
            if (!now.sets_at_once(given)) return prepared(now.run_file());
            now.check_parameters(given);
        } catch (const Error&) {
            parameters_ = before;
            throw;
        }
        return ParameterChange{std::move(given)};
    }
    [[nodiscard]] std::optional<Change> answer(const Stroke& stroke, Run& now) {
        auto change = painted(stroke, now);
        expect_undo_of(now);
        undo_.push_back(as_it_is(change, now));
        if (undo_.size() > most_undone) {
            undo_.pop_front();
            why_no_undo_ = fmt::format("only the last {} are kept, and they are undone", most_undone);
        }
        return change;
    }
    [[nodiscard]] std::optional<Change> answer(const Undo&, Run& now) {
        expect_undo_of(now);
        if (undo_.empty()) throw Error(Failure::usage, "there is nothing to undo", why_no_undo_);
        auto before = std::move(undo_.back());
        undo_.pop_back();
        return before;
    }

    // What was painted at another state is not undone.
    void expect_undo_of(const Run& now) {
        if (undo_step_ == now.step()) return;
        undo_step_ = now.step();
        undo_.clear();
        why_no_undo_ = nothing_painted;
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
        auto prepared = prepare(request_, compiler_, Functions::called, [&](run_file::RunFile& next) {
            for (const auto& [name, each] : parameters_) run_file::set_parameter(next, each);
            at_restart = keep_beginning(next, now);
        });
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

    static constexpr std::size_t most_undone = 50;
    static constexpr const char* nothing_painted = "nothing was painted at this state of the run";

    RunRequest request_;
    jit::Compiler& compiler_;
    Requests* requests_;
    std::deque<Request> asked_;
    std::optional<Request> under_way_; // of what was taken last, unless that was saved
    std::map<std::string, run_file::Named<run_file::Located<run_file::Number>>> parameters_; // that somebody gave, by their names
    std::deque<ValueChange> undo_;                                                           // what was where somebody painted
    std::uint64_t undo_step_ = 0;                                                            // at that state
    std::string why_no_undo_ = nothing_painted;                                              // once there is nothing
    std::vector<fs::path> files_;
    std::vector<Signature> signatures_;
    std::vector<std::string> contents_;
    Clock::time_point looked_{}, changed_{};
    bool unread_ = false, failed_ = false;
    std::string failure_;        // that is not told yet
    std::set<std::string> told_; // keys that are looked at again when a run begins
};

} // namespace

std::unique_ptr<Changes> watch(const RunRequest& request, const Prepared& first, jit::Compiler& compiler, Requests* requests) {
    return std::make_unique<Watched>(request, first, compiler, requests);
}

} // namespace tessera

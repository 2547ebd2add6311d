#include "device_runtime/error.hpp"
#include "device_runtime/plain_name.hpp"
#include "device_runtime/printable.hpp"
#include "device_runtime/regular_file.hpp"
#include "host/edits/carry_over.hpp"
#include "host/edits/changes.hpp"
#include "host/edits/keep.hpp"
#include "host/inputs/npy.hpp"
#include "host/run_file/given.hpp"

#include <tessera/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace fs = std::filesystem;

namespace tessera {
namespace {

// What was done in an earlier run, at the states at which it was done.
class Replayed : public Changes {
public:
    // `edits`: the first of what the run begins with.
    Replayed(const RunRequest& options, fs::path folder, std::vector<Edit> edits, jit::Compiler& compiler)
        : options_(options), folder_(std::move(folder)), edits_(std::move(edits)), compiler_(compiler), done_(1),
          sources_(edits_.front().folder) {}

    void check_hooks(const std::vector<RunReport::Hook>& hooks) const override {
        for (const auto& hook : hooks)
            if (hook.stateful)
                throw Error(Failure::input, fmt::format("the run in {} cannot be replayed", folder_.string()),
                            fmt::format("its hook `{}` is stateful: what it does depends on more than the state of the run", hook.name),
                            "make the run again with the same library");
    }

    [[nodiscard]] std::uint64_t next(std::uint64_t) const override { return done_ < edits_.size() ? edits_[done_].step : UINT64_MAX; }
    [[nodiscard]] bool pending(std::uint64_t step) override { return next(step) <= step; }
    [[nodiscard]] std::optional<Change> take(Run& now) override {
        const auto& edit = edits_[done_++];
        switch (edit.kind()) {
        case Edit::Kind::values: return values_of(edit);
        case Edit::Kind::parameters: {
            auto given = parameters_of(edit);
            if (now.sets_at_once(given)) return ParameterChange{std::move(given)};
            parameters_.insert(parameters_.end(), given.begin(), given.end());
            return prepared(now);
        }
        case Edit::Kind::sources: break;
        }
        sources_ = edit.folder;
        parameters_.clear(); // these say which they have
        return prepared(now);
    }
    void failed(const Error& error) override { throw error; }

private:
    [[nodiscard]] Prepared prepared(const Run& now) const {
        auto request = options_;
        request.what = (folder_ / sources_ / "run.toml").string();
        return prepare(request, compiler_, Functions::called, [&](run_file::RunFile& next) {
            for (const auto& each : parameters_) run_file::set_parameter(next, each);
            (void)keep_beginning(next, now.run_file());
        });
    }
    [[nodiscard]] static run_file::Parameters parameters_of(const Edit& edit) {
        run_file::Parameters given;
        for (const auto& [name, value] : edit.given) given.push_back(run_file::given_parameter(name, value, edits_name));
        return given;
    }
    [[nodiscard]] ValueChange values_of(const Edit& edit) const {
        const auto dot = edit.member.find('.');
        return {edit.member.substr(0, dot), edit.member.substr(dot + 1), edit.element, edit.corner,
                read_npy(folder_ / edit.folder / values_name)};
    }

    RunRequest options_;
    fs::path folder_;
    std::vector<Edit> edits_;
    jit::Compiler& compiler_;
    std::size_t done_;
    std::string sources_;             // the folder of those that hold
    run_file::Parameters parameters_; // set since
};

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
            if (listed.size() < edits.size() || !std::equal(edits.begin(), edits.end(), listed.begin()))
                refuse(fmt::format("{} beside it belongs to another run", edits_name), "");
            edits = std::move(listed);
        }
        if (edits.empty() || edits.front().kind() != Edit::Kind::sources)
            refuse("it does not name the sources of the run", "name the manifest.json of a run with --watch");
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
        Edit edit{number(json, "step"), {}};
        if (json.contains("parameters")) return with_parameters(std::move(edit), json["parameters"]);
        edit.folder = text(json, "folder", "names no folder");
        if (const auto why = why_no_plain_name(edit.folder); !why.empty())
            refuse(fmt::format("one of its folders is called \"{}\": {}", shown(edit.folder), why), "");
        return json.contains("values") ? with_values(std::move(edit), json) : edit;
    }
    [[nodiscard]] Edit with_parameters(Edit edit, const nlohmann::json& given) const {
        if (!given.is_object() || given.empty()) refuse("one of its edits gives no parameters", "");
        for (const auto& [name, value] : given.items()) edit.given.emplace_back(name, text(given, name.c_str(), "gives no value"));
        return edit;
    }
    [[nodiscard]] Edit with_values(Edit edit, const nlohmann::json& json) const {
        constexpr std::uint64_t most = std::uint64_t{1} << 40; // of places along an axis
        edit.member = text(json, "values", "names no member");
        edit.element = static_cast<int>(std::min<std::uint64_t>(number(json, "element"), INT32_MAX));
        const auto corner = json.find("corner");
        if (edit.member.find('.') == std::string::npos || corner == json.end() || !corner->is_array() || corner->size() != 3)
            refuse("one of its edits says not where its values are", "");
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto& at = (*corner)[axis];
            if (!at.is_number_unsigned() || at.get<std::uint64_t>() > most) refuse("one of its edits says not where its values are", "");
            edit.corner[axis] = at.get<std::int64_t>();
        }
        return edit;
    }
    [[nodiscard]] std::string text(const nlohmann::json& json, const char* key, const char* otherwise) const {
        const auto found = json.find(key);
        if (found == json.end() || !found->is_string()) refuse(fmt::format("one of its edits {}", otherwise), "");
        return found->get<std::string>();
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
    auto& overrides = result.request.overrides;
    overrides.insert(overrides.begin(), fmt::format("run.steps={}", steps));
    result.changes = std::make_unique<Replayed>(result.request, record.folder(), std::move(edits), compiler);
    return result;
}

} // namespace tessera

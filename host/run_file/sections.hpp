// One function a section of the run file; each takes the section's value. Internal to host/run_file.
#pragma once

#include "host/run_file/checks.hpp"
#include "host/run_file/document.hpp"
#include "host/run_file/run_file.hpp"

namespace tessera::run_file {

[[nodiscard]] bool names_path(const std::string& model); // and not a model of the plugin path
[[nodiscard]] Located<std::string> read_model(const Node& node, const std::string& folder);
[[nodiscard]] Run read_run(const Node& document, const std::string& folder); // `document` is the whole: the section may be absent
[[nodiscard]] Schedule read_schedule(const Node& node);
[[nodiscard]] std::vector<Located<std::string>> read_plugin_folders(const Node& node, const std::string& folder);
[[nodiscard]] std::vector<Named<Located<Number>>> read_params(const Node& node);
[[nodiscard]] std::vector<Located<Places>> read_places(const Node& node, const std::string& folder);
[[nodiscard]] std::vector<Located<InitStep>> read_init(const Node& node, const std::vector<std::uint64_t>& size, const std::string& folder);
[[nodiscard]] std::vector<Located<Agents>> read_agents(const Node& node, const std::string& folder);
[[nodiscard]] std::vector<Located<Links>> read_links(const Node& node, const std::string& folder);
// Initial values of agents, and of links: what needs no grid.
[[nodiscard]] std::vector<Located<InitStep>> read_agent_init(const Node& node);
// The places of a box of a grid of so many dimensions, wherever it ends.
[[nodiscard]] Box read_corners(const Node& node, std::size_t dimensions);
[[nodiscard]] std::vector<Located<Phase>> read_phases(const Node& node);
[[nodiscard]] std::vector<Located<Output>> read_outputs(const Node& node);

// The spellings of the enumerations, for reading and for writing.
template<class T> struct Spelling {
    const char* text;
    T value;
};
inline constexpr Spelling<FloatMode> float_modes[] = {{"exact", FloatMode::exact}, {"fast", FloatMode::fast}};
inline constexpr Spelling<ExchangeMode> exchange_modes[] = {{"explicit", ExchangeMode::explicit_phases}, {"auto", ExchangeMode::automatic}};
inline constexpr Spelling<View> views[] = {{"auto", View::automatic}, {"direct", View::direct}, {"window", View::window}};
inline constexpr Spelling<Tune> tunings[] = {{"quick", Tune::quick}, {"full", Tune::full}, {"off", Tune::off}};
inline constexpr Spelling<MemoryModel> memory_models[] = {
    {"auto", MemoryModel::automatic}, {"shared", MemoryModel::shared}, {"own", MemoryModel::own}, {"managed", MemoryModel::managed}};
inline constexpr Spelling<Transport> transports[] = {{"auto", Transport::automatic}, {"host", Transport::host}};
inline constexpr Spelling<Compression> compressions[] = {{"none", Compression::none}, {"zstd", Compression::zstd}};
inline constexpr Spelling<Boundary> boundaries[] = {
    {"torus", Boundary::torus}, {"fixed", Boundary::fixed}, {"reflect", Boundary::reflect}, {"open", Boundary::open}};
inline constexpr Spelling<Priority> priorities[] = {{"random", Priority::random}, {"id", Priority::id}};
inline constexpr Spelling<LinkRule::Kind> link_rules[] = {{"complete", LinkRule::Kind::complete},
                                                          {"ring", LinkRule::Kind::ring},
                                                          {"random", LinkRule::Kind::random},
                                                          {"regular", LinkRule::Kind::regular},
                                                          {"small_world", LinkRule::Kind::small_world},
                                                          {"preferential", LinkRule::Kind::preferential},
                                                          {"grid", LinkRule::Kind::grid},
                                                          {"blocks", LinkRule::Kind::blocks},
                                                          {"degrees", LinkRule::Kind::degrees}};
// What an initial value draws.
enum class Draw { uniform, bernoulli, below, normal };
inline constexpr Spelling<Draw> draws[] = {
    {"uniform", Draw::uniform}, {"bernoulli", Draw::bernoulli}, {"below", Draw::below}, {"normal", Draw::normal}};
inline constexpr Spelling<EdgeRule> edge_rules[] = {{"error", EdgeRule::error}, {"refuse", EdgeRule::refuse}};

template<class T, std::size_t N> [[nodiscard]] const char* spelling_of(const Spelling<T> (&spellings)[N], T value) {
    for (const auto& spelling : spellings)
        if (spelling.value == value) return spelling.text;
    return "";
}

template<class T, std::size_t N> [[nodiscard]] Located<T> read_spelling(const Spelling<T> (&spellings)[N], const Node& node) {
    std::vector<std::string> names;
    for (const auto& spelling : spellings) names.emplace_back(spelling.text);
    return {spellings[read_choice(node, names)].value, node.where};
}

} // namespace tessera::run_file

// Libraries of models with links: with source, and without.
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>

namespace tessera::link_libraries_test {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::write_text;

class LinkLibraries : public testing::CommandLine {
protected:
    [[nodiscard]] Outcome run(const std::string& model, const std::string& more, const testing::Environment& environment) const {
        return tessera({"run", "run.toml", "--set", "model=\"" + model + "\"", "--set", more, "--devices", "cpu", "--quiet"}, environment);
    }
    [[nodiscard]] static std::string state_of(const Outcome& outcome) {
        const auto at = outcome.out.find("state ");
        EXPECT_NE(at, std::string::npos) << outcome.out << outcome.err;
        return at == std::string::npos ? outcome.err : outcome.out.substr(at, 22);
    }
};

// Links that stay, along which something is sent later, and links that begin and end.
constexpr const char* model = R"cu(#include <tessera/model.hpp>
struct Person { std::int32_t got = 0, heard = 0; };
TESSERA_PLACE(Person, got, heard);
struct Friend { std::int32_t since = 0; };
TESSERA_LINK(Friend, between<Person>, since);
struct Call { std::uint8_t delay = 0; };
TESSERA_LINK(Call, from<Person>::to<Person>, delay);
TESSERA_CALL(Person, ring, around<out_links<Call>, &Call::delay>, adds<out_links<Call>, &Person::got>) {
    if (self.random.below(3) == 0) self.send(out_links<Call>, [&](const auto& there) { there.got.after(there.link.delay) += 1; });
}
TESSERA_CALL(Person, listen, reads<&Person::got>, around<links<Friend>, &Friend::since>, writes<&Person::heard>) {
    self.heard += self.got + self.sum(links<Friend>, [](const auto& other) { return other.link.since; });
}
TESSERA_CALL(Friend, part, dies) { if (self.random.below(4) == 0) self.kill(); }
TESSERA_CALL(Person, meet, spawns<Friend>) {
    self.spawn(Friend{.since = static_cast<std::int32_t>(self.step)}, self.random.below(static_cast<std::int32_t>(self.size)));
}
TESSERA_MODEL(callers, "people who call");
TESSERA_DEFAULTS(R"toml(run.steps = 12
places.person.count = 40
links.friend.generate = { rule = "ring", degree = 2 }
links.call = { generate = { rule = "ring", degree = 3 }, delays = 5, init.delay = { random = "below", n = 5 } }
schedule.exchange = "auto"
phase = [{ callAll = "person.ring" }, { callAll = "person.listen" }, { callAll = "friend.part" }, { callAll = "person.meet" },
         { manageAll = "friend" }]
)toml");
)cu";

TEST_F(LinkLibraries, RunAsTheirSources) {
    const testing::Environment bare{
        {"PATH", "/nonexistent"}, {"CXX", std::nullopt}, {"TESSERA_NVRTC", "/nonexistent"}, {"TESSERA_CACHE", (here() / "empty").string()}};
    write_text(here() / "callers/callers.cu", model);
    write_text(here() / "run.toml", "model = \"callers/callers.cu\"\n");
    const auto of_source = run("callers/callers.cu", "run.steps=12", {});
    ASSERT_EQ(of_source.status, 0) << of_source.err;

    const auto with_source = tessera({"build", "callers/callers.cu", "--out", "whole/callers.so"});
    ASSERT_EQ(with_source.status, 0) << with_source.err;
    EXPECT_EQ(state_of(run("whole/callers.so", "run.steps=12", bare)), state_of(of_source)) << "its code is for the run of its defaults";
    EXPECT_EQ(state_of(run("whole/callers.so", "places.person.count=41", {})),
              state_of(run("callers/callers.cu", "places.person.count=41", {})));

    const auto without = tessera({"build", "callers/callers.cu", "--without-source", "--for", "run.toml", "--out", "bare/callers.so"});
    ASSERT_EQ(without.status, 0) << without.err;
    EXPECT_EQ(state_of(run("bare/callers.so", "run.steps=12", bare)), state_of(of_source));
    EXPECT_EQ(state_of(run("bare/callers.so", "run.seed=5", bare)), state_of(run("callers/callers.cu", "run.seed=5", {})));
    EXPECT_THAT(run("bare/callers.so", "places.person.count=41", {}).err,
                HasSubstr("has no compiled code of this run for the CPU (it has no source, and was not built for: count = 41)"));
    EXPECT_THAT(run("bare/callers.so", "links.call.generate={rule=\"random\",links=70}", {}).err, HasSubstr("was not built for: "));

    const auto for_any = tessera({"build", "callers/callers.cu", "--without-source", "--out", "any/callers.so"});
    EXPECT_NE(for_any.status, 0);
    EXPECT_THAT(for_any.err, HasSubstr("callers cannot be built without its source for any run (it has places without a shape, or links) "
                                       "name the runs of the library with --for"));
}

} // namespace
} // namespace tessera::link_libraries_test

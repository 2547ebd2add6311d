// What `tessera docs` says of links.
// sanitizers: none
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>

namespace tessera::links_page_test {
namespace {

using ::testing::HasSubstr;
using testing::write_text;

using LinksPage = testing::CommandLine;

constexpr const char* model = R"cu(#include <tessera/model.hpp>
struct Person { float opinion = 0; std::uint32_t heard = 0; };
TESSERA_PLACE(Person, opinion, heard);
struct Firm { std::int32_t staff = 0; };
TESSERA_PLACE(Firm, staff);
struct Friend { std::int32_t since = 0; };
TESSERA_LINK(Friend, between<Person>, since);
TESSERA_DOC(Friend::since, "the step in which it began");
struct Job { float wage = 1; };
TESSERA_LINK(Job, from<Firm>::to<Person>, wage);
struct Guest {};
TESSERA_AGENT(Guest, on<Person>);
TESSERA_CALL(Person, listen, around<links<Friend>, &Person::opinion, &Friend::since>, writes<&Person::opinion>) {
    self.opinion += self.sum(links<Friend>, &Person::opinion);
}
TESSERA_CALL(Friend, part, around<ends, &Person::opinion>, dies) {
    if (self.from.opinion > self.to.opinion) self.kill();
}
TESSERA_CALL(Person, meet, spawns<Friend>) { self.spawn(Friend{}, 0); }
TESSERA_CALL(Guest, introduce, spawns<Friend>) { self.spawn(Friend{}, self.place.id, 1); }
TESSERA_CALL(Guest, visit, counts<links<Friend>, Guest>, moves<links<Friend>>) {
    self.each(links<Friend>, [&](const auto& site) { if (site.count(agents<Guest>) == 0) self.migrate(site); });
}
TESSERA_CALL(Job, raise, around<ends, &Firm::staff>, writes<&Job::wage>) { self.wage += self.from.staff; }
TESSERA_CALL(Firm, announce, around<out_links<Job>, &Job::wage>, adds<out_links<Job>, &Person::heard>) {
    self.send(out_links<Job>, [&](const auto& there) { there.heard += static_cast<std::uint32_t>(there.link.wage); });
}
TESSERA_MODEL(firms, "people who work");
)cu";

TEST_F(LinksPage, SaysWhatTheyAreAndWhatBecomesOfThem) {
    write_text(here() / "firms/firms.cu", model);
    write_text(here() / "jobs.csv", "from,to\n0,1\n1,2\n1,3\n");
    write_text(here() / "run.toml", R"toml(model = "firms/firms.cu"
run.steps = 2
places = { person.count = 20, firm.count = 2 }
links.friend = { generate = { rule = "small_world", degree = 4, rewire = 0.1 } }
links.job = { file = "jobs.csv", init.wage = 2 }
agents.guest = { count = 5, capacity = 2 }
schedule.exchange = "auto"
phase = [{ callAll = "person.listen" }, { callAll = "friend.part" }, { callAll = "guest.introduce" }, { manageAll = "friend" },
         { callAll = "guest.visit" }, { manageAll = "guest" }, { callAll = "job.raise" }, { callAll = "firm.announce" }]
)toml");
    const auto page = tessera({"docs", "run.toml"});
    ASSERT_EQ(page.status, 0) << page.err;
    for (const char* part :
         {"**Links `friend`** (struct Friend), between two places of `person`:\n\n", "| `since` | int32 | 0 | the step in which it began |",
          "Links `friend` begin in `person.meet` and `guest.introduce` and end in `friend.part`.\n",
          "**Links `job`** (struct Job), from a place of `firm` to one of `person`:\n\n",
          "| `wage` | float | 1 | **Gap:** TESSERA_DOC(Job::wage", "Links `job` stay: none begins or ends in a step.\n",
          "`job` are 3 links. ", "In `manageAll` links that have been ended are removed, and then those that were asked for are added",
          "A link `friend` between places that are joined already, or from a place to itself is refused.",
          "| `person.listen` | `opinion` | `opinion` of `person` and `since` of the link along links `friend` |\n",
          "| `friend.part` | - | `opinion` of the two places `person` |\n",
          "| `job.raise` | `wage` | `staff` of the place `firm` where it begins |\n",
          "`firm.announce` sends to `heard` of `person` along links `job` that lead away", "`person.listen` looks along links `friend`",
          "`guest.visit` counts agents `guest`; `guest.visit` looks along links `friend`",
          "by the rule `small_world` (degree 4, rewire 0.1). At the start there are 3 links `job`, from `jobs.csv`. ",
          "The run file gives first values to `job.wage`", "First values come from `jobs.csv`.\n"})
        EXPECT_THAT(page.out, HasSubstr(part));
    EXPECT_EQ(tessera({"docs", "firms/firms.cu"}).status, 0);
}

} // namespace
} // namespace tessera::links_page_test

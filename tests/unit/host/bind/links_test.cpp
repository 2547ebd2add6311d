// Places without a shape and links between places: what of a run file is refused, in which words, and with which line.
#include "host/distribution/distribute.hpp"
#include "host/distribution/machine.hpp"
#include "host/distribution/stripes.hpp"
#include "host/schedule/exchange_check.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace tessera::test::links_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LinksOfARunFile : public ::testing::Test {
protected:
    // A run file of that text; `model` in front of it.
    std::string refused(const std::string& model, const std::string& text) {
        const auto path = folder_.write("run.toml", fmt::format("model = \"{}\"\nrun.steps = 2\n{}", model, text)).string();
        try {
            check_exchanges(prepare({path, {}, {}}, compiler()).setup);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::input) << error.what();
            return error.what();
        }
        return "it was not refused";
    }
    std::string of_epidemic(const std::string& text) { return refused(plugin("sir_network"), text); }
    std::string of_file(const std::string& name, const std::string& text, const std::string& more = "") {
        const auto path = folder_.write(name, text).string();
        return of_epidemic(fmt::format("places.person.count = 10\nlinks.contact = {{ file = \"{}\" {} }}\n", path, more));
    }
    TemporaryFolder folder_;
};

TEST_F(LinksOfARunFile, HaveNoUseForAShape) {
    EXPECT_THAT(
        of_epidemic("places.person = { count = 5, size = [5, 5] }\n"),
        AllOf(HasSubstr("run.toml:3:"), HasSubstr("`places.person.count` together with `size`"), HasSubstr("leave one of them out")));
    EXPECT_THAT(of_epidemic("places.person = { count = 5, boundary = \"open\" }\n"),
                AllOf(HasSubstr("`places.person.boundary` together with `count`"), HasSubstr("have no shape")));
    EXPECT_THAT(of_epidemic("places.person = { count = 5, init.state = { value = 1, box = [[0], [2]] } }\n"), HasSubstr("has a `box`"));
    EXPECT_THAT(of_epidemic("places.person = { count = 0 }\n"), HasSubstr("an integer from 1 to 2147483647"));
    EXPECT_THAT(of_epidemic("places.person = { count = 5000, cuts = [1000] }\nrun.devices = [\"cpu\", \"cpu\"]\n"),
                AllOf(HasSubstr("whole multiples of 1024"), HasSubstr("use 1024")));
    EXPECT_THAT(refused(plugin("life"), "places.cell.count = 100\n"),
                AllOf(HasSubstr("cell.tick looks at places around its own"), HasSubstr("nothing lies beside them")));
    EXPECT_THAT(refused(plugin("random_walk"), "places.land.count = 100\nagents.walker.count = 5\n"),
                AllOf(HasSubstr("goes to places beside its own"), HasSubstr("give places.land a `size`")));
    EXPECT_THAT(refused(plugin("boids"), "places.air = { count = 100 }\n"), HasSubstr("has a `count` and no `size`: there is no space"));
    EXPECT_THAT(of_epidemic("output = [{ every = 1, png = \"a-{step}.png\", attribute = \"person.state\" }]\n"),
                AllOf(HasSubstr("there is no picture of person"), HasSubstr("no shape")));
}

TEST_F(LinksOfARunFile, JoinWhatTheModelSays) {
    EXPECT_THAT(of_epidemic("links.rope = { generate = { rule = \"complete\" } }\n"),
                AllOf(HasSubstr("sir_network has no links of type `rope`"), HasSubstr("it has contact")));
    EXPECT_THAT(of_epidemic("links.contact.from = \"nobody\"\n"), HasSubstr("there is no collection `nobody`"));
    EXPECT_THAT(of_epidemic("places.other = { type = \"person\", count = 3 }\nplaces.person.count = 3\n"),
                AllOf(HasSubstr("it is not known which places `links.contact` joins"), HasSubstr("links.contact.from = ")));
    EXPECT_THAT(of_epidemic("places.other = { type = \"person\", count = 3 }\nplaces.person.count = 3\n"
                            "links.contact = { from = \"person\", to = \"other\" }\n"),
                AllOf(HasSubstr("`links.contact` joins two collections"), HasSubstr("from<ROW>::to<ROW>")));
    EXPECT_THAT(of_epidemic("links.contact.init.weight = 1\n"), HasSubstr("Contact has no member `weight`"));
    std::ifstream file(test_model("waterworks"));
    const std::string works{std::istreambuf_iterator<char>(file), {}};
    const auto without_defaults = folder_.write("waterworks.cu", works.substr(0, works.find("TESSERA_DEFAULTS"))).string();
    EXPECT_THAT(refused(without_defaults, "places.pump.count = 4\nplaces.tank.size = [3, 3]\n"
                                          "links.rope.generate = { rule = \"complete\" }\nphase = [{ callAll = \"tank.fill\" }]\n"),
                AllOf(HasSubstr("tank.fill goes along in_links<Pipe>"), HasSubstr("no such links lead to places of tank"),
                      HasSubstr("add [links.pipe]")));
}

TEST_F(LinksOfARunFile, AreExchangedBeforeTheyAreReadAlong) {
    EXPECT_THAT(of_epidemic("phase = [{ callAll = \"person.live\" }]\n"),
                AllOf(HasSubstr("reads person.state of its neighbours"), HasSubstr("exchangeAll = \"person\"")));
}

TEST_F(LinksOfARunFile, AreReadWithTheirLines) {
    EXPECT_THAT(of_file("a.txt", "0 1\n# nobody\n\n2 2\n"),
                AllOf(HasSubstr("a.txt:4:"), HasSubstr("a link leads from place 2 to itself"), HasSubstr("set loops = true")));
    EXPECT_THAT(of_file("a.txt", "0 1\n4 5\n1 0\n"),
                AllOf(HasSubstr("a.txt:3:"), HasSubstr("a second link joins places 1 and 0"), HasSubstr("line 1 has the first")));
    EXPECT_THAT(of_file("a.txt", "0 1\n4 10\n"),
                AllOf(HasSubstr("a.txt:2:"), HasSubstr("to is 10"), HasSubstr("the places of person have numbers from 0 to 9")));
    EXPECT_THAT(of_file("a.txt", "0 1\n4 -1\n"), HasSubstr("to is -1"));
    EXPECT_THAT(of_file("a.txt", "0 1\n4 1.5\n"), HasSubstr("to is 1.5"));
    EXPECT_THAT(of_file("a.txt", "0 1\n4"), AllOf(HasSubstr("a.txt:2:"), HasSubstr("1 field instead of two numbers")));
    EXPECT_THAT(of_file("a.csv", "from,to\n0,1\n4\n"), HasSubstr("a.csv:3"));
    EXPECT_THAT(of_file("a.csv", "from,chance\n0,1\n"), AllOf(HasSubstr("a.csv:1:"), HasSubstr("no column to")));
    EXPECT_THAT(of_file("a.csv", "from,to,chnce\n0,1,1\n"),
                AllOf(HasSubstr("Contact has no member 'chnce'"), HasSubstr("did you mean `chance`?")));
    EXPECT_THAT(of_file("a.csv", "0,1\n1,2\n"), HasSubstr("begin with a line of names"));
    EXPECT_THAT(of_file("a.csv", "from,to,chance\n0,1,x\n"), AllOf(HasSubstr("a.csv:2:"), HasSubstr("is no number")));
    EXPECT_THAT(of_file("a.csv", "from,to,from\n0,1,1\n"), HasSubstr("two columns are called"));
    EXPECT_THAT(of_file("a.csv", "from,to,chance\n0,1,NaN\n"), AllOf(HasSubstr("a.csv:2:"), HasSubstr("chance cannot be NaN")));
    EXPECT_THAT(of_file("a.csv", "from,to,chance\n0,1,0.5\n", ", init.chance = 1"), HasSubstr("contact.chance is given twice"));
    EXPECT_THAT(of_file("a.dot", "0 1\n"), AllOf(HasSubstr("is no table of links"), HasSubstr(".graph (METIS)")));
    EXPECT_THAT(of_file("a.mtx", "0 1\n"), AllOf(HasSubstr("a.mtx:1:"), HasSubstr("is no matrix that can be links")));
    EXPECT_THAT(of_epidemic("links.contact.file = \"not-there.csv\"\n"), AllOf(HasSubstr("run.toml:3:"), HasSubstr("not-there.csv")));
}

TEST_F(LinksOfARunFile, AreMadeByRulesThatFit) {
    const auto rule = [&](const std::string& text) {
        return of_epidemic("places.person.count = 101\nlinks.contact.generate = " + text + "\n");
    };
    EXPECT_THAT(rule("{ rule = \"ring\", degree = 3 }"), AllOf(HasSubstr("cannot be a ring of degree 3"), HasSubstr("use an even number")));
    EXPECT_THAT(rule("{ rule = \"regular\", degree = 3 }"), HasSubstr("an odd number of ends"));
    EXPECT_THAT(rule("{ rule = \"regular\" }"), HasSubstr("no `degree`"));
    EXPECT_THAT(rule("{ rule = \"random\" }"), HasSubstr("no `chance`"));
    EXPECT_THAT(rule("{ rule = \"random\", chance = 0.5, links = 7 }"), HasSubstr("together with `chance`"));
    EXPECT_THAT(rule("{ rule = \"random\", chance = 1.5 }"), HasSubstr("a number from 0 to 1"));
    EXPECT_THAT(rule("{ rule = \"small_world\", degree = 5, rewire = 0.1 }"),
                AllOf(HasSubstr("cannot be a small world of degree 5"), HasSubstr("use an even number")));
    EXPECT_THAT(rule("{ rule = \"small_world\", degree = 4 }"), HasSubstr("no `rewire`"));
    EXPECT_THAT(rule("{ rule = \"small_world\", degree = 4, rewire = 2 }"), HasSubstr("a number from 0 to 1"));
    EXPECT_THAT(rule("{ rule = \"preferential\" }"), HasSubstr("no `degree`"));
    EXPECT_THAT(rule("{ rule = \"grid\" }"), AllOf(HasSubstr("has no `size`"), HasSubstr("size = [30, 20]")));
    EXPECT_THAT(rule("{ rule = \"grid\", size = [10, 10] }"), AllOf(HasSubstr("has 100 places"), HasSubstr("there are 101")));
    EXPECT_THAT(rule("{ rule = \"grid\", size = [1, 1, 1, 101] }"), HasSubstr("1 to 3 integers"));
    EXPECT_THAT(rule("{ rule = \"regulr\", degree = 3 }"), HasSubstr("did you mean `regular`?"));
    EXPECT_THAT(of_epidemic("places.person.count = 1000000\nlinks.contact.generate = { rule = \"complete\" }\n"),
                HasSubstr("would have about 5e+11 links"));
    EXPECT_THAT(of_epidemic("links.contact = { file = \"a.txt\", generate = { rule = \"complete\" } }\n"),
                HasSubstr("together with `generate`"));
    EXPECT_THAT(refused(test_model("waterworks"), "places.pump.count = 4\nplaces.tank.size = [3, 3]\n"
                                                  "links.pipe.generate = { rule = \"ring\", degree = 2 }\n"),
                HasSubstr("its links join two collections of places"));
}

TEST_F(LinksOfARunFile, AreMadeByDegreesOfAFile) {
    const auto degrees = [&](const std::string& name, const std::string& text, const std::string& more = "") {
        (void)folder_.write(name, text);
        return of_epidemic(
            fmt::format("places.person.count = 4\nlinks.contact.generate = {{ rule = \"degrees\", file = \"{}\"{} }}\n", name, more));
    };
    EXPECT_EQ(degrees("fit.txt", "# of four\n1\n2\n0\n1\n"), "it was not refused");
    EXPECT_EQ(degrees("line.csv", "1,2,0,1\n"), "it was not refused");
    EXPECT_THAT(degrees("odd.txt", "1\n2\n0\n2\n"), AllOf(HasSubstr("run.toml:4:"), HasSubstr("the numbers of odd.txt add up to 5"),
                                                          HasSubstr("give one of the places a link more, or one less")));
    EXPECT_THAT(degrees("few.txt", "1\n2\n1\n"), AllOf(HasSubstr("few.txt has 3 numbers"), HasSubstr("person has 4 places")));
    EXPECT_THAT(degrees("less.txt", "1\n2\n-1\n0\n"),
                AllOf(HasSubstr("run.toml:4:"), HasSubstr("-1"), HasSubstr("a whole number, 0 or more")));
    EXPECT_THAT(degrees("half.txt", "1\n2\n0.5\n0.5\n"), HasSubstr("0.5"));
    EXPECT_THAT(degrees("square.txt", "1 1\n1 1\n"), AllOf(HasSubstr("is no list of numbers"), HasSubstr("2 columns and 2 rows")));
    EXPECT_THAT(degrees("words.txt", "1\ntwo\n1\n0\n"), AllOf(HasSubstr("cannot read the degrees of places"), HasSubstr("two")));
    EXPECT_THAT(degrees("many.txt", "4000000000\n0\n0\n0\n"), HasSubstr("would have about 2e+09 links"));
    EXPECT_THAT(degrees("fit.txt", "1\n2\n0\n1\n", ", to_file = \"fit.txt\""),
                AllOf(HasSubstr("has `to_file`"), HasSubstr("no direction")));
    EXPECT_THAT(of_epidemic("links.contact.generate = { rule = \"degrees\", file = \"none.txt\" }\n"), HasSubstr("none.txt"));
    EXPECT_THAT(of_epidemic("links.contact.generate = { rule = \"degrees\" }\n"), HasSubstr("no `file`"));
    (void)folder_.write("ten.txt", "2\n2\n3\n3\n");
    (void)folder_.write("nine.txt", "1\n1\n1\n1\n1\n1\n1\n1\n1\n");
    const auto pipes = [&](const std::string& more) {
        return refused(test_model("waterworks"),
                       "places.pump.count = 4\nplaces.tank.size = [3, 3]\nlinks.pipe.generate = { rule = \"degrees\", file = \"ten.txt\"" +
                           more + " }\n");
    };
    EXPECT_THAT(pipes(", to_file = \"nine.txt\""),
                AllOf(HasSubstr("10 links begin by ten.txt, and 9 lead somewhere by nine.txt"), HasSubstr("the same number")));
    EXPECT_THAT(pipes(", to_file = \"ten.txt\""), AllOf(HasSubstr("ten.txt has 4 numbers"), HasSubstr("tank has 9 places")));
}

// Rows of links in files, and what is none of them.
TEST_F(LinksOfARunFile, StandInFilesOfLinks) {
    const auto output = [&](const std::string& text) { return of_epidemic("output = [{ every = 1, " + text + " }]\n"); };
    EXPECT_EQ(output(R"(links = "a-{step}.csv", attribute = "contact")"), "it was not refused");
    EXPECT_EQ(output(R"(links = "a-{step}.npy", attribute = "contact")"), "it was not refused");
    EXPECT_THAT(output(R"(links = "a-{step}.csv")"),
                AllOf(HasSubstr("`attribute`"), HasSubstr("a collection of links, as in \"contact\"")));
    EXPECT_THAT(output(R"(links = "a.csv", attribute = "contact")"), HasSubstr("is one name for many files"));
    EXPECT_THAT(output(R"(links = "a-{step}.txt", attribute = "contact")"),
                AllOf(HasSubstr("links are written as .csv or .npy"), HasSubstr("name it links-{step}.csv")));
    EXPECT_THAT(output(R"(links = "a-{step}.csv", attribute = "person")"),
                AllOf(HasSubstr("person are not links"), HasSubstr("it is a collection of places")));
    EXPECT_THAT(output(R"(agents = "a-{step}.csv", attribute = "contact")"),
                AllOf(HasSubstr("contact are not agents"), HasSubstr("it is a collection of links")));
    EXPECT_THAT(output(R"(npy = "a-{step}.npy", attribute = "contact.chance")"),
                AllOf(HasSubstr("is a member of links"), HasSubstr("write links = \"contact-{step}.csv\", attribute = \"contact\"")));
}

// What functions ask of links is carried out by a manageAll behind them, on a CPU or one GPU.
TEST_F(LinksOfARunFile, ChangeWhereAManageAllSaysSo) {
    const auto of_knots = [&](const std::string& phases) { return refused(test_model("knots"), "phase = [" + phases + "]\n"); };
    EXPECT_THAT(of_knots(R"({ callAll = "tie.part" })"),
                AllOf(HasSubstr("callAll tie.part asks to die"), HasSubstr("manageAll = \"tie\"")));
    EXPECT_THAT(of_knots(R"({ manageAll = "tie" }, { callAll = "knot.tie" })"),
                AllOf(HasSubstr("callAll knot.tie asks for links"), HasSubstr("manageAll = \"tie\"")));
    EXPECT_THAT(of_knots(R"({ callAll = "knot.tie" }, { manageAll = "knot" })"), HasSubstr("manageAll of `knot` has nothing to manage"));
    EXPECT_THAT(refused(plugin("sir_network"), "phase = [{ manageAll = \"contact\" }]\n"),
                AllOf(HasSubstr("manageAll of `contact` has nothing to manage"),
                      HasSubstr("no function has spawns<Contact> in its access list, and none of Contact has dies")));
    const auto path = folder_.write("run.toml", fmt::format("model = \"{}\"\n", test_model("knots"))).string();
    const auto prepared = prepare(for_any_devices({path, {"places.knot.count=5000", "places.peg.count=5000"}, {}}), compiler());
    const auto made_by = [&](const std::vector<std::string>& devices) {
        auto machine = sharing_machine(devices);
        machine.is_assumed = false;
        return distribute(prepared.setup, machine);
    };
    EXPECT_NO_THROW(made_by({"cpu"}));
    EXPECT_NO_THROW(made_by({"cuda:0"}));
    const auto [distribution, remarks] = made_by({"cuda:0", "cuda:1"});
    ASSERT_EQ(remarks.size(), 2u);
    EXPECT_EQ(remarks[0].level, Remark::Level::warning);
    EXPECT_EQ(remarks[0].text, "one device makes all of knot (tie joins them: they begin and end in steps)");
    EXPECT_EQ(remarks[1].text, "one device makes all of peg and knot (line joins them: they begin and end in steps)");
    for (const auto id : prepared.setup.collections.ids()) EXPECT_EQ(distribution.stripes[id.index()][1].rows(), 0);
}

// It is compiled with the program where one CPU makes the run; else with the model, with columns of its own.
TEST_F(LinksOfARunFile, ChangeByKernelsWhereOneCpuIsNotAlone) {
    const auto path = folder_.write("run.toml", fmt::format("model = \"{}\"\n", test_model("knots"))).string();
    RunRequest of_cpu{path, {}, {}};
    of_cpu.on_one_cpu = true;
    const auto kernels_of = [](const RunRequest& request) {
        const auto prepared = prepare(request, compiler());
        std::vector<std::string> symbols;
        for (const auto& kernel : prepared.setup.kernels)
            if (kernel.is_of_manage_all()) symbols.push_back(kernel.symbol);
        return symbols;
    };
    EXPECT_EQ(kernels_of(of_cpu), (std::vector<std::string>{"tessera_manage_links_tie", "tessera_manage_links_line"}));
    const auto kernels = kernels_of(for_any_devices({path, {}, {}}));
    EXPECT_THAT(kernels, ::testing::Contains("tessera_manage_settle_links_tie"));
    EXPECT_THAT(kernels, ::testing::Contains("tessera_manage_settle_list_links_line"));
    EXPECT_THAT(kernels, ::testing::Not(::testing::Contains("tessera_manage_links_tie")));
}

TEST_F(LinksOfARunFile, AreExchangedWhereTheyAreWritten) {
    const auto of_knots = [&](const std::string& between) {
        return refused(test_model("knots"),
                       "schedule.exchange = \"explicit\"\nphase = [{ exchangeAll = \"*\" }, { callAll = \"tie.strain\" }, " + between +
                           "{ callAll = \"knot.look\" }]\n");
    };
    EXPECT_THAT(of_knots(""), AllOf(HasSubstr("reads tie.load of its neighbours"), HasSubstr("exchangeAll = \"tie\"")));
    EXPECT_THAT(of_knots("{ exchangeAll = \"tie\" }, "), HasSubstr("it was not refused"));
}

// Agents on places without a shape have a number in place of coordinates.
TEST_F(LinksOfARunFile, HaveAgentsOnTheirPlaces) {
    EXPECT_THAT(refused(plugin("traffic"), "agents.car.place = { box = [[0, 0], [3, 3]] }\n"),
                AllOf(HasSubstr("car cannot start in a box"), HasSubstr("has a `count` and no `size`")));
    EXPECT_THAT(refused(plugin("traffic"), "agents.car = { count = 2500, capacity = 4 }\n"), HasSubstr("600 places have room for 2400"));
    const auto of_file = [&](const std::string& text) {
        return refused(plugin("traffic"),
                       fmt::format("agents.car.place = {{ file = \"{}\" }}\n", folder_.write("cars.csv", text).string()));
    };
    EXPECT_THAT(of_file("x,y\n1,2\n"), HasSubstr("x"));
    EXPECT_THAT(of_file("left\n1\n"), AllOf(HasSubstr("no column place"), HasSubstr("place says where each agent stands")));
    EXPECT_THAT(of_file("place,left\n600,2\n"), AllOf(HasSubstr("place is 600"), HasSubstr("crossing has places 0 to 599")));
    EXPECT_THAT(of_file("place\n7\n7\n7\n7\n7\n"), AllOf(HasSubstr("place (7) has no room"), HasSubstr("`capacity` is 4")));
    EXPECT_EQ(of_file("trips,place,left\n3,599,2\n0,0,0\n"), "it was not refused");
    EXPECT_THAT(refused(plugin("traffic"), "places.crossing.count = 0\n"), HasSubstr("an integer from 1"));
    EXPECT_THAT(refused(plugin("traffic"), "places.depot = { type = \"crossing\", count = 5 }\nplaces.crossing.count = 5\n"
                                           "links.road = { from = \"crossing\", to = \"depot\", generate = { rule = \"complete\" } }\n"
                                           "agents.car = { on = \"crossing\", count = 2 }\n"),
                AllOf(HasSubstr("car.drive goes along links.road to other agents, or to other places"),
                      HasSubstr("they lead from crossing to depot, and car stand on crossing")));
}

Prepared prepared_in(const TemporaryFolder& folder, const std::string& model, const std::string& text = "") {
    const auto path = folder.write("run.toml", fmt::format("model = \"{}\"\nrun.steps = 1\n{}", model, text)).string();
    return prepare(for_any_devices({path, {}, {}}), compiler());
}
std::vector<std::string> remarks_on(const Prepared& prepared, const Machine& machine) {
    std::vector<std::string> texts;
    for (const auto& remark : distribute(prepared.setup, machine).remarks) texts.push_back(remark.text);
    return texts;
}
// Of a machine that was asked, though nobody was.
Machine machine_of(const std::vector<std::string>& names) {
    auto machine = sharing_machine(names);
    machine.is_assumed = false;
    return machine;
}

TEST_F(LinksOfARunFile, HaveAgentsOfOneDevice) {
    const auto traffic = prepared_in(folder_, plugin("traffic"),
                                     "places.crossing.count = 6144\nlinks.road.generate = { rule = \"grid\", size = [96, 64] }\n");
    auto machine = machine_of({"cuda:0", "cuda:1"});
    machine.pair(1, 0).is_atomic = false; // nobody bids for places of another device
    EXPECT_THAT(remarks_on(traffic, machine),
                ElementsAre("one device makes all of crossing (road joins them: functions send along them, or "
                            "agents go along them)"));
    EXPECT_EQ(divided(traffic.setup, 2).stripes.front()[1].rows(), 0);
}

TEST_F(LinksOfARunFile, AreOfOneDeviceWhereOthersDoNotSeeThem) {
    const auto together = machine_of({"cpu", "cpu"});
    EXPECT_THAT(remarks_on(prepared_in(folder_, plugin("opinion"), "places.person.count = 4000"), together),
                ElementsAre(HasSubstr("they begin and end in steps")));
    EXPECT_THAT(remarks_on(prepared_in(folder_, plugin("izhikevich"),
                                       "places.neuron.count = 4000\nlinks.synapse.generate = { rule = \"random\", "
                                       "links = 9 }"),
                           together),
                ElementsAre(HasSubstr("functions send along them")));
    EXPECT_THAT(remarks_on(prepared_in(folder_, test_model("encounters")), together),
                Contains(HasSubstr("all of square (agents there ask for known)")));
}

// Several devices share links that stay: CPUs read where others have written, GPUs have copies, as all do that are apart.
TEST_F(LinksOfARunFile, AreSharedByDevices) {
    const auto epidemic = prepared_in(folder_, plugin("sir_network"), "places.person.count = 9000");
    const auto own = [&](const Machine& machine) { return distribute(epidemic.setup, machine).distribution.own_memory; };
    EXPECT_FALSE(own(machine_of({"cpu", "cpu"})));
    EXPECT_TRUE(own(machine_of({"cuda:0", "cuda:1"})));
    EXPECT_TRUE(own(cpus_apart(2)));
    EXPECT_THAT(remarks_on(epidemic, machine_of({"cpu", "cpu"})), IsEmpty());
    EXPECT_THAT(remarks_on(epidemic, machine_of({"cuda:0", "cuda:1"})),
                ElementsAre("each device has memory of its own, with all that functions read along links"));
    EXPECT_THAT(remarks_on(epidemic, cpus_apart(2)), ElementsAre(HasSubstr("do not share memory, in a test")));
    EXPECT_THAT(distribute(epidemic.setup, machine_of({"cuda:0", "cuda:1"})).distribution.stripes.front(),
                ElementsAre(RowRange{0, 5}, RowRange{5, 9}));
    const auto asked = prepared_in(folder_, plugin("sir_network"), "places.person.count = 9000\nrun.memory = \"shared\"");
    EXPECT_FALSE(distribute(asked.setup, machine_of({"cuda:0", "cuda:1"})).distribution.own_memory);
    EXPECT_TRUE(distribute(prepared_in(folder_, test_model("waterworks")).setup, cpus_apart(2)).distribution.own_memory) << "a grid too";
}

} // namespace
} // namespace tessera::test::links_test

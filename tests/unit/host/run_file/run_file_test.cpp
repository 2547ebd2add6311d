#include "host/run_file/run_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/stat.h>

namespace tessera::run_file::run_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

const std::string life = R"toml(model = "life"

[run]
steps   = 5206
seed    = 7
devices = ["cuda:0", "cuda:1"]

[places.cell]
size     = [4096, 2048]
boundary = "open"
init.alive = { file = "acorn.rle", at = [2048, 1024] }

[params]
birth = 3

[[phase]]
exchangeAll = "cell"
[[phase]]
callAll = "cell.tick"
every = 2

[[output]]
every = 100
csv   = "population.csv"
columns = { z = "sum(cell.alive)", a = "step" }

[[output]]
every = 500
png   = "life-{step:06}.png"
attribute = "cell.alive"
)toml";

// The smallest run file, with more at its end.
std::string with(const std::string& more) { return "model = \"m\"\nrun.steps = 1\n" + more; }
std::string whole(const std::string& text) { return text; }
std::string in_cell(const std::string& more) { return with("[places.cell]\nsize = [8, 6]\n" + more); }

TEST(RunFile, ReadsTheWholeOfOne) {
    const auto run = parse_run_file(life, "examples/life.toml");
    EXPECT_EQ(run.path, "examples/life.toml");
    EXPECT_EQ(run.folder, "examples");
    EXPECT_EQ(run.resolve("acorn.rle"), "examples/acorn.rle");
    EXPECT_EQ(run.resolve("/tmp/acorn.rle"), "/tmp/acorn.rle");
    EXPECT_EQ(*run.model, "life");
    EXPECT_EQ(run.run.steps->value, 5206u);
    EXPECT_EQ(*run.run.seed, 7u);
    ASSERT_EQ(run.run.devices.size(), 2u);
    EXPECT_EQ(*run.run.devices[1], "cuda:1");

    ASSERT_EQ(run.places.size(), 1u);
    const auto& cell = *run.places[0];
    EXPECT_EQ(*cell.name, "cell");
    EXPECT_EQ(*cell.type, "cell");
    EXPECT_THAT(*cell.size, ElementsAre(4096, 2048));
    ASSERT_EQ(cell.boundary.size(), 2u);
    EXPECT_EQ(*cell.boundary[1], Boundary::open);
    const auto& from = std::get<FromFile>(cell.init[0].value[0]->source);
    EXPECT_EQ(*from.file, "acorn.rle");
    EXPECT_THAT(from.at, ElementsAre(2048, 1024));

    EXPECT_EQ(std::get<std::int64_t>(*run.params[0].value), 3);
    ASSERT_EQ(run.phases.size(), 2u);
    EXPECT_EQ(*std::get<ExchangeAll>(run.phases[0]->action).collection, "cell");
    EXPECT_EQ(*std::get<CallAll>(run.phases[1]->action).function, (QualifiedName{"cell", "tick"}));
    EXPECT_EQ(run.phases[1]->timing, (Timing{2, 0, std::nullopt}));

    ASSERT_EQ(run.outputs.size(), 2u);
    const auto& csv = std::get<Csv>(run.outputs[0]->content);
    EXPECT_EQ(*csv.columns[0].name, "z"); // the order of the file, not of the alphabet
    EXPECT_EQ(csv.columns[0].value->text, "sum(cell.alive)");
    EXPECT_EQ(*csv.columns[1].name, "a");
    EXPECT_EQ(run.outputs[1]->file->at_step(500), "life-000500.png");
    EXPECT_EQ(run.outputs[1]->file->at_step(12345678), "life-12345678.png");
}

TEST(RunFile, FillsInTheDefaults) {
    const auto run = parse_run_file(with("places.cell.size = [5]"), "r.toml");
    EXPECT_EQ(run.folder, "");
    EXPECT_EQ(run.resolve("a.rle"), "a.rle");
    EXPECT_EQ(*run.run.seed, 1u);
    EXPECT_EQ(*run.run.devices[0], "auto");
    EXPECT_FALSE(run.run.threads);
    EXPECT_FALSE(run.run.stop);
    EXPECT_EQ(*run.run.stop_every, 1u);
    EXPECT_EQ(*run.run.float_mode, FloatMode::exact);
    EXPECT_TRUE(*run.run.bake);
    EXPECT_EQ(*run.schedule.exchange, ExchangeMode::explicit_phases);
    EXPECT_EQ(*run.schedule.view, View::automatic);
    EXPECT_EQ(*run.places[0]->boundary[0], Boundary::torus);
}

TEST(RunFile, RemembersWhereEachValueStands) {
    const auto run = parse_run_file(life, "life.toml");
    EXPECT_EQ(to_string(run.model.where), "life.toml:1:9");
    EXPECT_EQ(to_string(run.run.steps->where), "life.toml:4:11");
    EXPECT_EQ(to_string(run.run.devices[1].where), "life.toml:6:22");
    EXPECT_EQ(to_string(run.places[0].where), "life.toml:8:1");
    EXPECT_EQ(to_string(run.places[0]->name.where), "life.toml:8:9");
    EXPECT_EQ(to_string(run.places[0]->size.where), "life.toml:9:12");
    EXPECT_EQ(to_string(run.places[0]->init[0].name.where), "life.toml:11:6");
    EXPECT_EQ(to_string(run.params[0].name.where), "life.toml:14:1");
    EXPECT_EQ(to_string(run.phases[1].where), "life.toml:18:1");
    EXPECT_EQ(to_string(std::get<CallAll>(run.phases[1]->action).function.where), "life.toml:19:11");
    EXPECT_EQ(to_string(std::get<Csv>(run.outputs[0]->content).columns[1].value.where), "life.toml:25:40");
    EXPECT_EQ(to_string(std::get<Png>(run.outputs[1]->content).attribute->where), "life.toml:30:13");
}

TEST(RunFile, ReadsEachKindOfInitialValue) {
    const auto run = parse_run_file(in_cell(R"(
[places.cell.init]
a = 0.5
b = true
c = [1, 2.5, false]
d = { file = "d.asc", nodata = -9999, rule = "B3/S23", element = 2 }
e = { random = "uniform", low = -1, high = 1.5 }
f = { random = "bernoulli", p = 1 }
g = { random = "below", n = 3 }
h = { random = "normal", mean = 0, deviation = 2 }
i = { random = 0.3 }
j = { value = 19.0, box = [[2, 0], [5, 1]] }
k = [{ value = 1 }, { random = 0.5 }, { value = [1, 2], box = [[0, 0], [8, 6]] }]
)"),
                                    "r.toml");
    const auto& init = run.places[0]->init;
    const auto constant = [&](std::size_t i) { return std::get<Constant>(init[i].value[0]->source); };
    EXPECT_EQ(std::get<double>(*constant(0).numbers[0]), 0.5);
    EXPECT_FALSE(constant(0).is_array);
    EXPECT_EQ(std::get<bool>(*constant(1).numbers[0]), true);
    EXPECT_TRUE(constant(2).is_array);
    EXPECT_EQ(std::get<std::int64_t>(*constant(2).numbers[0]), 1);
    EXPECT_EQ(constant(2).numbers.size(), 3u);
    const auto& file = std::get<FromFile>(init[3].value[0]->source);
    EXPECT_EQ(file.nodata, -9999.0);
    EXPECT_EQ(file.rule->value, "B3/S23");
    EXPECT_EQ(file.element->value, 2);
    EXPECT_THAT(file.at, ElementsAre(0, 0));
    EXPECT_EQ(std::get<Uniform>(init[4].value[0]->source), (Uniform{-1, 1.5}));
    EXPECT_EQ(std::get<Bernoulli>(init[5].value[0]->source), Bernoulli{1});
    EXPECT_EQ(std::get<Below>(init[6].value[0]->source), Below{3});
    EXPECT_EQ(std::get<Normal>(init[7].value[0]->source), (Normal{0, 2}));
    EXPECT_EQ(std::get<Bernoulli>(init[8].value[0]->source), Bernoulli{0.3});
    EXPECT_EQ(init[9].value[0]->box, (Box{{2, 0}, {5, 1}}));
    ASSERT_EQ(init[10].value.size(), 3u);
    EXPECT_FALSE(init[10].value[0]->box);
    EXPECT_EQ(init[10].value[2]->box, (Box{{0, 0}, {8, 6}}));
}

TEST(RunFile, ReadsEachKindOfPhaseAndOutput) {
    const auto run = parse_run_file(with(R"(
[[phase]]
rotate = ["wave.now", "wave.before", "wave.older"]
from = 10
until = 20
[[phase]]
manageAll = "*"
[[output]]
npy = "fields/heat-{step}.npy"
attribute = "cell.heat"
every = 3
from = 2
[[output]]
png = "{step:03}.png"
every = 1
attribute = "cell.v"
colours = "viridis"
low = 0
high = 2.5
scale = 4
slice = 7
element = 1
)"),
                                    "r.toml");
    EXPECT_EQ(*std::get<Rotate>(run.phases[0]->action).members[2], (QualifiedName{"wave", "older"}));
    EXPECT_EQ(run.phases[0]->timing, (Timing{1, 10, 20}));
    EXPECT_EQ(*std::get<ManageAll>(run.phases[1]->action).collections.front(), "*");
    EXPECT_EQ(run.outputs[0]->file->at_step(12), "fields/heat-12.npy");
    EXPECT_EQ(*std::get<Npy>(run.outputs[0]->content).attribute, (QualifiedName{"cell", "heat"}));
    const auto& png = std::get<Png>(run.outputs[1]->content);
    EXPECT_EQ(run.outputs[1]->file->at_step(0), "000.png");
    EXPECT_EQ(*png.colours, "viridis");
    EXPECT_EQ(png.low->value, 0.0);
    EXPECT_EQ(png.high->value, 2.5);
    EXPECT_EQ(*png.scale, 4u);
    EXPECT_EQ(png.slice->value, 7u);
    EXPECT_EQ(png.element->value, 1u);
}

TEST(Timing, IncludesEveryNthStepOfItsRange) {
    const Timing timing{3, 4, 11};
    std::vector<std::uint64_t> steps;
    for (std::uint64_t step = 0; step < 20; ++step)
        if (timing.includes(step)) steps.push_back(step);
    EXPECT_THAT(steps, ElementsAre(4, 7, 10));
}

struct Bad {
    const char* name;
    std::string (*document)(const std::string& text);
    const char* text;
    const char* message;
};

class BadRunFile : public ::testing::TestWithParam<Bad> {};

TEST_P(BadRunFile, SaysWhatWhereAndWhatWasExpected) {
    try {
        (void)parse_run_file(GetParam().document(GetParam().text), "r.toml");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), GetParam().message);
        EXPECT_EQ(error.kind(), Failure::input);
    }
}

const Bad bad[] = {
    {"Malformed", whole, "model = \"m\"\nrun = {\n", "r.toml:2:8: malformed TOML (inline table: expected key or closing '}', saw '\\n')"},
    {"Twice", whole, "model = \"m\"\nmodel = \"n\"\n",
     "r.toml:2:9: malformed TOML (key-value pair: cannot redefine existing string 'model')"},
    {"HugeInteger", whole, "model = \"m\"\nrun.steps = 99999999999999999999\n",
     "r.toml:2:33: malformed TOML (decimal integer: '99999999999999999999' is not representable in 64 bits)"},
    {"Empty", whole, "", "r.toml:1:1: no `model` (expected the name of a model, as in model = \"life\")"},
    {"UnknownTopKey", with, "[place.cell]\nsize = [3]\n",
     "r.toml:3:2: unknown key `place` (known are model, run, schedule, places, links, agents, params, plugins, phase and output) did you "
     "mean "
     "`places`?"},
    {"UnknownRunKey", with, "run.setps = 3\n",
     "r.toml:3:5: unknown key `setps` in `run` (known are steps, seed, devices, weights, memory, transport, inject_latency, threads, stop, "
     "stop_every, out, float, "
     "bake, output_memory, output_threads, checkpoint and start) "
     "did you "
     "mean `steps`?"},
    {"UnknownPlacesKey", in_cell, "qqq = 3\n",
     "r.toml:5:1: unknown key `qqq` in `places.cell` (known are type, size, count, extent, devices, cuts, boundary, outside and init)"},
    {"ModelType", whole, "model = 3\n", "r.toml:1:9: `model` is the integer 3 (expected the name of a model, or a path to one)"},
    {"EmptyModel", whole, "model = \"\"\n", "r.toml:1:9: `model` is the string \"\" (expected the name of a model, or a path to one)"},
    {"NoSteps", whole, "model = \"m\"\n[run]\nseed = 1\n",
     "r.toml:2:1: no `steps` in `run` (expected a number of steps, or a `stop` condition)"},
    {"NoRun", whole, "model = \"m\"\n", "r.toml:1:1: no `run.steps` (expected a number of steps, or a `stop` condition)"},
    {"RunType", whole, "model = \"m\"\nrun = 5\n", "r.toml:2:7: `run` is the integer 5 (expected a table)"},
    {"StepsType", whole, "model = \"m\"\nrun.steps = \"many\"\n",
     "r.toml:2:13: `run.steps` is the string \"many\" (expected an integer from 0 to 4294967295)"},
    {"StepsRange", whole, "model = \"m\"\nrun.steps = 4294967296\n",
     "r.toml:2:13: `run.steps` is the integer 4294967296 (expected an integer from 0 to 4294967295)"},
    {"NegativeSeed", with, "run.seed = -1\n", "r.toml:3:12: `run.seed` is the integer -1 (expected an integer, 0 or more)"},
    {"Date", with, "run.seed = 2024-01-01\n", "r.toml:3:12: `run.seed` is a date or a time (expected an integer, 0 or more)"},
    {"Device", with, "run.devices = \"cdua:0\"\n",
     "r.toml:3:15: `run.devices` is the string \"cdua:0\" (expected \"auto\", \"cpu\", \"cuda:0\" or an array of devices) did you mean "
     "`cuda:0`?"},
    {"DeviceInArray", with, "run.devices = [\"cpu\", \"auto\"]\n",
     "r.toml:3:23: `run.devices.1` is the string \"auto\" (expected \"cpu\", or \"cuda:0\" for the first GPU)"},
    {"NoDevice", with, "run.devices = []\n", "r.toml:3:15: `run.devices` is an empty array (expected at least one device)"},
    {"Threads", with, "run.threads = 0\n",
     "r.toml:3:15: `run.threads` is the integer 0 (expected an integer from 1 to 65536, or \"auto\")"},
    {"StopSyntax", with, "run.stop = \"sum(cell.burning = 0\"\n",
     "r.toml:3:12: unexpected `=` at character 18 of `sum(cell.burning = 0` (expected an operator or `)`) did you mean `==`?"},
    {"StopIsNumber", with, "run.stop = \"sum(cell.burning)\"\n",
     "r.toml:3:12: `sum(cell.burning)` is not a condition (it gives a number, and a stop condition is true or false) compare it with "
     "something, as in "
     "`sum(cell.burning) == 0`"},
    {"OutputMemory", with, "run.output_memory = 64\n",
     "r.toml:3:21: `run.output_memory` is the integer 64 (expected an amount of memory, as in \"64 MiB\" or \"2 GiB\")"},
    {"OutputMemoryBelowNothing", with, "run.output_memory = \"-1 MiB\"\n",
     "r.toml:3:21: `run.output_memory` is the string \"-1 MiB\" (expected an amount of memory, as in \"64 MiB\" or \"2 GiB\")"},
    {"OutputThreads", with, "run.output_threads = 0\n",
     "r.toml:3:22: `run.output_threads` is the integer 0 (expected an integer from 1 to 256)"},
    {"OutputMemoryBelowNothingByAHair", with, "run.output_memory = \"-0 MiB\"\n",
     "r.toml:3:21: `run.output_memory` is the string \"-0 MiB\" (expected an amount of memory, as in \"64 MiB\" or \"2 GiB\")"},
    {"NegativeIntervalOfNoUnit", with, "run.checkpoint = { every = \"-1 m\" }\n",
     "r.toml:3:28: `run.checkpoint.every` is the string \"-1 m\" (expected a number of steps, or a time, as in \"30 s\", \"10 min\" or "
     "\"2 h\")"},
    {"NegativeLatencyOfNoUnit", with, "run.inject_latency = \"-0.5m\"\n",
     "r.toml:3:22: `run.inject_latency` is the string \"-0.5m\" (expected a time up to 1 s, as in \"100us\" or \"1ms\")"},
    {"OutputInTheFileOfAnother", with,
     "[[output]]\nevery = 1\ncsv = \"a\"\ncolumns = { n = \"1\" }\n[[output]]\nevery = 1\ncsv = \"a/b\"\ncolumns = { n = \"1\" }\n",
     "r.toml:9:7: `a/b` and `a` cannot both be written (they have the name of one file at some step, or one is a file where the other "
     "needs "
     "a folder; the other is at r.toml:5:7) give each its own name"},
    {"CheckpointMemory", with, "run.checkpoint = { every = 1, memory = 3 }\n",
     "r.toml:3:40: `run.checkpoint.memory` is the integer 3 (expected an amount of memory, as in \"64 MiB\" or \"2 GiB\")"},
    {"CheckpointCompress", with, "run.checkpoint = { every = 1, compress = \"snappy\" }\n",
     "r.toml:3:42: `run.checkpoint.compress` is the string \"snappy\" (expected \"none\" or \"zstd\")"},
    {"StopEvery", with, "run.stop_every = 0\n",
     "r.toml:3:18: `run.stop_every` is the integer 0 (expected an integer from 1 to 4294967295)"},
    {"Float", with, "run.float = \"fsat\"\n",
     "r.toml:3:13: `run.float` is the string \"fsat\" (expected \"exact\" or \"fast\") did you mean `fast`?"},
    {"Bake", with, "run.bake = 1\n", "r.toml:3:12: `run.bake` is the integer 1 (expected true or false)"},
    {"Exchange", with, "schedule.exchange = \"never\"\n",
     "r.toml:3:21: `schedule.exchange` is the string \"never\" (expected \"explicit\" or \"auto\")"},
    {"View", with, "schedule.view = \"windows\"\n",
     "r.toml:3:17: `schedule.view` is the string \"windows\" (expected \"auto\", \"direct\" or \"window\") did you mean `window`?"},
    {"PlacesType", with, "places.cell = 4\n",
     "r.toml:3:15: `places.cell` is the integer 4 (expected a table with the `size` of the collection, or its `count`)"},
    {"PlacesName", with, "[places.\"my cell\"]\nsize = [3]\n",
     "r.toml:3:9: `my cell` cannot be the name of a collection (expected letters, digits and `_`, starting with no digit)"},
    {"NoSize", with, "[places.cell]\n",
     "r.toml:3:1: no `size` in `places.cell` (expected an array of 1 to 3 positive integers, as in [4096, 4096])"},
    {"SizeType", with, "places.cell.size = 3\n",
     "r.toml:3:20: `places.cell.size` is the integer 3 (expected an array of 1 to 3 positive integers, as in [4096, 4096])"},
    {"SizeZero", with, "places.cell.size = [3, 0]\n",
     "r.toml:3:24: `places.cell.size.1` is the integer 0 (expected an integer, 1 or more)"},
    {"SizeFraction", with, "places.cell.size = [3.5]\n",
     "r.toml:3:21: `places.cell.size.0` is the number 3.5 (expected an integer, 1 or more)"},
    {"Size4D", with, "places.cell.size = [1, 1, 1, 1]\n",
     "r.toml:3:20: `places.cell.size` has 4 extents (expected an array of 1 to 3 positive integers, as in [4096, 4096])"},
    {"SizeEmpty", with, "places.cell.size = []\n",
     "r.toml:3:20: `places.cell.size` has 0 extents (expected an array of 1 to 3 positive integers, as in [4096, 4096])"},
    {"Size40", with, "places.cell.size = [1048576, 1048576]\n",
     "r.toml:3:20: `places.cell.size` has more places than there can be (a collection has fewer than 2^40, 1099511627776)"},
    {"SizeOverflow", with, "places.cell.size = [9223372036854775807, 9223372036854775807, 9223372036854775807]\n",
     "r.toml:3:20: `places.cell.size` has more places than there can be (a collection has fewer than 2^40, 1099511627776)"},
    {"Boundary", in_cell, "boundary = \"tours\"\n",
     "r.toml:5:12: `places.cell.boundary` is the string \"tours\" (expected \"torus\", \"fixed\", \"reflect\" or \"open\") did you mean "
     "`torus`?"},
    {"BoundaryCount", in_cell, "boundary = [\"open\"]\n",
     "r.toml:5:12: `places.cell.boundary` has 1 (expected one boundary, or 2, one for each extent of `size`)"},
    {"Outside", in_cell, "outside.heat = \"hot\"\n",
     "r.toml:5:16: `places.cell.outside.heat` is the string \"hot\" (expected a number, a boolean, or an array of these for an array "
     "member)"},
    {"InitText", in_cell, "init.alive = \"acorn.rle\"\n",
     "r.toml:5:14: `places.cell.init.alive` is the string \"acorn.rle\" (expected a number, a boolean, an array, { file = ... }, { random "
     "= ... } or { "
     "value = ..., box = ... }) did you mean `{ file = \"acorn.rle\" }`?"},
    {"InitTable", in_cell, "init.alive = { flie = \"acorn.rle\" }\n",
     "r.toml:5:14: `places.cell.init.alive` has neither `file`, `random` nor `value` (expected a number, a boolean, an array, { file = ... "
     "}, { random = ... } "
     "or { value = ..., box = ... }) did you mean `file`?"},
    {"InitMixed", in_cell, "init.alive = [{ value = 1 }, 2]\n",
     "r.toml:5:30: `places.cell.init.alive.1` is the integer 2 (expected a table, as the others in the array are)"},
    {"InitEmpty", in_cell, "init.alive = []\n",
     "r.toml:5:14: `places.cell.init.alive` is an empty array (expected a number, a boolean, an array, { file = ... }, { random = ... } or "
     "{ value = ..., box "
     "= ... })"},
    {"At", in_cell, "init.alive = { file = \"a.rle\", at = [1] }\n",
     "r.toml:5:37: `places.cell.init.alive.at` has 1 coordinate (expected an array of 2 integers, as `size` has 2 extents)"},
    {"FileAndRandom", in_cell, "init.alive = { file = \"a.rle\", random = 0.5 }\n",
     "r.toml:5:32: unknown key `random` in `places.cell.init.alive`, an initial value from a file (known are file, at, nodata, rule and "
     "element)"},
    {"Random", in_cell, "init.alive = { random = \"unifrom\" }\n",
     "r.toml:5:25: `places.cell.init.alive.random` is the string \"unifrom\" (expected \"uniform\", \"bernoulli\", \"below\" or "
     "\"normal\") did you mean "
     "`uniform`?"},
    {"Probability", in_cell, "init.alive = { random = 30 }\n",
     "r.toml:5:25: `places.cell.init.alive.random` is the integer 30 (expected a probability from 0 to 1)"},
    {"NoProbability", in_cell, "init.alive = { random = \"bernoulli\" }\n",
     "r.toml:5:14: no `p` in `places.cell.init.alive` (expected the probability of a 1)"},
    {"UniformBounds", in_cell, "init.heat = { random = \"uniform\", low = 2, high = 1 }\n",
     "r.toml:5:51: `places.cell.init.heat.high` is the integer 1 (expected more than `low`, 2)"},
    {"Infinite", in_cell, "init.heat = { random = \"uniform\", low = 2, high = inf }\n",
     "r.toml:5:51: `places.cell.init.heat.high` is the number inf (expected a finite number)"},
    {"Deviation", in_cell, "init.heat = { random = \"normal\", mean = 2, deviation = -1 }\n",
     "r.toml:5:56: `places.cell.init.heat.deviation` is the integer -1 (expected 0 or more)"},
    {"Box", in_cell, "init.heat = { value = 2, box = [[0, 0], [4, 7]] }\n",
     "r.toml:5:32: `places.cell.init.heat.box` spans 0 to 7 in y (expected a first and an end from 0 to 6, the end excluded and above the "
     "first)"},
    {"BoxForm", in_cell, "init.heat = { value = 2, box = [0, 0, 4, 7] }\n",
     "r.toml:5:32: `places.cell.init.heat.box` is an array (expected two corners, as in [[0, 0], [10, 10]], the second excluded)"},
    {"Param", with, "params.r = \"x\"\n", "r.toml:3:12: `params.r` is the string \"x\" (expected a number or a boolean)"},
    {"PhaseTable", with, "[phase]\ncallAll = \"cell.tick\"\n", "r.toml:3:1: `phase` is a table (expected a list of tables: [[phase]])"},
    {"PhaseNothing", with, "[[phase]]\nevery = 2\n",
     "r.toml:3:1: `phase.0` does nothing (expected one of callAll, exchangeAll, manageAll, rotate, reduce and repeat)"},
    {"PhaseTwo", with, "[[phase]]\ncallAll = \"cell.tick\"\nexchangeAll = \"cell\"\n",
     "r.toml:5:1: `exchangeAll` after `callAll` in one phase (a phase does one thing) start another [[phase]]"},
    {"PhaseKey", with, "[[phase]]\ncallall = \"cell.tick\"\n",
     "r.toml:4:1: unknown key `callall` in `phase.0`, a phase (known are callAll, exchangeAll, manageAll, rotate, reduce, repeat, every, "
     "from and "
     "until) did you mean `callAll`?"},
    {"CallAll", with, "[[phase]]\ncallAll = \"tick\"\n",
     "r.toml:4:11: `phase.0.callAll` is the string \"tick\" (expected a function of a collection, as in \"cell.tick\")"},
    {"CallAllArray", with, "[[phase]]\ncallAll = [\"cell.tick\"]\n",
     "r.toml:4:11: `phase.0.callAll` is an array (expected a function of a collection, as in \"cell.tick\")"},
    {"ExchangeAll", with, "[[phase]]\nexchangeAll = \"cell.alive\"\n",
     "r.toml:4:15: `phase.0.exchangeAll` is the string \"cell.alive\" (expected the name of a collection, as in \"cell\", or \"*\" for "
     "all)"},
    {"RotateOne", with, "[[phase]]\nrotate = [\"a.b\"]\n",
     "r.toml:4:10: `phase.0.rotate` is an array (expected an array of two or more members, as in [\"wave.now\", \"wave.before\"])"},
    {"RotateTwice", with, "[[phase]]\nrotate = [\"a.b\", \"a.b\"]\n", "r.toml:4:18: `a.b` is listed twice in `phase.0.rotate`"},
    {"RotateTwo", with, "[[phase]]\nrotate = [\"a.b\", \"c.b\"]\n",
     "r.toml:4:18: `c.b` is of another collection than `a.b` (members can be exchanged only within one collection)"},
    {"Every", with, "[[phase]]\ncallAll = \"cell.tick\"\nevery = 0\n",
     "r.toml:5:9: `phase.0.every` is the integer 0 (expected an integer from 1 to 4294967295)"},
    {"Until", with, "[[phase]]\ncallAll = \"cell.tick\"\nfrom = 5\nuntil = 5\n",
     "r.toml:6:9: `phase.0.until` is 5, and `from` is 5 (it would never happen: `until` is the first step in which it no longer does)"},
    {"OutputNothing", with, "[[output]]\nevery = 1\ncvs = \"a.csv\"\n",
     "r.toml:3:1: `output.0` names no file (expected one of csv, npy, png, agents and links) did you mean `csv`?"},
    {"OutputTwo", with, "[[output]]\nevery = 1\ncsv = \"a.csv\"\npng = \"a.png\"\n",
     "r.toml:6:1: `csv` and `png` in one output (an output is one kind of file) start another [[output]]"},
    {"OutputKey", with, "[[output]]\nevery = 1\ncsv = \"a.csv\"\ncolums = { a = \"step\" }\n",
     "r.toml:6:1: unknown key `colums` in `output.0`, a csv output (known are csv, columns, every, from and until) did you mean "
     "`columns`?"},
    {"NoEvery", with, "[[output]]\ncsv = \"a.csv\"\n",
     "r.toml:3:1: no `every` in `output.0` (expected the number of steps from one written state to the next)"},
    {"NoColumns", with, "[[output]]\nevery = 1\ncsv = \"a.csv\"\n",
     "r.toml:3:1: no `columns` in `output.0` (expected a table of expressions, as in { alive = \"sum(cell.alive)\" })"},
    {"EmptyColumns", with, "[[output]]\nevery = 1\ncsv = \"a.csv\"\ncolumns = {}\n",
     "r.toml:6:11: `output.0.columns` is a table (expected a table of expressions, as in { alive = \"sum(cell.alive)\" })"},
    {"Column", with, "[[output]]\nevery = 1\ncsv = \"a.csv\"\ncolumns = { a = \"summ(cell.alive)\" }\n",
     "r.toml:6:17: unknown function `summ` at character 1 of `summ(cell.alive)` (known are sum, mean, min, max, count, births, deaths, "
     "moves, "
     "refused_moves and refused_births) did you mean "
     "`sum`?"},
    {"CsvStep", with, "[[output]]\nevery = 1\ncsv = \"a-{step}.csv\"\ncolumns = { a = \"step\" }\n",
     "r.toml:5:7: `a-{step}.csv` names a file for each step (a csv output is one file with a row for each step) leave the `{step}` out"},
    {"PngStep", with, "[[output]]\nevery = 1\npng = \"a.png\"\nattribute = \"a.b\"\n",
     "r.toml:5:7: `a.png` is one name for many files (each step that is written would replace the one before it) put `{step}` or "
     "`{step:06}` into it"},
    {"Placeholder", with, "[[output]]\nevery = 1\npng = \"a{stpe}.png\"\nattribute = \"a.b\"\n",
     "r.toml:5:7: unknown placeholder `{stpe}` in `a{stpe}.png` (a file name may hold `{step}`, or `{step:06}` for six digits)"},
    {"PlaceholderWidth", with, "[[output]]\nevery = 1\npng = \"a{step:6}.png\"\nattribute = \"a.b\"\n",
     "r.toml:5:7: unknown placeholder `{step:6}` in `a{step:6}.png` (a file name may hold `{step}`, or `{step:06}` for six digits)"},
    {"OpenBrace", with, "[[output]]\nevery = 1\npng = \"a{step.png\"\nattribute = \"a.b\"\n",
     "r.toml:5:7: `{` without `}` in `a{step.png`"},
    {"CloseBrace", with, "[[output]]\nevery = 1\npng = \"a}.png\"\nattribute = \"a.b\"\n", "r.toml:5:7: `}` without `{` in `a}.png`"},
    {"AbsoluteName", with, "[[output]]\nevery = 1\ncsv = \"/tmp/a.csv\"\n",
     "r.toml:5:7: `/tmp/a.csv` cannot be the name of a result file (it has to be relative to the result folder)"},
    {"LeavingName", with, "[[output]]\nevery = 1\ncsv = \"b/../../a.csv\"\n",
     "r.toml:5:7: `b/../../a.csv` cannot be the name of a result file (it leaves the result folder)"},
    {"FolderName", with, "[[output]]\nevery = 1\ncsv = \"a/\"\n",
     "r.toml:5:7: `a/` cannot be the name of a result file (it names a folder)"},
    {"EmptyName", with, "[[output]]\nevery = 1\ncsv = \"\"\n", "r.toml:5:7: `` cannot be the name of a result file (it is empty)"},
    {"ManifestName", with, "[[output]]\nevery = 1\ncsv = \"./manifest.json\"\n",
     "r.toml:5:7: `./manifest.json` cannot be the name of a result file (the manifest of the run has this name)"},
    {"NameInManifest", with, "[[output]]\nevery = 1\ncsv = \"manifest.json/a.csv\"\n",
     "r.toml:5:7: `manifest.json/a.csv` cannot be the name of a result file (its folder has the name of the manifest of the run)"},
    {"NameOfAddresses", with, "[[output]]\nevery = 1\ncsv = \"viewer.url\"\n",
     "r.toml:5:7: `viewer.url` cannot be the name of a result file (the file with the viewer's addresses has this name)"},
    {"NameOfLeadingPage", with, "[[output]]\nevery = 1\ncsv = \"./viewer.html\"\n",
     "r.toml:5:7: `./viewer.html` cannot be the name of a result file (the file that leads a browser to the viewer has this name)"},
    {"NameInEdits", with, "[[output]]\nevery = 1\ncsv = \"./edits/000/run.toml\"\n",
     "r.toml:5:7: `./edits/000/run.toml` cannot be the name of a result file (the folder `edits` is reserved for the run)"},
    {"NameOfEdits", with, "[[output]]\nevery = 1\ncsv = \"edits\"\n",
     "r.toml:5:7: `edits` cannot be the name of a result file (the folder `edits` is reserved for the run)"},
    {"NameInCheckpoints", with, "[[output]]\nevery = 1\nnpy = \"checkpoints/{step}.npy\"\nattribute = \"a.b\"\n",
     "r.toml:5:7: `checkpoints/{step}.npy` cannot be the name of a result file (the folder `checkpoints` is reserved for the run)"},
    {"NameInSource", with, "[[output]]\nevery = 1\ncsv = \"source/a.csv\"\n",
     "r.toml:5:7: `source/a.csv` cannot be the name of a result file (the folder `source` is reserved for the run)"},
    {"NameInBefore", with, "[[output]]\nevery = 1\ncsv = \"before/a.csv\"\n",
     "r.toml:5:7: `before/a.csv` cannot be the name of a result file (the folder `before` is reserved for the run)"},
    {"TemporaryName", with, "[[output]]\nevery = 1\ncsv = \".tessera-1-1.partial\"\n",
     "r.toml:5:7: `.tessera-1-1.partial` cannot be the name of a result file (files that are not finished have such names)"},
    {"TemporaryNameOfSteps", with, "[[output]]\nevery = 1\nnpy = \"a/.tessera-{step}.partial\"\nattribute = \"a.b\"\n",
     "r.toml:5:7: `a/.tessera-{step}.partial` cannot be the name of a result file (files that are not finished have such names)"},
    {"SameName", with,
     "[[output]]\nevery = 1\npng = \"a{step}.png\"\nattribute = \"a.b\"\n[[output]]\nevery = 2\npng = \"./a{step:06}.png\"\nattribute "
     "= \"a.c\"\n",
     "r.toml:9:7: two outputs write `./a{step:06}.png` (the other is at r.toml:5:7) give each its own name"},
    {"NoAttribute", with, "[[output]]\nevery = 1\nnpy = \"a{step}.npy\"\n",
     "r.toml:3:1: no `attribute` in `output.0` (expected a member of a collection, as in \"cell.alive\")"},
    {"Attribute", with, "[[output]]\nevery = 1\nnpy = \"a{step}.npy\"\nattribute = \"alive\"\n",
     "r.toml:6:13: `output.0.attribute` is the string \"alive\" (expected a member of a collection, as in \"cell.alive\")"},
    {"LowHigh", with, "[[output]]\nevery = 1\npng = \"a{step}.png\"\nattribute = \"a.b\"\nlow = 1\nhigh = 1\n",
     "r.toml:8:8: `output.0.high` is the integer 1 (expected more than `low`, 1)"},
    {"Scale", with, "[[output]]\nevery = 1\npng = \"a{step}.png\"\nattribute = \"a.b\"\nscale = 0\n",
     "r.toml:7:9: `output.0.scale` is the integer 0 (expected an integer from 1 to 256)"},
    {"PluginPath", with, "plugins.path = \"x\"\n", "r.toml:3:16: `plugins.path` is the string \"x\" (expected an array of folders)"},
};

INSTANTIATE_TEST_SUITE_P(All, BadRunFile, ::testing::ValuesIn(bad), [](const auto& each) { return std::string(each.param.name); });

// Overrides.

TEST(Override, SetsAnyKey) {
    const auto run =
        parse_run_file(life, "life.toml",
                       {"places.cell.size=[64,32]", "run.devices=cpu", "run.stop=sum(cell.alive) == 0", "params.\"birth\" = 4",
                        "params.death=2.5", "output.0.every=7", "run.seed=1", "run.seed=2", "schedule={view='direct'}", "model=other"});
    EXPECT_THAT(*run.places[0]->size, ElementsAre(64, 32));
    EXPECT_EQ(*run.run.devices[0], "cpu");
    EXPECT_EQ(run.run.stop->value.text, "sum(cell.alive) == 0");
    EXPECT_EQ(std::get<std::int64_t>(*run.params[0].value), 4);
    EXPECT_EQ(std::get<double>(*run.params[1].value), 2.5);
    EXPECT_EQ(run.outputs[0]->timing.every, 7u);
    EXPECT_EQ(*run.run.seed, 2u);
    EXPECT_EQ(*run.schedule.view, View::direct);
    EXPECT_EQ(*run.model, "other");
    EXPECT_EQ(to_string(run.run.seed.where), "--set run.seed=2");
}

TEST(Override, ReplacesAnInitialValueOrOneKeyOfIt) {
    const auto whole = parse_run_file(life, "life.toml", {"places.cell.init.alive={random=0.25}"});
    EXPECT_EQ(std::get<Bernoulli>(whole.places[0]->init[0].value[0]->source), Bernoulli{0.25});
    const auto key = parse_run_file(life, "life.toml", {"places.cell.init.alive.at=[1,2]"});
    EXPECT_EQ(*std::get<FromFile>(key.places[0]->init[0].value[0]->source).file, "acorn.rle");
    EXPECT_THAT(std::get<FromFile>(key.places[0]->init[0].value[0]->source).at, ElementsAre(1, 2));
}

TEST(Override, NamesFilesFromTheCurrentFolder) {
    const auto run = parse_run_file(life, "examples/life.toml", {"places.cell.init.alive.file=gun.rle"});
    const auto& file = *std::get<FromFile>(run.places[0]->init[0].value[0]->source).file;
    EXPECT_EQ(run.resolve(file), std::filesystem::current_path() / "gun.rle");
}

struct BadOverride {
    const char* text;
    const char* message;
};

class BadOverrides : public ::testing::TestWithParam<BadOverride> {};

TEST_P(BadOverrides, AreAMistakeOnTheCommandLine) {
    try {
        (void)parse_run_file(life, "life.toml", {GetParam().text});
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), GetParam().message);
        EXPECT_EQ(error.kind(), Failure::usage);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadOverrides,
    ::testing::Values(
        BadOverride{"run.steps", "--set run.steps: no value (expected key=value, as in run.steps=100)"},
        BadOverride{"run.steps=", "--set run.steps=: no value after the `=`"},
        BadOverride{"=5", "--set =5: bad key (root table: expected keys, tables, whitespace or comments, saw '=') write names with dots "
                          "between them, as in "
                          "places.cell.size or output.0.every"},
        BadOverride{
            "run..steps=5",
            "--set run..steps=5: bad key (key: expected bare key starting character or string delimiter, saw '.') write names with dots "
            "between them, as in places.cell.size or output.0.every"},
        BadOverride{"run.steps=[1", "--set run.steps=[1: bad value (array: encountered end-of-file)"},
        BadOverride{"run.steps=many",
                    "--set run.steps=many: `run.steps` is the string \"many\" (expected an integer from 0 to 4294967295)"},
        BadOverride{
            "run.steps=1\nmodel=2",
            "--set run.steps=1\\x0amodel=2: `run.steps` is the string \"1\\x0amodel=2\" (expected an integer from 0 to 4294967295)"},
        BadOverride{"run.setps=5",
                    "--set run.setps=5: unknown key `setps` in `run` (known are steps, seed, devices, weights, memory, transport, "
                    "inject_latency, threads, stop, stop_every, out, float, "
                    "bake, output_memory, output_threads, checkpoint and start) did you mean `steps`?"},
        BadOverride{"run.steps.x=5", "--set run.steps.x=5: `run.steps` has no key `x` (it is a single value)"},
        BadOverride{"output.2.every=5", "--set output.2.every=5: `output` has no item 2 (it has 2, counted from 0)"},
        BadOverride{"output.first.every=5",
                    "--set output.first.every=5: `output` has no key `first` (it is an array) name an item by its number, from 0"},
        BadOverride{"places.cell.size=[0]",
                    "--set places.cell.size=[0]: `places.cell.size.0` is the integer 0 (expected an integer, 1 or more)"},
        BadOverride{"places.cel.boundary=open",
                    "--set places.cel.boundary=open: no `size` in `places.cel` (expected an array of 1 to 3 positive integers, as in "
                    "[4096, 4096])"}));

// Layers.

const Layer defaults{R"(model = "life"
run.steps = 10
[places.cell]
size = [256, 256]
boundary = "open"
init.alive = { file = "start.rle", at = [3, 3] }
[[phase]]
exchangeAll = "cell"
[[phase]]
callAll = "cell.tick"
)",
                     "life.cu (defaults)", "/plugins/life"};

TEST(Layers, MergeTablesAndReplaceTheRest) {
    const auto run = parse_layers(
        {defaults,
         {"run.seed = 5\n[places.cell]\nsize = [9]\ninit.alive = {random = 0.5}\n[[phase]]\nexchangeAll = \"*\"\n", "mine.toml", "here"}},
        {"run.steps=3"});
    EXPECT_EQ(run.path, "mine.toml");
    EXPECT_EQ(run.folder, "here");
    EXPECT_EQ(*run.model, "life");
    EXPECT_EQ(run.run.steps->value, 3u);
    EXPECT_EQ(*run.run.seed, 5u);
    EXPECT_THAT(*run.places[0]->size, ElementsAre(9));
    EXPECT_EQ(*run.places[0]->boundary[0], Boundary::open);
    EXPECT_EQ(std::get<Bernoulli>(run.places[0]->init[0].value[0]->source), Bernoulli{0.5});
    ASSERT_EQ(run.phases.size(), 1u);
    EXPECT_EQ(to_string(run.places[0]->boundary[0].where), "life.cu (defaults):5:12");
    EXPECT_EQ(to_string(run.places[0]->size.where), "mine.toml:3:8");
}

TEST(Layers, RunAModelByItsDefaultsAlone) {
    const auto run = parse_layers({defaults}, {"places.cell.size=[64,64]"});
    EXPECT_EQ(run.resolve(*std::get<FromFile>(run.places[0]->init[0].value[0]->source).file), "/plugins/life/start.rle");
    EXPECT_THAT(*run.places[0]->size, ElementsAre(64, 64));
    EXPECT_EQ(run.phases.size(), 2u);
}

TEST(Layers, KeepThePathsOfEachRelativeToItsOwnFolder) {
    const auto run = parse_layers({defaults, {"run.out = \"results\"", "mine.toml", "here"}});
    EXPECT_EQ(run.resolve(*std::get<FromFile>(run.places[0]->init[0].value[0]->source).file), "/plugins/life/start.rle");
    EXPECT_EQ(run.resolve(**run.run.out), "here/results");
}

TEST(Layers, SayWhichModelBeforeAnythingElseIsKnown) {
    EXPECT_EQ(**find_model({{"model = \"life\"\nnonsense = 1", "r.toml", ""}}), "life");
    EXPECT_EQ(**find_model({{"model = \"life\"", "r.toml", ""}}, {"model=heat2d"}), "heat2d");
    EXPECT_FALSE(find_model({{"run.steps = 1", "r.toml", ""}}));
}

TEST(Layers, MayNameTheModelInAnyBytes) {
    for (const std::string path : {"o'brien/life.cu", "a\n[run]\nsteps = 7\n/life.cu", "\xff/\"life\".cu", "./'''life.cu"}) {
        const auto run = parse_layers({defaults, {"", path, "", path}});
        EXPECT_EQ(*run.model, path);
        EXPECT_EQ(run.run.steps->value, 10u);
    }
}

// The names of all collections of a run, over defaults that have `first`, `second` and the agents `ant`.
std::string collections(const std::string& text, const std::vector<std::string>& keys = {}) {
    const Layer three{"model = \"m\"\nrun.steps = 1\nplaces.first = { type = \"field\", size = [9] }\nplaces.second.size = [8]\n"
                      "agents.ant.count = 1\n",
                      "the defaults of m", "", std::nullopt, true};
    const auto run = parse_layers({three, {text, "mine.toml", ""}}, keys);
    std::string names;
    for (const auto& places : run.places) names += *places->name + " ";
    for (const auto& agents : run.agents) names += *agents->name + " ";
    return names;
}

TEST(Layers, LeaveOutCollectionsOfTheDefaultsWhereThereAreOthersOfTheirType) {
    EXPECT_EQ(collections(""), "first second ant ");
    EXPECT_EQ(collections("places.first.size = [5]"), "first second ant ");
    EXPECT_EQ(collections("places.left = { type = \"field\", size = [4] }"), "second left ant ");
    EXPECT_EQ(collections("places.left = { type = \"field\", size = [4] }\nplaces.first.size = [5]"), "first second left ant ");
    EXPECT_EQ(collections("places.field.size = [4]"), "second field ant "); // a name is a type where none is given
    EXPECT_EQ(collections("places.left = { type = \"second\", size = [4] }\nagents.bee = { type = \"ant\" }"), "first left bee ");
    EXPECT_EQ(collections("places.ant = { size = [4] }"), "first second ant ant "); // other kinds of things
}

TEST(Layers, LeaveOutOutputsOfCollectionsThatAreLeftOut) {
    const std::string csv = "\", columns = { m = \"";
    const Layer of_model{"model = \"m\"\nrun.steps = 1\nplaces.field.size = [9]\noutput = [{ every = 1, npy = \"a{step}.npy\", attribute = "
                         "\"field.heat\" }, { every = 1, csv = \"b.csv" +
                             csv + "sum(field.heat)\" } }, { every = 1, csv = \"c.csv" + csv + "max(fields.heat)\" } }]\n",
                         "the defaults of m", "", std::nullopt, true};
    const auto outputs = [&](const std::string& text, const std::vector<std::string>& keys = {}) {
        return parse_layers({of_model, {text, "mine.toml", ""}}, keys).outputs.size();
    };
    const std::string left = "places.left = { type = \"field\", size = [4] }\n";
    EXPECT_EQ(outputs(""), 3u);
    EXPECT_EQ(outputs(left), 1u);
    EXPECT_EQ(outputs(left + "places.field.size = [5]\n"), 3u);
    EXPECT_EQ(outputs(left, {"output=[{every=1, csv=\"d.csv\", columns={m=\"sum(field.heat)\"}}]"}), 1u)
        << "what somebody asks for is refused later";
}

TEST(Layers, TakeTheCommandLineForThatOfTheRunFile) {
    EXPECT_EQ(collections("", {"places.left={type=\"field\",size=[4]}"}), "second left ant ");
    EXPECT_EQ(collections("", {"places={left={type=\"field\",size=[4]}}"}), "second left ant ");
    EXPECT_EQ(collections("", {"places.left={type=\"field\",size=[4]}", "places.first.size=[3]"}), "first second left ant ");
    EXPECT_EQ(collections("", {"places.first.size=[3]"}), "first second ant ");
}

TEST(Overrides, KeepTheOrderOfWhatTheySet) {
    const auto run =
        parse_run_file(life, "r.toml", {"output=[{every=1, csv=\"a.csv\", columns={z=\"step\", b=\"step\", a=\"step\", y=\"step\"}}]"});
    const auto& columns = std::get<Csv>(run.outputs[0]->content).columns;
    ASSERT_EQ(columns.size(), 4u);
    EXPECT_EQ(*columns[0].name + *columns[1].name + *columns[2].name + *columns[3].name, "zbay");
}

// Reading from disk.

class RunFileOnDisk : public ::testing::Test {
protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "tessera-run-file-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
    [[nodiscard]] static std::string failure(const std::string& path) {
        try {
            (void)read_run_file(path);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }
    std::filesystem::path folder_;
};

TEST_F(RunFileOnDisk, IsReadAndItsFolderKept) {
    std::ofstream(path("life.toml")) << life;
    const auto run = read_run_file(path("life.toml"), {"run.seed=3"});
    EXPECT_EQ(run.folder, folder_.string());
    EXPECT_EQ(*run.run.seed, 3u);
    EXPECT_EQ(run, parse_run_file(life, path("life.toml"), {"run.seed=3"}));
}

TEST_F(RunFileOnDisk, ThatCannotBeReadIsAnError) {
    std::ofstream(path("life.toml")) << life;
    EXPECT_EQ(failure(path("lief.toml")),
              "cannot read the run file `" + path("lief.toml") + "` (No such file or directory) did you mean `" + path("life.toml") + "`?");
    EXPECT_EQ(failure(folder_.string()), "cannot read the run file `" + folder_.string() + "` (it is a folder)");
}

TEST_F(RunFileOnDisk, ThatIsNoFileOfADecentSizeIsAnError) {
    ASSERT_EQ(mkfifo(path("pipe.toml").c_str(), 0600), 0);
    EXPECT_EQ(failure(path("pipe.toml")), "cannot read the run file `" + path("pipe.toml") + "` (it is a pipe)");
    std::filesystem::create_symlink("/dev/zero", path("zero.toml"));
    EXPECT_THAT(failure(path("zero.toml")), StartsWith("cannot read the run file `" + path("zero.toml") + "` (it is a device)"));
    std::filesystem::create_symlink("loop.toml", path("loop.toml"));
    EXPECT_THAT(failure(path("loop.toml")), ::testing::HasSubstr("(Too many levels of symbolic links)"));
    std::ofstream(path("large.toml")) << "";
    std::filesystem::resize_file(path("large.toml"), std::uintmax_t{1} << 40); // a hole
    EXPECT_THAT(failure(path("large.toml")),
                StartsWith("cannot read the run file `" + path("large.toml") + "` (it has 1099511627776 bytes, and 16777216 is the most)"));
    EXPECT_THAT(failure(path(std::string(300, 'x') + ".toml")), ::testing::HasSubstr("(File name too long)"));
}

// Resolved text.

TEST(ResolvedToml, WritesEveryDefault) {
    EXPECT_EQ(resolved_toml(parse_run_file(
                  with("places.cell.size = [5, 6]\nparams.\"odd name\" = 1\n[[phase]]\ncallAll=\"cell.tick\"\n[[output]]\npng = "
                       "\"{step}.png\"\nevery=2\nattribute=\"cell.x\"\n"),
                  "r.toml")),
              R"(model = "m"

[run]
steps = 1
seed = 1
devices = "auto"
memory = "auto"
transport = "auto"
threads = "auto"
stop_every = 1
float = "exact"
bake = true

[schedule]
exchange = "explicit"
view = "auto"
tune = "quick"
halo = "auto"

[places.cell]
type = "cell"
size = [5, 6]
boundary = ["torus", "torus"]

[params]
"odd name" = 1

[[phase]]
callAll = "cell.tick"
every = 1
from = 0

[[output]]
png = "{step}.png"
attribute = "cell.x"
colours = "grey"
scale = 1
every = 2
from = 0
)");
}

// Random run files as text, from pieces that are each right.
class Writer {
public:
    std::string text() {
        std::string text = "model = " + one({"\"life\"", "\"./models/my \\\"model\\\".cu\"", "'back\\slash'"}) + "\n[run]\n";
        const bool has_steps = coin();
        if (has_steps) text += "steps = " + integer(0, 4294967295) + "\n";
        if (!has_steps || coin()) text += "stop = " + one({"\"sum(cell.burning) == 0\"", "'''not (count(a.b > 1.5e-3) >= 3)'''"}) + "\n";
        text += maybe("seed = " + integer(0, 9223372036854775807)) +
                maybe("devices = " + one({"\"auto\"", "\"cpu\"", "[\"cuda:0\"]", "[\"cpu\", \"cpu\"]"}));
        text += maybe("threads = " + one({"\"auto\"", "3"})) + maybe("stop_every = 10") + maybe("out = \"results/\\u00e4\\t\"") +
                maybe("float = \"fast\"") + maybe("bake = false") + maybe("output_memory = \"1.5 MiB\"") +
                maybe("checkpoint = { every = 5, keep = 3, at_end = true, memory = \"3 MiB\", compress = \"zstd\" }") +
                maybe("start = { checkpoint = \"kept/\\u00e4\" }");
        text += maybe("[schedule]\nexchange = \"auto\"\nview = \"window\"");
        for (const auto* name : {"cell", "_other2"})
            if (coin()) text += places(name);
        text += maybe("[params]\nb = " + number() + "\na = " + number() + "\n\"x y\" = true");
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
            text += "[[phase]]\n" +
                    one({"callAll = \"cell.tick\"", "exchangeAll = \"*\"", "manageAll = \"ant\"", "rotate = [\"a.b\", \"a.c\"]",
                         "reduce = { a = \"sum(cell.b)\", b = \"count(ant where ant.x > 0)\" }",
                         "repeat = { phases = [{ callAll = \"cell.tick\" }], times = 2 }",
                         "repeat = { phases = [{ reduce = { a = \"max(cell.b)\" } }], until = \"count(ant) == 0\", most = 2 }",
                         "repeat = { phases = [{ rotate = [\"a.b\", \"a.c\"] }, { manageAll = [\"ant\", \"bee\"] }], times = 3 }"}) +
                    "\n" + timing();
        for (int i = *rc::gen::inRange(0, 4); i > 0; --i) text += output(i);
        return text + maybe("[plugins]\npath = [\"a\", \"/b\"]");
    }

private:
    static bool coin() { return *rc::gen::arbitrary<bool>(); }
    static std::string one(const std::vector<std::string>& choices) { return *rc::gen::elementOf(choices); }
    static std::string maybe(const std::string& line) { return coin() ? line + "\n" : ""; }
    static std::string integer(std::int64_t low, std::int64_t high) {
        return coin() ? std::to_string(high) : std::to_string(*rc::gen::inRange(low, high));
    }
    static std::string number() {
        if (coin()) return one({"0", "-0.0", "1e300", "-3", "2.5", "inf", "true", "1.0", "5e-324", "0.1"});
        const auto value = *rc::gen::arbitrary<double>();
        char text[40];
        (void)std::snprintf(text, sizeof text, "%.17e", value);
        return text;
    }
    static std::string timing() { return maybe("every = 3") + maybe("from = 2") + maybe("until = 4294967295"); }

    static std::string places(const std::string& name) {
        const int dimensions = *rc::gen::inRange(1, 4);
        const auto repeated = [&](const std::string& item) {
            return "[" + item + (dimensions > 1 ? ", " + item : "") + (dimensions > 2 ? ", " + item : "") + "]";
        };
        std::string text = "[places." + name + "]\nsize = " + repeated(integer(9, 1000)) + "\n" + maybe("type = \"cell\"");
        text += maybe("extent = " + repeated("0.1"));
        text += maybe("boundary = " + one({"\"open\"", repeated("\"fixed\"")})) + maybe("outside = { a = " + number() + ", v = [1, 2.5] }");
        const auto value = [&] {
            return one({"{ file = \"a b.rle\", at = " + repeated("-4") + ", nodata = " + integer(-5, 5) + " }",
                        "{ file = \"/x.npy\", rule = \"B3/S23\", element = 3 }", "{ random = \"uniform\", low = -1, high = 0.1 }",
                        "{ random = 0.3 }", "{ random = \"below\", n = 7 }", "{ random = \"normal\", mean = 1, deviation = 0.5 }",
                        "{ value = " + number() + ", box = [" + repeated("1") + ", " + repeated("9") + "] }", "{ value = [1, 2] }"});
        };
        text += maybe("init.b = " + number()) + maybe("init.a = " + value()) + maybe("init.c = [" + value() + ", " + value() + "]") +
                maybe("init.v = [1, true, 0.5]");
        return text;
    }

    static std::string output(int number_of_it) {
        const auto name = "out/" + std::to_string(number_of_it);
        return "[[output]]\nevery = 5\n" + maybe("from = 3") +
               one({"csv = \"" + name + ".csv\"\ncolumns = { z = \"sum(cell.alive)\", a = \"step\", \"%\" = \"100 * mean(c.v[2])\" }\n",
                    "npy = \"" + name + "-{step:04}.npy\"\nattribute = \"cell.alive\"\n",
                    "png = \"" + name + "-{step}.png\"\nattribute = \"cell.alive\"\n" + maybe("colours = \"viridis\"") +
                        maybe("low = 0.1") + maybe("high = 7") + maybe("scale = 2") + maybe("slice = 0") + maybe("element = 4") +
                        maybe("overlay = { ant = \"#102030\", bee = { attribute = \"kind\", low = -0.5 } }"),
                    "png = \"" + name + "-{step}.png\"\noverlay = { ant = { attribute = \"age\", colours = \"inferno\" } }\n"});
    }
};

TEST(ResolvedToml, WithAbsolutePathsMeansTheSameFromAnyFolder) {
    const auto here = std::filesystem::current_path().string();
    const auto text = with("run.out = \"results\"\nplugins.path = [\"mine\", \"/yours\"]\n[places.cell]\nsize = [9]\n"
                           "init.a = { file = \"../data/a.csv\" }\ninit.b = [{ value = 1 }, { file = \"/b.csv\" }]\n"
                           "[agents.ant]\nplace = { file = \"ants.csv\" }\n");
    const auto resolved = resolved_toml(with_absolute_paths(parse_run_file(text, "some/folder/r.toml")));
    const auto again = parse_run_file(resolved, "/elsewhere/r.toml");
    EXPECT_EQ(*again.model, "m"); // a name stays one
    EXPECT_EQ(**again.run.out, here + "/some/folder/results");
    EXPECT_EQ(*again.plugin_folders[0], here + "/some/folder/mine");
    EXPECT_EQ(*again.plugin_folders[1], "/yours");
    EXPECT_EQ(*std::get<FromFile>(again.places[0]->init[0].value[0]->source).file, here + "/some/data/a.csv");
    EXPECT_EQ(*std::get<FromFile>(again.places[0]->init[1].value[1]->source).file, "/b.csv");
    EXPECT_EQ(**again.agents[0]->file, here + "/some/folder/ants.csv");
    const auto by_path = with_absolute_paths(parse_run_file("model = \"./m.cu\"\nrun.steps = 1", "some/folder/r.toml"));
    EXPECT_EQ(*by_path.model, here + "/some/folder/m.cu");
}

TEST(ResolvedToml, WritesWhatIsNoUtf8AsReplacementCharacters) {
    auto run = parse_run_file(with(""), "r.toml");
    run.model.value = "a\xff\"\n\x1b/m.cu";
    const auto text = resolved_toml(run);
    EXPECT_EQ(*parse_run_file(text, "r.toml").model, "a\xef\xbf\xbd\"\n\x1b/m.cu");
}

TEST(ResolvedToml, WritesAgents) {
    const auto run = parse_run_file(with(R"(
[agents.ant]
on = "cell"
count = 7
place = { box = [[0, 0], [4, 3]] }
capacity = 3
priority = "id"
on_edge = "refuse"
init = { age = { random = "below", n = 6, plus = -2 }, v = [1, 2.5] }
[agents.bee]
type = "ant"
place = "each"
capacity = "unlimited"
reserve = 5000
[agents.fly]
place = { file = "flies \"5\".csv" }
[[phase]]
manageAll = ["ant", "bee"]
[[output]]
agents = "ants-{step}.npy"
attribute = "ant"
every = 5
[[output]]
png = "{step}.png"
attribute = "cell.v"
every = 5
overlay = { ant = "black", bee = "#ff8000" }
[[output]]
links = "roads-{step}.csv"
attribute = "road"
every = 5
[links.road]
generate = { rule = "degrees", file = "out \"5\".txt", to_file = "in.npy" }
)"),
                                    "r.toml");
    ASSERT_EQ(run.agents.size(), 3u);
    EXPECT_EQ(*run.agents[0]->capacity, 3u);
    EXPECT_EQ(**run.agents[0]->box, (Box{{0, 0}, {4, 3}}));
    EXPECT_EQ(std::get<Below>(run.agents[0]->init[0].value[0]->source), (Below{6, -2}));
    EXPECT_EQ(*run.agents[1]->place, StartingPlaces::each);
    EXPECT_EQ(*run.agents[1]->capacity, unlimited);
    EXPECT_EQ(**run.agents[1]->reserve, 5000u);
    EXPECT_EQ(*run.agents[2]->place, StartingPlaces::file);
    EXPECT_EQ(**run.agents[2]->file, "flies \"5\".csv");
    EXPECT_EQ(std::get<ManageAll>(run.phases[0]->action).collections.size(), 2u);
    EXPECT_TRUE(std::get<AgentRows>(run.outputs[0]->content).as_npy);
    EXPECT_FALSE(std::get<LinkRows>(run.outputs[2]->content).as_npy);
    EXPECT_EQ(*std::get<LinkRows>(run.outputs[2]->content).collection, "road");
    const auto resolved = resolved_toml(run);
    EXPECT_EQ(parse_run_file(resolved, "r.toml"), run) << resolved;
}

TEST(ResolvedToml, WritesExtentsRepeatsAndOverlays) {
    const auto run = parse_run_file(with(R"(
[places.air]
size = [6, 4]
extent = [12.5, 8]
[[phase]]
repeat = { phases = [{ callAll = "bird.look" }, { manageAll = "bird" }], times = 3 }
every = 2
from = 1
[[phase]]
repeat = { phases = [{ callAll = "bird.look" }, { manageAll = ["bird", "ant"] }], times = 2 }
[[phase]]
callAll = "bird.fly"
[[output]]
png = "a{step}.png"
every = 5
overlay = { bird = { attribute = "speed", colours = "inferno", low = -1, high = 2.5 }, ant = "black", bee = { attribute = "kind" } }
[[output]]
png = "b{step}.png"
every = 5
attribute = "air.wind"
overlay = { bird = { attribute = "speed", high = 3 } }
)"),
                                    "r.toml");
    EXPECT_THAT(**run.places[0]->extent, ElementsAre(12.5, 8));
    ASSERT_EQ(run.phases.size(), 3 * 2 + 2 * 2 + 1u);
    for (std::size_t p = 0; p < 10; ++p) {
        const auto& phase = *run.phases[p];
        const std::size_t repeat = p < 6 ? 0 : 1, in_repeat = p - 6 * repeat;
        ASSERT_TRUE(phase.round) << p;
        EXPECT_EQ(*phase.round, (Round{repeat, in_repeat / 2, repeat == 0 ? 3u : 2u})) << p;
        EXPECT_EQ(phase.timing, repeat == 0 ? (Timing{2, 1, std::nullopt}) : (Timing{1, 0, std::nullopt})) << p;
        EXPECT_EQ(std::holds_alternative<CallAll>(phase.action), p % 2 == 0) << p;
    }
    EXPECT_FALSE(run.phases[10]->round);
    const auto& png = std::get<Png>(run.outputs[0]->content);
    EXPECT_FALSE(png.attribute);
    EXPECT_EQ(**png.overlay[0].value.member, "speed");
    EXPECT_EQ(*png.overlay[0].value.colours, "inferno");
    EXPECT_EQ(png.overlay[0].value.low->value, -1);
    EXPECT_EQ(png.overlay[0].value.high->value, 2.5);
    EXPECT_EQ(**png.overlay[1].value.colour, "black");
    EXPECT_EQ(*png.overlay[2].value.colours, "viridis");
    const auto resolved = resolved_toml(run);
    EXPECT_EQ(parse_run_file(resolved, "r.toml"), run) << resolved;
}

TEST(ResolvedToml, WritesReducesAndRepeatsUntil) {
    const auto run = parse_run_file(with(R"toml(
[[phase]]
reduce = { total = "sum(ant.sugar)", alive = "count(ant)" }
every = 3
[[phase]]
repeat.until = "count(ant where ant.open) == 0"
repeat.most = 4
repeat.phases = [{ callAll = "ant.bid" }, { reduce = { alive = "count(ant)" } }]
from = 2
)toml"),
                                    "r.toml");
    ASSERT_EQ(run.phases.size(), 1 + 4 * 3 + 1u); // the question before each round, and behind the last
    const auto& reduce = std::get<Reduce>(run.phases[0]->action);
    ASSERT_EQ(reduce.values.size(), 2u);
    EXPECT_EQ(*reduce.values[1].name, "alive");
    EXPECT_EQ(reduce.values[1].value->text, "count(ant)");
    for (std::size_t p = 1; p < run.phases.size(); ++p) {
        EXPECT_EQ(*run.phases[p]->round, (Round{0, (p - 1) / 3, 4})) << p;
        EXPECT_EQ(run.phases[p]->timing, (Timing{1, 2, std::nullopt})) << p;
        EXPECT_EQ(std::holds_alternative<Until>(run.phases[p]->action), p % 3 == 1) << p;
    }
    const auto resolved = resolved_toml(run);
    EXPECT_EQ(parse_run_file(resolved, "r.toml"), run) << resolved;
}

TEST(ResolvedToml, ReadsBackAsTheSameRunFile) {
    EXPECT_TRUE(rc::check([] {
        const auto text = Writer().text();
        RC_LOG() << text;
        const auto run = parse_run_file(text, "some/folder/r.toml");
        const auto resolved = resolved_toml(run);
        RC_LOG() << "\n----\n" << resolved;
        const auto again = parse_run_file(resolved, "some/folder/r.toml");
        RC_ASSERT(again == run);
        RC_ASSERT(resolved_toml(again) == resolved);
    }));
}

} // namespace
} // namespace tessera::run_file::run_file_test

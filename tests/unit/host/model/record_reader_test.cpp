// The description of a model, read from records that are whole, damaged, or made to do harm.
#include "device_runtime/error.hpp"
#include "host/model/description.hpp"
#include "jit/symbols.hpp"

#include <tessera/detail/name_hash.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>

namespace tessera::model::record_reader_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

enum Kind : std::uint32_t {
    place = 1,
    call = 2,
    init = 3,
    parameter = 4,
    named = 5,
    defaults = 6,
    doc = 7,
    agent = 8,
    value = 9,
    named_values = 11
};

// The bytes of a record, as sdk/include/tessera/detail/records.hpp lays them out.
class Bytes {
public:
    Bytes(Kind kind, std::uint32_t line, std::uint32_t count) {
        text("TESSERA6", false);
        number<std::uint32_t>(kind).number(line).number(std::uint32_t{0}).number(count).number(std::uint64_t{0});
    }
    template<class T> Bytes& number(T value) {
        const auto* bytes = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), bytes, bytes + sizeof(T));
        return *this;
    }
    Bytes& text(const std::string& text, bool ended = true) {
        for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
        if (ended) bytes_.push_back(std::byte{0});
        return *this;
    }
    template<class T> Bytes& member(std::uint32_t type, std::uint32_t elements, T value) {
        number(type).number(elements);
        for (std::uint32_t i = 0; i < elements; ++i) number(value);
        while (bytes_.size() % 8 != 0) bytes_.push_back(std::byte{0});
        return *this;
    }
    Bytes& use(std::uint8_t bits, std::uint8_t reach) {
        number(bits);
        for (int i = 0; i < 18; ++i) number(reach);
        return *this;
    }
    Bytes& others(std::uint32_t ground, std::uint32_t agent_uses, std::uint32_t values = 1) {
        constexpr std::uint32_t links = 0;
        return number(ground).number(agent_uses).number(links).number(values);
    }
    // The values that a function reads; one that is none where it reads none.
    Bytes& values(const std::vector<std::string>& names = {}) {
        while (bytes_.size() % 8 != 0) bytes_.push_back(std::byte{0});
        for (const auto& name : names) number(name_hash(name.c_str()));
        return names.empty() ? number(std::uint64_t{0}) : *this;
    }
    Bytes& agent_use(const std::string& row, std::uint32_t what, std::uint8_t reach, std::uint16_t met = 0xffff, std::uint16_t most = 0) {
        while (bytes_.size() % 8 != 0) bytes_.push_back(std::byte{0});
        number(name_hash(row.c_str())).number(what).number(met).number(most);
        for (int i = 0; i < 24; ++i) number(reach); // six of them to the next 8 bytes
        return *this;
    }
    [[nodiscard]] jit::DataSymbol symbol(const std::string& name = "_ZN13tessera_model5fires14tessera_record_E") const {
        return {name, bytes_};
    }

private:
    std::vector<std::byte> bytes_;
};

constexpr std::uint32_t type_bool = 1, type_u8 = 3, type_f32 = 10;

Bytes forest() {
    return Bytes(place, 1, 3)
        .member(type_f32, 1, 0.5f)
        .member(type_bool, 1, std::uint8_t{1})
        .member(type_u8, 5, std::uint8_t{7})
        .text("ForestPatch")
        .text("heat, burning, ages");
}

std::vector<jit::DataSymbol> whole() {
    return {forest().symbol(),
            Bytes(call, 2, 3)
                .others(0, 0)
                .use(3, 1)
                .use(4, 0)
                .use(0, 0)
                .values()
                .text("ForestPatch")
                .text("spread")
                .text("around<moore, &ForestPatch::heat>")
                .symbol(),
            Bytes(parameter, 3, 1).number(0.0).number(10.0).member(type_f32, 1, 2.5f).text("wind").text("its speed").symbol(),
            Bytes(doc, 4, 0).text("ForestPatch::heat").text("in kelvin").symbol(),
            Bytes(value, 9, 1).member(type_f32, 1, 0.0f).text("smoke").text("of all patches").symbol(),
            Bytes(defaults, 5, 0).text("run.steps = 3").symbol(),
            Bytes(named, 6, 0).text("fires").text("a forest").symbol()};
}

std::string refusal(std::vector<jit::DataSymbol> symbols, const jit::ModelSource& source = {}) {
    try {
        (void)read_description(symbols, "fires.cu", source);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::plugin) << error.what();
        return error.what();
    }
    return "none";
}

std::string refusal_with(const Bytes& record) {
    auto symbols = whole();
    symbols.push_back(record.symbol());
    return refusal(std::move(symbols));
}

TEST(Records, ReadsWhatAModelSaysOfItself) {
    const auto description = read_description(whole(), "fires.cu");
    EXPECT_EQ(description.name, "fires");
    EXPECT_EQ(description.doc, "a forest");
    EXPECT_EQ(description.defaults, "run.steps = 3\n");
    ASSERT_EQ(description.rows.size(), 1u);
    const auto& row = description.rows[0];
    EXPECT_EQ(row.collection, "forest_patch");
    EXPECT_EQ(row.scope, "fires");
    ASSERT_EQ(row.members.size(), 3u);
    EXPECT_EQ(row.members[0].doc, "in kelvin");
    EXPECT_EQ(row.members[0].type, Scalar::f32);
    EXPECT_EQ(row.members[1].name, "burning");
    EXPECT_EQ(row.members[2].initial, std::vector<std::byte>(5, std::byte{7}));
    ASSERT_EQ(description.functions.size(), 1u);
    EXPECT_EQ(description.functions[0].name, "spread");
    EXPECT_EQ(description.functions[0].row, 0u);
    ASSERT_EQ(description.parameters.size(), 1u);
    EXPECT_EQ(description.parameters[0].range, (std::array<double, 2>{0, 10}));
    ASSERT_EQ(description.values.size(), 1u);
    EXPECT_EQ(description.values[0].name, "smoke");
    EXPECT_EQ(description.values[0].doc, "of all patches");
    EXPECT_EQ(description.values[0].type, Scalar::f32);
    EXPECT_TRUE(description.functions[0].values.empty());
}

TEST(Records, RefusesAFunctionOfAValueThatIsNotThere) {
    EXPECT_THAT(
        refusal_with(Bytes(call, 7, 3).others(0, 0).use(0, 0).use(0, 0).use(0, 0).values({"steam"}).text("ForestPatch").text("f").text("")),
        HasSubstr("a function reads a value that the model does not have"));
}

// A bird on the forest's patches, and its function, which looks around and may go and die.
std::vector<jit::DataSymbol> with_birds(const Bytes& function) {
    auto symbols = whole();
    symbols.push_back(
        Bytes(agent, 7, 1).member(type_u8, 1, std::uint8_t{2}).text("Bird").text("age").text("on<fires::ForestPatch>").symbol());
    symbols.push_back(function.symbol());
    return symbols;
}
Bytes fly(std::uint32_t ground = 3, const std::string& counted = "Bird", std::uint16_t met = 0) {
    return Bytes(call, 8, 1)
        .others(ground, 4)
        .use(1, 0)
        .use(3, 2)
        .use(0, 0)
        .use(4, 0)
        .agent_use(counted, 1 | 2, 2)
        .agent_use("Bird", 4, 0)
        .agent_use("Bird", 16, 1, met)
        .agent_use("Bird", 32, 0, 0xffff, 3)
        .values({"smoke"})
        .text("Bird")
        .text("fly")
        .text("dies");
}

TEST(Records, ReadsWhatAModelSaysOfAgents) {
    const auto description = read_description(with_birds(fly()), "fires.cu");
    ASSERT_EQ(description.rows.size(), 2u);
    EXPECT_EQ(description.rows[0].ground, std::nullopt);
    EXPECT_EQ(description.rows[1].ground, 0u);
    EXPECT_EQ(description.rows[1].collection, "bird");
    const auto& function = description.functions.back();
    EXPECT_EQ(function.row, 1u);
    EXPECT_EQ(function.values, std::vector<std::size_t>{0});
    ASSERT_EQ(function.accesses.size(), 3u); // its age, and of the patch what is read around and what is written
    EXPECT_EQ(function.accesses[0].row, 1u);
    EXPECT_EQ(function.accesses[1].row, 0u);
    EXPECT_TRUE(function.accesses[1].use.around);
    EXPECT_EQ(function.accesses[2].member, 2u);
    ASSERT_EQ(function.agent_uses.size(), 4u);
    EXPECT_TRUE(function.agent_uses[0].counts && function.agent_uses[0].moves && !function.agent_uses[0].dies);
    EXPECT_EQ(function.agent_uses[0].high[1][1], 2);
    EXPECT_TRUE(function.agent_uses[1].dies);
    EXPECT_TRUE(function.agent_uses[2].meets && !function.agent_uses[2].spawns);
    EXPECT_EQ(function.agent_uses[2].member, 0u);
    EXPECT_TRUE(function.agent_uses[3].spawns);
    EXPECT_EQ(function.agent_uses[3].member, std::nullopt);
    EXPECT_EQ(function.agent_uses[3].most, 3);
}

TEST(Records, RefusesAgentsThatDoNotFit) {
    EXPECT_THAT(refusal(with_birds(fly(2))), HasSubstr("cannot read the description of fires.cu"));
    EXPECT_THAT(refusal(with_birds(fly(3, "Bee"))), HasSubstr("agents that the model does not have"));
    EXPECT_THAT(refusal(with_birds(fly(3, "Bird", 1))), HasSubstr("meets agents of which the model knows less"));
    EXPECT_THAT(refusal(with_birds(fly(3, "ForestPatch"))), HasSubstr("agents that the model does not have"));
    const auto bird = [](const std::string& where) {
        return Bytes(agent, 7, 1).member(type_u8, 1, std::uint8_t{2}).text("Bird").text("age").text(where);
    };
    EXPECT_THAT(refusal_with(bird("on<Meadow>")), HasSubstr("Bird stand on<Meadow>, which are not places"));
    EXPECT_THAT(refusal_with(bird("on<Bird>")), HasSubstr("Bird stand on<Bird>, which are not places"));
    EXPECT_THAT(refusal_with(bird("")), HasSubstr("which are not places"));
}

// The line of what the source says, whatever file of it; none of a library that has no source.
TEST(Records, NamesTheLineInTheSource) {
    const auto symbols = [] {
        auto all = whole();
        all.push_back(Bytes(agent, 7, 1).member(type_u8, 1, std::uint8_t{2}).text("Bird").text("away").text("on<ForestPatch>").symbol());
        return all;
    }();
    const std::string taken =
        "Bird::away cannot be a member's name (`other.away` of agents that are met is the way to them) rename the member";
    EXPECT_EQ(refusal(symbols), "fires.cu: " + taken);
    const jit::ModelSource source{
        {"fires.cu", "#include \"birds.hpp\"\nTESSERA_MODEL(fires, \"away\");\n", "fires.cu"},
        {{"birds.hpp", "// TESSERA_AGENT(Bird, away)\nTESSERA_AGENT(Bird,\n on<ForestPatch>, age, away);", "birds.hpp"}}};
    EXPECT_EQ(refusal(symbols, source), "birds.hpp:3:24: " + taken);
    auto documented = whole();
    documented.push_back(Bytes(doc, 7, 0).text("ForestPatch::cold").text("x").symbol());
    EXPECT_THAT(refusal(documented, {{"fires.cu", "TESSERA_DOC( ForestPatch :: cold, \"x\");", "fires.cu"}, {}}),
                StartsWith("fires.cu:1:29: TESSERA_DOC(ForestPatch::cold, ...) documents nothing"));
}

TEST(Records, RefusesLengthsThatPassTheEnd) {
    // A member without a value, and then a text where nothing is left.
    EXPECT_THAT(refusal_with(Bytes(place, 7, 1).number(type_f32).number(1u)), HasSubstr("a record ends too early"));
    EXPECT_THAT(refusal_with(Bytes(place, 7, 1).number(type_f32).number(0x40000000u).number(1.0f)), HasSubstr("a record ends too early"));
    EXPECT_THAT(refusal_with(Bytes(place, 7, 0xffffffff)), HasSubstr("a record ends too early"));
    EXPECT_THAT(refusal_with(Bytes(place, 7, 1).number(type_u8).number(1u).number(std::uint8_t{0})), HasSubstr("does not end"));
    EXPECT_THAT(refusal_with(Bytes(doc, 7, 0).text("ForestPatch::heat")), HasSubstr("does not end"));
    EXPECT_THAT(refusal_with(Bytes(defaults, 7, 0).text("run.steps = 3", false)), HasSubstr("does not end"));
}

TEST(Records, RefusesTypesThatThereAreNot) {
    for (const std::uint32_t code : {0u, 12u, 255u, 256u + type_f32, 0xffffffffu})
        EXPECT_THAT(refusal_with(Bytes(place, 7, 1).member(code, 1, 0.0).text("Row").text("a")), HasSubstr("there is no type of number"));
    EXPECT_THAT(refusal_with(Bytes(place, 7, 1).member(type_u8, 0, 0.0).text("Row").text("a")), HasSubstr("a member of 0 elements"));
    EXPECT_THAT(refusal_with(Bytes(place, 7, 1).number(type_u8).number(0xfffffff0u).number(0.0).text("Row").text("a")),
                HasSubstr("a member of 4294967280 elements"));
    EXPECT_THAT(refusal_with(Bytes(place, 7, 1).member(type_bool, 1, std::uint8_t{2}).text("Row").text("a")),
                HasSubstr("neither false nor true"));
    EXPECT_THAT(refusal_with(Bytes(parameter, 7, 1).number(1.0).number(0.0).member(type_f32, 2, 1.0f).text("calm").text("")),
                HasSubstr("a parameter of 2 values"));
    EXPECT_THAT(refusal_with(Bytes(static_cast<Kind>(99), 7, 0).text("")), HasSubstr("no record of kind 99"));
}

// What the code of kernels, and run files, are made with.
TEST(Records, RefusesNamesThatAreNone) {
    for (const char* const name : {"", "1st", "a b", "a;b", "a\nb", "a\"b"}) {
        EXPECT_THAT(refusal_with(Bytes(place, 7, 1).member(type_u8, 1, 0.0).text(name).text("a")), HasSubstr("is no name"));
        EXPECT_THAT(refusal_with(Bytes(place, 7, 1).member(type_u8, 1, 0.0).text("Row").text("a").text(name)),
                    ::testing::Eq("none")); // not read
        EXPECT_THAT(refusal_with(Bytes(parameter, 7, 1).number(1.0).number(0.0).member(type_f32, 1, 1.0f).text(name).text("")),
                    HasSubstr("is no name"));
    }
    EXPECT_THAT(refusal_with(Bytes(place, 7, 1).member(type_u8, 1, 0.0).text("Row").text("a;b")), HasSubstr("is no name"));
    EXPECT_THAT(refusal_with(Bytes(call, 7, 0).others(0, 0).use(0, 0).values().text("Meadow").text("f").text("")),
                HasSubstr("f is no function of Meadow"));
    EXPECT_THAT(refusal_with(Bytes(call, 7, 0).others(0, 0).use(0, 0).values().text("ForestPatch").text("f").text("")),
                HasSubstr("f is no function of ForestPatch"));
}

// TESSERA_VALUES(ForestPatch::..., ...).
TEST(Records, NameValuesOfAMember) {
    const auto named = [](const std::string& list) { return Bytes(named_values, 7, 0).text("ForestPatch::ages").text(list); };
    auto records = whole();
    records.push_back(named("bare, tree = 5 ,  alight").symbol());
    const auto description = read_description(records, "fires.cu");
    const auto& members = description.rows.at(0).members;
    const auto member = std::find_if(members.begin(), members.end(), [](const Member& each) { return each.name == "ages"; });
    ASSERT_EQ(member->values.size(), 3U);
    EXPECT_EQ(member->values[1].name, "tree");
    EXPECT_EQ(member->values[0].code, 0);
    EXPECT_EQ(member->values[2].code, 6);
    EXPECT_THAT(refusal_with(named("")), HasSubstr("that is no name"));
    EXPECT_THAT(refusal_with(named("bare,,tree")), HasSubstr("that is no name"));
    EXPECT_THAT(refusal_with(named("bare = one")), HasSubstr("`one` is no whole number"));
    EXPECT_THAT(refusal_with(named("bare = 3, tree = 3")), HasSubstr("calls 3 both bare and tree"));
    EXPECT_THAT(refusal_with(named("bare, bare")), HasSubstr("names two values bare"));
    EXPECT_THAT(refusal_with(named("bare = -1")), HasSubstr("calls -1 bare"));
    EXPECT_THAT(refusal_with(named("bare = 9223372036854775807, tree")), HasSubstr("calls 9223372036854775807 bare"));
    for (const char* const what : {"", ":", "::", "ForestPatch::", "ForestPatch::cold", "Meadow::burning"})
        EXPECT_THAT(refusal_with(Bytes(named_values, 7, 0).text(what).text("a")), HasSubstr("names values of nothing")) << what;
}

TEST(Records, DocumentationOfNothingSaysSo) {
    for (const char* const what : {"", ":", "::", "heat", "ForestPatch", "ForestPatch::", "::heat", "ForestPatch::cold"})
        EXPECT_EQ(refusal_with(Bytes(doc, 7, 0).text(what).text("x")), "fires.cu: TESSERA_DOC(" + std::string(what) +
                                                                           ", ...) documents nothing (there is no such member or function) "
                                                                           "write Row::member as in its TESSERA_PLACE, Row::function, a "
                                                                           "TESSERA_UNIFORM, or the model's name");
}

// Changes a few bytes of a record, its length or its name; aims at lengths and codes, which are four bytes each.
void damage(jit::DataSymbol& symbol) {
    auto& bytes = symbol.bytes;
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    switch (*rc::gen::inRange(0, 5)) {
    case 0: bytes[at] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>()); break;
    case 1: bytes.resize(at); break;
    case 2: bytes.insert(bytes.end(), at, std::byte{0}); break;
    case 3: {
        const auto value = *rc::gen::element<std::uint32_t>(0, 1, 2, 3, 11, 12, 255, 0x7fffffff, 0x80000000, 0xffffffff);
        const auto word = at / 4 * 4;
        if (word + 4 <= bytes.size()) std::memcpy(bytes.data() + word, &value, 4);
        break;
    }
    default:
        symbol.name = *rc::gen::element<std::string>("_ZN99999999999999999999999tessera_record_x", "_ZN0tessera_record_",
                                                     "_ZNtessera_record_", "tessera_record_", "_ZN3a;b14tessera_record_E", "_ZN1");
    }
}

TEST(Records, WhateverTheBytesAreItIsReadOrRefused) {
    EXPECT_TRUE(rc::check("damaged records are read or refused", [] {
        auto symbols = with_birds(fly());
        for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
            auto& symbol = symbols[*rc::gen::inRange<std::size_t>(0, symbols.size())];
            if (!symbol.bytes.empty()) damage(symbol);
        }
        try {
            const auto description = read_description(symbols, "fires.cu");
            for (const auto& row : description.rows)
                for (const auto& member : row.members) {
                    RC_ASSERT(name_of(member.type) != "?");
                    RC_ASSERT(member.elements > 0);
                    RC_ASSERT(member.initial.size() == static_cast<std::size_t>(member.elements) * size_of(member.type));
                    RC_ASSERT(member.name.find_first_of(" ;\n\"'") == std::string::npos);
                }
            for (const auto& row : description.rows) RC_ASSERT(!row.ground || *row.ground < description.rows.size());
            for (const auto& function : description.functions) {
                RC_ASSERT(function.row < description.rows.size());
                for (const auto& access : function.accesses) RC_ASSERT(access.member < description.rows[access.row].members.size());
                for (const auto& agent_use : function.agent_uses) {
                    RC_ASSERT(agent_use.row < description.rows.size());
                    RC_ASSERT(!agent_use.member || *agent_use.member < description.rows[agent_use.row].members.size());
                }
            }
            for (const auto& each : description.parameters) RC_ASSERT(each.initial.size() == size_of(each.type));
        } catch (const Error& error) {
            RC_ASSERT(error.kind() == Failure::plugin);
        }
    }));
}

} // namespace
} // namespace tessera::model::record_reader_test

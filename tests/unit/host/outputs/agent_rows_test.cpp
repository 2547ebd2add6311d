// Agents in expressions and as rows, against the state that they are of, however it is had.
#include "host/outputs/result_folder.hpp"
#include "host/outputs/state_rows.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tessera::test::agent_rows_test {
namespace {

class Rows : public ::testing::Test {
protected:
    Rows() { world_.step_to(5); }

    [[nodiscard]] StateView view(const tessera::Setup& setup) {
        const auto past = [this](CollectionId id) { return world_.simulation().state().past(id); };
        return {State(setup, 5, world_.simulation().reader(), past), pool_};
    }
    std::string evaluate(const tessera::Setup& setup, const std::string& text) {
        return expression::to_string(view(setup).evaluate(expression::parse(text)));
    }
    [[nodiscard]] static std::string bytes_of(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    WorldUnderTest world_{test_model("hares_and_foxes"),
                          {"places.land.size=[31,17]", "agents.hare={count=300,capacity=2}", "agents.fox.count=20"}};
    ThreadPool pool_{2};
    TemporaryFolder folder_;
};

TEST_F(Rows, AreCountedInExpressions) {
    const auto hares = world_.agents("hare");
    const auto energy = world_.agent_values<std::int32_t>("hare", "energy");
    const auto strong = std::count_if(energy.begin(), energy.end(), [](auto e) { return e > 12; });
    std::int64_t sum = 0;
    for (const auto e : energy) sum += e;
    for (const std::size_t bytes : {std::size_t{1} << 28, std::size_t{1}}) {
        auto setup = world_.setup();
        setup.bytes_at_a_time = bytes;
        EXPECT_EQ(evaluate(setup, "count(hare)"), std::to_string(hares.size()));
        EXPECT_EQ(evaluate(setup, "count(hare where hare.energy > 12)"), std::to_string(strong));
        EXPECT_EQ(evaluate(setup, "sum(hare.energy)"), std::to_string(sum));
        EXPECT_EQ(evaluate(setup, "count(hare) + deaths(hare)"), "300");
        EXPECT_EQ(evaluate(setup, "moves(hare) > 0 and refused_moves(hare) > 0"), "true");
        EXPECT_EQ(evaluate(setup, "count(land)"), std::to_string(31 * 17));
        EXPECT_EQ(evaluate(setup, "count(hare where hare.way[1] < 0)"), "0");
    }
}

TEST_F(Rows, OfNobodyAreNone) {
    WorldUnderTest empty(test_model("hares_and_foxes"), {"agents.hare.count=0", "agents.fox.count=0"});
    empty.step_to(3);
    const StateView view(empty.simulation().state(), pool_);
    const auto evaluated = [&](const char* text) { return expression::to_string(view.evaluate(expression::parse(text))); };
    EXPECT_EQ(evaluated("count(hare)"), "0");
    EXPECT_EQ(evaluated("sum(hare.energy)"), "0");
    EXPECT_EQ(evaluated("mean(hare.energy)"), "nan");
}

TEST_F(Rows, AreLinesOfATable) {
    const auto results = claim_result_folder(folder_.path() / "out", false);
    const auto state = view(world_.setup());
    write_rows_csv(results.place("hares.csv"), agent_rows(world_.setup(), require_collection(world_.setup(), "hare", {}), state));
    std::istringstream lines(bytes_of(folder_.path() / "out" / "hares.csv"));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "id,x,y,energy,way[0],way[1],went,stayed");
    const auto table = world_.agents("hare");
    const auto energy = world_.agent_values<std::int32_t>("hare", "energy");
    const auto way = world_.agent_values<float>("hare", "way", 1);
    for (std::size_t i = 0; i < table.size(); ++i) {
        ASSERT_TRUE(std::getline(lines, line));
        std::istringstream fields(line);
        std::vector<std::string> field(8);
        for (auto& each : field) std::getline(fields, each, ',');
        EXPECT_EQ(field[0], std::to_string(table.ids[i]));
        EXPECT_EQ(field[1], std::to_string(table.places[i] % 31));
        EXPECT_EQ(field[2], std::to_string(table.places[i] / 31));
        EXPECT_EQ(field[3], std::to_string(energy[i]));
        EXPECT_EQ(std::stof(field[5]), way[i]); // as few digits as read back the same
    }
    EXPECT_FALSE(std::getline(lines, line));
}

// NumPy's format 1.0: a magic, the header's length, and a dictionary with the fields of a record.
TEST_F(Rows, AreRecordsForNumPy) {
    const auto results = claim_result_folder(folder_.path() / "out", false);
    const auto state = view(world_.setup());
    write_rows_npy(results.place("foxes.npy"), agent_rows(world_.setup(), require_collection(world_.setup(), "fox", {}), state));
    const auto bytes = bytes_of(folder_.path() / "out" / "foxes.npy");
    const auto table = world_.agents("fox");
    const auto hunger = world_.agent_values<double>("fox", "hunger");
    ASSERT_GT(table.size(), 0u);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const auto start = 10 + static_cast<std::size_t>(static_cast<unsigned char>(bytes[8])) +
                       256 * static_cast<std::size_t>(static_cast<unsigned char>(bytes[9]));
    EXPECT_EQ(start % 64, 0u);
    const auto header = bytes.substr(10, start - 10);
    EXPECT_NE(header.find("'descr': [('id', '<u8'), ('x', '<i8'), ('y', '<i8'), ('hunger', '<f8'), ('met', '<u8'), ('ranks', '<u2')]"),
              std::string::npos)
        << header;
    EXPECT_NE(header.find(fmt::format("'shape': ({},)", table.size())), std::string::npos) << header;
    constexpr std::size_t record = 8 + 8 + 8 + 8 + 8 + 2;
    ASSERT_EQ(bytes.size(), start + record * table.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
        std::uint64_t id = 0;
        std::int64_t y = 0;
        double value = 0;
        std::memcpy(&id, bytes.data() + start + i * record, 8);
        std::memcpy(&y, bytes.data() + start + i * record + 16, 8);
        std::memcpy(&value, bytes.data() + start + i * record + 24, 8);
        EXPECT_EQ(id, table.ids[i]);
        EXPECT_EQ(y, table.places[i] / 31);
        EXPECT_EQ(value, hunger[i]);
    }
}

// In space: where they are, in numbers that read back to the same.
class RowsInSpace : public ::testing::Test {
protected:
    RowsInSpace() { world_.step_to(3); }

    // In each line of the table what `number` reads, behind its id.
    template<class T, class Number> void expect_positions(const std::string& collection, const Number& number) {
        const auto results = claim_result_folder(folder_.path() / collection, false);
        write_rows_csv(results.place("a.csv"), rows(collection));
        std::ifstream lines(folder_.path() / collection / "a.csv");
        std::string line;
        std::getline(lines, line);
        ASSERT_EQ(line.substr(0, 6), "id,x,y");
        const auto ids = world_.agents(collection).ids;
        const auto x = world_.positions<T>(collection, 0), y = world_.positions<T>(collection, 1);
        ASSERT_GT(ids.size(), 20u);
        int fractions = 0;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            ASSERT_TRUE(std::getline(lines, line));
            std::istringstream fields(line);
            std::vector<std::string> field(3);
            for (auto& each : field) std::getline(fields, each, ',');
            EXPECT_EQ(field[0], std::to_string(ids[i]));
            EXPECT_EQ(number(field[1]), x[i]);
            EXPECT_EQ(number(field[2]), y[i]);
            fractions += x[i] != std::floor(x[i]) ? 1 : 0;
        }
        EXPECT_GT(fractions, 20);
        EXPECT_FALSE(std::getline(lines, line));
    }
    // In each record; `fields` is what the header says of those that come first.
    template<class T> void expect_records(const std::string& collection, const std::string& fields, std::size_t record) {
        const auto results = claim_result_folder(folder_.path() / collection, false);
        write_rows_npy(results.place("a.npy"), rows(collection));
        std::ifstream in(folder_.path() / collection / "a.npy", std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        const auto ids = world_.agents(collection).ids;
        const auto x = world_.positions<T>(collection, 0), y = world_.positions<T>(collection, 1);
        EXPECT_NE(bytes.find("'descr': [('id', '<u8'), " + fields), std::string::npos) << bytes.substr(0, 200);
        ASSERT_GT(bytes.size(), record * ids.size());
        const auto* const first = bytes.data() + bytes.size() - record * ids.size();
        for (std::size_t i = 0; i < ids.size(); ++i) {
            std::uint64_t id = 0;
            T at[2] = {};
            std::memcpy(&id, first + i * record, 8);
            std::memcpy(at, first + i * record + 8, sizeof at);
            EXPECT_EQ(id, ids[i]);
            EXPECT_EQ(at[0], x[i]);
            EXPECT_EQ(at[1], y[i]);
        }
    }

private:
    [[nodiscard]] tessera::Rows rows(const std::string& collection) {
        state_.emplace(world_.simulation().state(), pool_);
        return agent_rows(world_.setup(), require_collection(world_.setup(), collection, {}), *state_);
    }

    WorldUnderTest world_{
        test_model("particles"),
        {"places.box={size=[9,7],extent=[45,28]}", "agents={dust={count=60,reserve=1000},seed={count=0,reserve=1000},grain.count=40}"}};
    ThreadPool pool_{2};
    TemporaryFolder folder_;
    std::optional<StateView> state_;
};

TEST_F(RowsInSpace, HavePositionsInATable) {
    expect_positions<float>("dust", [](const std::string& text) { return std::stof(text); });
    expect_positions<double>("grain", [](const std::string& text) { return std::stod(text); });
}

TEST_F(RowsInSpace, HavePositionsForNumPy) {
    expect_records<float>("dust", "('x', '<f4'), ('y', '<f4'), ('near', '<i4'), ('push', '<f4'), ('seen', '<u8')]", 8 + 8 + 4 + 4 + 8);
    expect_records<double>("grain", "('x', '<f8'), ('y', '<f8'), ('pull', '<f8')]", 8 + 16 + 8);
}

} // namespace
} // namespace tessera::test::agent_rows_test

// Networks by rules, against what is known of them, and networks in the formats of other programs.
#include "device_runtime/error.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/bind/joined_ends.hpp"
#include "host/bind/link_networks.hpp"
#include "host/bind/read_links_file.hpp"
#include "host/bind/read_network_file.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test::networks_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Pair = std::pair<int, int>;

std::vector<Pair> pairs_of(const LinkTable& links) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < links.size(); ++i) pairs.emplace_back(links.from[i], links.to[i]);
    return pairs;
}

std::vector<std::set<int>> neighbours_of(const LinkTable& links, int places) {
    std::vector<std::set<int>> neighbours(static_cast<std::size_t>(places));
    for (const auto& [a, b] : pairs_of(links))
        if (a != b) neighbours[static_cast<std::size_t>(a)].insert(b), neighbours[static_cast<std::size_t>(b)].insert(a);
    return neighbours;
}

std::vector<int> degrees_in(const LinkTable& links, int places) {
    std::vector<int> degrees(static_cast<std::size_t>(places));
    for (const auto& [a, b] : pairs_of(links)) ++degrees[static_cast<std::size_t>(a)], ++degrees[static_cast<std::size_t>(b)];
    return degrees;
}

// Of any two neighbours of a place, how often they are neighbours, on average.
double clustering(const LinkTable& links, int places) {
    const auto neighbours = neighbours_of(links, places);
    double sum = 0;
    for (const auto& near : neighbours) {
        int joined = 0;
        for (const int a : near)
            for (const int b : near) joined += neighbours[static_cast<std::size_t>(a)].count(b) != 0 ? 1 : 0;
        if (near.size() > 1) sum += joined / static_cast<double>(near.size() * (near.size() - 1));
    }
    return sum / places;
}

// Barrat and Weigt 2000: 3 (k - 2) / (4 (k - 1)) in the ring, and (1 - p)^3 of that where links are moved with probability p.
TEST(Networks, OfASmallWorldClusterAsWattsAndStrogatzSay) {
    constexpr int places = 3000, after = 5;
    ThreadPool pool(3);
    const auto made = [&](double moved, std::uint64_t key) { return small_world({places, after, moved}, key, pool); };
    const double of_ring = 3.0 * (2 * after - 2) / (4 * (2 * after - 1));
    EXPECT_NEAR(clustering(made(0, 1), places), of_ring, 1e-9);
    for (const double moved : {0.05, 0.2, 1.0})
        EXPECT_NEAR(clustering(made(moved, 7), places), of_ring * std::pow(1 - moved, 3), 0.02) << moved;
    EXPECT_NE(pairs_of(made(0.2, 7)), pairs_of(made(0.2, 8)));
    for (const auto& [a, b] : pairs_of(made(1, 3))) ASSERT_NE(a, b);
    EXPECT_EQ(small_world({1, 1, 1, false, true}, 1, pool).size(), 1U);
}

// Bollobas and others 2001: a share m (m + 1) / (k (k + 1)) of the places has a degree of k or more.
TEST(Networks, ByPreferenceHaveDegreesWithoutAScale) {
    constexpr int places = 60000, brought = 4;
    ThreadPool pool(3);
    const auto links = preferential(places, brought, 11, pool);
    ASSERT_EQ(links.size(), std::size_t{places - brought} * brought);
    const auto degrees = degrees_in(links, places);
    for (const int k : {5, 8, 16, 40}) {
        const auto share = static_cast<double>(std::count_if(degrees.begin(), degrees.end(), [&](int d) { return d >= k; })) / places;
        EXPECT_NEAR(share, brought * (brought + 1.0) / (k * (k + 1.0)), 0.01) << k;
    }
    for (const auto& [from, to] : pairs_of(links)) ASSERT_LT(to, from) << "who comes later was not there yet";
}

TEST(Networks, OfAGridJoinNeighbours) {
    EXPECT_THAT(pairs_of(linked_grid({3, 2, 1}, false, false)),
                ElementsAre(Pair(0, 1), Pair(0, 3), Pair(1, 2), Pair(1, 4), Pair(2, 5), Pair(3, 4), Pair(4, 5)));
    EXPECT_EQ(linked_grid({5, 4, 3}, false, false).size(), 4U * 4 * 3 + 5 * 3 * 3 + 5 * 4 * 2);
    EXPECT_EQ(linked_grid({5, 4, 3}, true, false).size(), 3U * 60);
    EXPECT_EQ(linked_grid({5, 4, 3}, true, true).size(), 6U * 60);
    for (const auto& near : neighbours_of(linked_grid({5, 4, 3}, true, false), 60)) EXPECT_EQ(near.size(), 6U);
    EXPECT_EQ(linked_grid({2, 1, 1}, true, false).size(), 1U) << "two places are joined once, also round a torus";
}

// Of four ends the three ways to join them are equally likely, and so are the ways of a place with two of the ends: two of three join it
// with both others.
TEST(Networks, OfDegreesJoinAnyEndsAlike) {
    int matched[3] = {}, loops = 0, fair = 0;
    constexpr int draws = 6000;
    ThreadPool pool(1);
    for (std::uint64_t key = 0; key < draws; ++key) {
        const auto four = pairs_of(of_degrees({1, 1, 1, 1}, key * 77 + 5, pool));
        for (const auto& [a, b] : four)
            if (a == 0 || b == 0) ++matched[a + b - 1];
        const auto three = pairs_of(of_degrees({2, 1, 1}, key * 91 + 3, pool));
        loops += std::count(three.begin(), three.end(), Pair(0, 0)) != 0 ? 1 : 0;
        const auto crossed = of_degrees({0, 2, 1}, {1, 0, 2}, key, pool);
        fair += std::count(crossed.to.begin(), crossed.to.begin() + 2, 0) != 0 ? 1 : 0;
    }
    for (const int each : matched) EXPECT_NEAR(each, draws / 3, 200);
    EXPECT_NEAR(loops, draws / 3, 200);
    EXPECT_NEAR(fair, 2 * draws / 3, 200);
}

TEST(Networks, OfDegreesHaveThem) {
    ThreadPool pool(2);
    std::vector<std::int64_t> degrees, led;
    for (int place = 0; place < 2000; ++place) degrees.push_back(place % 7 == 0 ? 0 : place % 10), led.push_back(0);
    const auto ends = std::accumulate(degrees.begin(), degrees.end(), std::int64_t{0});
    degrees[1] += ends % 2;
    const auto links = of_degrees(degrees, 3, pool);
    const auto found = degrees_in(links, 2000);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), degrees.begin()));
    led[3] = ends + ends % 2 - 40, led[1999] = 40;
    const auto directed = of_degrees(degrees, led, 4, pool);
    std::vector<std::int64_t> begun(2000), come(2000);
    for (const auto& [from, to] : pairs_of(directed)) ++begun[static_cast<std::size_t>(from)], ++come[static_cast<std::size_t>(to)];
    EXPECT_EQ(begun, degrees);
    EXPECT_EQ(come, led);
    EXPECT_EQ(of_degrees({0, 0, 0}, 1, pool).size(), 0U);
}

// However many threads draw, and of more ends than are drawn for at once.
TEST(Networks, EndsAreMixedAsByAPlainLoop) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{5}, (std::size_t{1} << 18) + 1, std::size_t{600000}}) {
        std::vector<std::int32_t> plain(count);
        std::iota(plain.begin(), plain.end(), 0);
        auto mixed = plain;
        ThreadPool pool(3);
        mix_ends(mixed, 12345, pool);
        for (std::size_t i = count; i > 1; --i) std::swap(plain[i - 1], plain[Stream(12345, i, 0).below(i)]);
        ASSERT_EQ(mixed, plain) << count;
    }
}

class NetworkFiles : public ::testing::Test {
protected:
    NetworkFiles() {
        places_.name = "person", places_.count = 4;
        weighted_.name = "Contact";
        model::Member chance;
        chance.name = "chance", chance.type = Scalar::f32;
        weighted_.members.push_back(chance);
    }
    using Reader = LinksFile (&)(const std::string&, const LinksToRead&);
    LinksFile read(Reader reader, const std::string& name, const std::string& text, bool is_directed = false) {
        return reader(folder_.write(name, text).string(), {weighted_, places_, places_, is_directed});
    }
    std::string refused(Reader reader, const std::string& name, const std::string& text) {
        try {
            (void)read(reader, name, text);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Failure::input);
            return error.what();
        }
        return "it was not refused";
    }
    static std::vector<float> weights(const LinksFile& file) {
        if (file.links.columns.empty()) return {};
        const auto& bytes = file.links.columns.front().values;
        std::vector<float> values(bytes.size() / sizeof(float));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    TemporaryFolder folder_;
    CollectionSetup places_;
    model::Row weighted_;
};

TEST_F(NetworkFiles, OfMatrixMarketAreRead) {
    const auto file = read(read_matrix_market, "a.mtx",
                           "%%MatrixMarket matrix coordinate real symmetric\n% by hand\n\n4 4 3\n2 1 0.5\n3 2 0.25\n4 1 1e-1\n");
    EXPECT_THAT(pairs_of(file.links), ElementsAre(Pair(1, 0), Pair(2, 1), Pair(3, 0)));
    EXPECT_THAT(weights(file), ElementsAre(0.5f, 0.25f, 0.1f));
    EXPECT_THAT(file.lines, ElementsAre(5, 6, 7));
    EXPECT_THAT(pairs_of(read(read_matrix_market, "b.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 1\n3 1\n", true).links),
                ElementsAre(Pair(2, 0), Pair(0, 2)))
        << "one each way";
    const auto refuse = [&](const std::string& text) { return refused(read_matrix_market, "c.mtx", text); };
    const std::string general = "%%MatrixMarket matrix coordinate pattern general\n";
    EXPECT_THAT(refuse("4 4 1\n1 2\n"), AllOf(HasSubstr("c.mtx:1:"), HasSubstr("is no matrix that can be links")));
    EXPECT_THAT(refuse("%%MatrixMarket matrix array real general\n4 4\n"), HasSubstr("is no matrix that can be links"));
    EXPECT_THAT(refuse(general + "5 5 0\n"), AllOf(HasSubstr("c.mtx:2:"), HasSubstr("5 rows"), HasSubstr("person has 4 places")));
    EXPECT_THAT(refuse(general + "4 4 2\n1 2\n"), AllOf(HasSubstr("1 entries"), HasSubstr("says 2")));
    EXPECT_THAT(refuse(general + "4 4 1\n1 5\n"), AllOf(HasSubstr("c.mtx:3:"), HasSubstr("there is no place 5")));
    EXPECT_THAT(refuse(general + "4 4 1\n0 1\n"), HasSubstr("such files count from 1"));
    EXPECT_THAT(refuse(general + "4 4 1\n1 2 3\n"), HasSubstr("3 numbers in a line"));
    const std::string integers = "%%MatrixMarket matrix coordinate integer general\n4 4 1\n1 2 ";
    EXPECT_THAT(weights(read(read_matrix_market, "d.mtx", integers + "7\n")), ElementsAre(7.0f));
    EXPECT_THAT(refuse(integers + "1.5\n"),
                AllOf(HasSubstr("c.mtx:3:"), HasSubstr("'1.5' is no integer"), HasSubstr("the first line says `integer`")));
    EXPECT_THAT(refuse("%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2 nan\n"),
                AllOf(HasSubstr("c.mtx:3:"), HasSubstr("chance cannot be 'nan'"), HasSubstr("that is no number")));
    weighted_.members.clear();
    EXPECT_THAT(refuse("%%MatrixMarket matrix coordinate real general\n4 4 1\n1 2 3\n"),
                AllOf(HasSubstr("the links have weights"), HasSubstr("Contact has no member"), HasSubstr(".csv")));
}

TEST_F(NetworkFiles, OfMetisAreRead) {
    const auto file = read(read_metis, "a.graph", "% a path, and one alone\n4 2 1\n2 7\n1 7 3 0.5\n2 0.5\n\n");
    EXPECT_THAT(pairs_of(file.links), ElementsAre(Pair(0, 1), Pair(1, 2)));
    EXPECT_THAT(weights(file), ElementsAre(7.0f, 0.5f));
    EXPECT_THAT(pairs_of(read(read_metis, "b.graph", "4 1 10 2\n0 0 2\n5 5 1\n1 1\n1 1\n", true).links),
                ElementsAre(Pair(0, 1), Pair(1, 0)));
    const auto refuse = [&](const std::string& text) { return refused(read_metis, "c.graph", text); };
    EXPECT_THAT(refuse("4 1\n2\n\n\n\n"), AllOf(HasSubstr("the line of place 1 names 2"), HasSubstr("not the other way round")));
    EXPECT_THAT(refuse("4 2\n2\n1\n\n\n"), HasSubstr("the lines name 2 neighbours"));
    EXPECT_THAT(refuse("4 1\n2\n1\n"), AllOf(HasSubstr("lines for 2 places"), HasSubstr("says 4")));
    EXPECT_THAT(refuse("4 1\n2\n1\n\n\n3\n"), HasSubstr("more lines than places"));
    EXPECT_THAT(refuse("4 1\n1\n\n\n\n"), HasSubstr("joined to itself"));
    EXPECT_THAT(refuse("4 1\n2 x\n1\n\n\n"), AllOf(HasSubstr("c.graph:2:"), HasSubstr("is no whole number")));
    EXPECT_THAT(refuse("3 1\n2\n1\n\n"), HasSubstr("person has 4 places"));
    EXPECT_THAT(refuse("4 1 1\n2 nan\n1 nan\n\n\n"), AllOf(HasSubstr("c.graph:2:"), HasSubstr("that is no number")));
    // Each way has the weight of its line; a link without a direction has one.
    const std::string two_weights = "4 2 1\n2 7\n1 8 3 0.5\n2 0.50\n\n";
    EXPECT_THAT(weights(read(read_metis, "d.graph", two_weights, true)), ElementsAre(7.0f, 8.0f, 0.5f, 0.5f));
    EXPECT_THAT(refuse(two_weights), AllOf(HasSubstr("c.graph:3:"), HasSubstr("the link between places 1 and 2 has two weights"),
                                           HasSubstr("that in line 2 is another"), HasSubstr("write the same in both lines")));
}

// What networkx 3 writes: write_edgelist, with and without attributes, and write_weighted_edgelist.
TEST_F(NetworkFiles, OfNetworkxAreRead) {
    const auto edges = [&](const std::string& text) { return read(read_links_file, "a.txt", text); };
    for (const std::string text : {"0 1 {}\n1 2 {}\n", "# by hand\n0 1\n1 2 # twice\n", "0,1,{}\n1,2,{}\n", "0\t1\n1\t2\n",
                                   "\xef\xbb\xbf"
                                   "0 1\r\n1 2\r\n"}) {
        EXPECT_THAT(pairs_of(edges(text).links), ElementsAre(Pair(0, 1), Pair(1, 2))) << text;
        EXPECT_THAT(weights(edges(text)), ElementsAre()) << text;
    }
    for (const std::string text : {"0 1 0.5\n1 2 2\n", "0 1 {'weight': 0.5}\n1 2 {'weight': 2}\n",
                                   "0,1,{\"chance\": 0.5}\n1,2,{\"chance\":2}\n", "0\t1\t0.5\n1\t2\t2\n"}) {
        EXPECT_THAT(pairs_of(edges(text).links), ElementsAre(Pair(0, 1), Pair(1, 2))) << text;
        EXPECT_THAT(weights(edges(text)), ElementsAre(0.5f, 2.0f)) << text;
    }
    const auto refuse = [&](const std::string& text) { return refused(read_links_file, "b.txt", text); };
    EXPECT_THAT(refuse("0 1 {'weight': 0.5, 'colour': 3}\n"),
                AllOf(HasSubstr("b.txt:1:"), HasSubstr("Contact has no member 'colour'"), HasSubstr("data=False")));
    EXPECT_THAT(refuse("0 1 {'chance': 0.5, 'weight': 3}\n"), HasSubstr("two attributes are for chance"));
    EXPECT_THAT(refuse("0 1 0.5\n1 2\n"), AllOf(HasSubstr("b.txt:2:"), HasSubstr("each has those of the first, in line 1")));
    EXPECT_THAT(refuse("0 1 {}\n1 2 {'weight': 2}\n"), AllOf(HasSubstr("b.txt:2:"), HasSubstr("values of other members")));
    EXPECT_THAT(refuse("0 1 {'weight': 'high'}\n"), HasSubstr("is no number (it is for chance)"));
    EXPECT_THAT(refuse("0 1 {'weight': nan}\n"), AllOf(HasSubstr("chance cannot be nan"), HasSubstr("that is no number")));
    EXPECT_THAT(refuse("0 1 nan\n"), HasSubstr("that is no number"));
    for (const std::string list : {"{", "{'weight'}", "{'weight': 1", "{weight: 1}", "{'weight': 1} 2", "{'weight': 1,", "{'weight"})
        EXPECT_THAT(refuse("0 1 " + list + "\n"), AllOf(HasSubstr("b.txt:1:"), HasSubstr("is no list of attributes"))) << list;
    EXPECT_THAT(refuse("{}\n"), HasSubstr("0 fields instead of two numbers"));
    EXPECT_THAT(refuse("0 1 2 3\n"), HasSubstr("4 fields instead of two numbers"));
    weighted_.members.push_back(weighted_.members.front()), weighted_.members.back().name = "age";
    const auto two = edges("0 1 {'age': 3, 'chance': 0.5}\n1 2 {'chance': 1, 'age': 4}\n");
    ASSERT_EQ(two.links.columns.size(), 2U);
    EXPECT_THAT(weights(two), ElementsAre(3.0f, 4.0f)) << "of the first that is named";
    EXPECT_THAT(refuse("0 1 0.5\n"), AllOf(HasSubstr("the links have weights"), HasSubstr("Contact has several members")));
}

// As Windows' editors write them.
TEST_F(NetworkFiles, MayHaveAByteOrderMark) {
    const std::string mark = "\xef\xbb\xbf";
    EXPECT_EQ(read(read_metis, "a.graph", mark + "4 1\n2\n1\n\n\n").links.size(), 1U);
    EXPECT_EQ(read(read_matrix_market, "a.mtx", mark + "%%MatrixMarket matrix coordinate pattern general\n4 4 1\n2 1\n").links.size(), 1U);
    EXPECT_EQ(read(read_links_file, "a.csv", mark + "from,to\n0,1\n").links.size(), 1U);
}

TEST_F(NetworkFiles, OfNumPyAreRead) {
    std::string head = "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }";
    const auto npy = [](std::string header, const std::vector<int>& values) {
        header += std::string(117 - header.size(), ' ') + "\n";
        std::string text("\x93NUMPY\x01\x00\x76\x00", 10);
        text += header;
        text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int));
        return text;
    };
    EXPECT_THAT(pairs_of(read(read_link_array, "a.npy", npy(head, {0, 1, 1, 2, 3, 0})).links),
                ElementsAre(Pair(0, 1), Pair(1, 2), Pair(3, 0)));
    EXPECT_THAT(refused(read_link_array, "b.npy", npy(head, {0, 1, 1, 4, 3, 0})),
                AllOf(HasSubstr("to of row 2 is 4"), HasSubstr("from 0 to 3")));
    EXPECT_THAT(refused(read_link_array, "c.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }", {0, 1, 1, 2, 3, 0})),
                HasSubstr("rows of two integers"));
    for (const std::string type : {"<i8", "<f8"}) // as numpy.empty((0, 2)) is
        EXPECT_EQ(
            read(read_link_array, "d.npy", npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': (0, 2), }", {})).links.size(),
            0U);
    EXPECT_THAT(refused(read_link_array, "e.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (0, 3), }", {})),
                HasSubstr("the array is empty"));
}

} // namespace
} // namespace tessera::test::networks_test

// tessera/detail/macros.hpp: how many names a list may have.
// optimise: yes
#include <tessera/detail/macros.hpp>

#include <gtest/gtest.h>

namespace tessera::macros_test {
namespace {

#define TEN(name) name##0, name##1, name##2, name##3, name##4, name##5, name##6, name##7, name##8, name##9
#define HUNDRED(name)                                                                                                             \
    TEN(name##0), TEN(name##1), TEN(name##2), TEN(name##3), TEN(name##4), TEN(name##5), TEN(name##6), TEN(name##7), TEN(name##8), \
        TEN(name##9)
#define ONE_MORE(data, name) +1
#define LAST_NAME(data, name) = #name

// As many as docs/sdk.md promises of a row's members. One more is refused in words before a compiler sees it
// (tests/golden/too_many_members).
TEST(Macros, GoThrough356Names) {
    const int names = TESSERA_EACH(ONE_MORE, , HUNDRED(a), HUNDRED(b), HUNDRED(c), TEN(d0), TEN(d1), TEN(d2), TEN(d3), TEN(d4), d50, d51,
                                   d52, d53, d54, d55);
    EXPECT_EQ(names, 356);
}

TEST(Macros, GoThroughFewNamesInOrder) {
    const char* last;
    last TESSERA_EACH(LAST_NAME, , first);
    EXPECT_STREQ(last, "first");
    EXPECT_EQ(0 TESSERA_EACH(ONE_MORE, ), 0);
    EXPECT_EQ(0 TESSERA_EACH(ONE_MORE, , a, b, c), 3);
}

} // namespace
} // namespace tessera::macros_test

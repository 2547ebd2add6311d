#include "device_runtime/error.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace tessera::error_test {
namespace {

static_assert(std::is_nothrow_copy_constructible_v<Error>); // as an exception's copy has to be

TEST(Error, KeepsItsPartsApart) {
    const Error error(Failure::input, "life.toml:3: bad key", "there is no `sice` (in [run])", "did you mean `size`?");
    EXPECT_STREQ(error.what(), "life.toml:3: bad key (there is no `sice` (in [run])) did you mean `size`?");
    EXPECT_EQ(error.problem(), "life.toml:3: bad key");
    EXPECT_EQ(error.reason(), "there is no `sice` (in [run])");
    EXPECT_EQ(error.suggestion(), "did you mean `size`?");
    EXPECT_EQ(error.kind(), Failure::input);
}

TEST(Error, NeedsNeitherReasonNorSuggestion) {
    const Error problem(Failure::usage, "no command"), with_reason(Failure::usage, "no command", "none was typed"),
        with_suggestion(Failure::usage, "no command", "", "see `tessera --help`");
    EXPECT_STREQ(problem.what(), "no command");
    EXPECT_EQ(problem.problem(), "no command");
    EXPECT_EQ(problem.reason(), "");
    EXPECT_EQ(problem.suggestion(), "");
    EXPECT_STREQ(with_reason.what(), "no command (none was typed)");
    EXPECT_EQ(with_reason.reason(), "none was typed");
    EXPECT_EQ(with_reason.suggestion(), "");
    EXPECT_STREQ(with_suggestion.what(), "no command see `tessera --help`");
    EXPECT_EQ(with_suggestion.reason(), "");
    EXPECT_EQ(with_suggestion.suggestion(), "see `tessera --help`");
}

TEST(Error, ShowsPartsFitForATerminalAndOfALengthThatOneReads) {
    const std::string very_long(10000, 'x');
    const Error hostile(Failure::input, "a\x1b[2J", "b\xff", very_long), of_compiler(Failure::compile, "c", very_long);
    EXPECT_EQ(hostile.problem(), "a\\x1b[2J");
    EXPECT_EQ(hostile.reason(), "b\\xff");
    EXPECT_LT(hostile.suggestion().size(), 6100u);
    EXPECT_EQ(of_compiler.reason(), very_long);
}

TEST(Error, WhenCopiedKeepsItsParts) {
    Error copy(Failure::output, "other");
    {
        const Error error(Failure::model, "problem", "reason", "suggestion");
        copy = error;
    }
    EXPECT_EQ(copy.problem(), "problem");
    EXPECT_EQ(copy.reason(), "reason");
    EXPECT_EQ(copy.suggestion(), "suggestion");
    EXPECT_EQ(copy.kind(), Failure::model);
}

TEST(Error, TakesAPrefixForItsProblemAlone) {
    const Error error(Failure::device, "no memory", "64 GiB are in use", "use a smaller grid");
    const auto told = error.with_prefix("device 2 of 3: ");
    EXPECT_EQ(told.what(), std::string("device 2 of 3: ") + error.what());
    EXPECT_EQ(told.problem(), "device 2 of 3: no memory");
    EXPECT_EQ(told.reason(), "64 GiB are in use");
    EXPECT_EQ(told.kind(), Failure::device);
}

} // namespace
} // namespace tessera::error_test

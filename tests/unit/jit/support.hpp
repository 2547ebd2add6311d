// What the tests of jit share: folders and variables that are put back, a small SDK, and models made from text.
#pragma once

#include "device_runtime/error.hpp"
#include "jit/host_compiler.hpp"
#include "jit/log.hpp"
#include "jit/nvrtc.hpp"
#include "jit/process.hpp"
#include "jit/source.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace tessera::jit::testing {

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    std::filesystem::path write(const std::filesystem::path& name, const std::string& text) const {
        const auto path = path_ / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

private:
    std::filesystem::path path_;
};

// Sets (or, with nullptr, removes) a variable of the environment as long as it lives.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        set(value);
    }
    ~Variable() { set(before_ ? before_->c_str() : nullptr); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    void set(const char* value) const {
        if (value != nullptr)
            ::setenv(name_, value, 1);
        else
            ::unsetenv(name_);
    }
    const char* name_;
    std::optional<std::string> before_;
};

// What is logged while it lives, each line with its level: "warning: ...".
class Logged {
public:
    Logged() : before_(logger()) {
        auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
        auto to_text = std::make_shared<spdlog::logger>("test", std::move(sink));
        to_text->set_pattern("%l: %v");
        set_logger(std::move(to_text));
    }
    ~Logged() { set_logger(before_); }
    Logged(const Logged&) = delete;
    Logged& operator=(const Logged&) = delete;

    // The warnings alone, in their order.
    [[nodiscard]] std::vector<std::string> warnings() const {
        constexpr std::string_view start = "warning: ", other = "info: ";
        std::vector<std::string> result;
        bool inside = false; // of a warning of several lines
        std::istringstream lines(text_.str());
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with(start)) {
                result.push_back(line.substr(start.size()));
                inside = true;
            } else if (line.starts_with(other)) {
                inside = false;
            } else if (inside) {
                result.back() += '\n' + line;
            }
        }
        return result;
    }

private:
    std::ostringstream text_;
    std::shared_ptr<spdlog::logger> before_;
};

inline const Nvrtc* nvrtc_or_nothing(std::string& why) {
    try {
        return &Nvrtc::find();
    } catch (const Error& error) {
        why = error.what();
        return nullptr;
    }
}

// The text of the Error that `action` throws, which must be of this kind.
template<class Action> std::string message_of(Failure kind, Action&& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

inline ModelSource model_of(const std::string& text, const std::string& path = "models/life.cu") { return {{path, text, "life.cu"}, {}}; }

// A miniature of the SDK: views whose members follow the access list, and an assertion within. Rows have two members.
inline const char* small_sdk = R"(#pragma once
#if defined(__CUDACC_RTC__)
#define TESSERA_FN __device__ __forceinline__
#define TESSERA_KERNEL extern "C" __global__
#else
#define TESSERA_FN inline __attribute__((always_inline))
#define TESSERA_KERNEL extern "C" __attribute__((visibility("default")))
#endif
namespace std {
using uint8_t = unsigned char;
using size_t = decltype(sizeof(0));
}
namespace tessera {
template<auto...> struct reads {};
template<auto, auto...> struct around {};
template<auto...> struct writes {};
template<auto A, auto B> inline constexpr bool same = false;
template<auto A> inline constexpr bool same<A, A> = true;
template<auto M, class E> inline constexpr int entry_bits = 0;
template<auto M, auto... Ms> inline constexpr int entry_bits<M, reads<Ms...>> = (same<M, Ms> || ...) ? 1 : 0;
template<auto M, auto N, auto... Ms> inline constexpr int entry_bits<M, around<N, Ms...>> = (same<M, Ms> || ...) ? 3 : 0;
template<auto M, auto... Ms> inline constexpr int entry_bits<M, writes<Ms...>> = (same<M, Ms> || ...) ? 5 : 0;
template<class... Es> struct access_list { template<auto M> static constexpr int bits = (0 | ... | entry_bits<M, Es>); };
struct moore_t {};
inline constexpr moore_t moore{};
TESSERA_FN float sqrt(float x) { return x; }
template<class Function> struct neighbour : Function::members::template near_members<Function> {};
template<class Function, class T> struct summand {
    int index;
    consteval summand(T Function::row::*member) : index(Function::members::template find<Function>(member)) {
        if (index < 0) member_is_not_in_the_access_list();
    }
    static void member_is_not_in_the_access_list();
};
template<class T> struct as_given { using type = T; };
template<class Function> struct place : Function::members::template own_members<Function> {
    template<class Visit> TESSERA_FN void each(moore_t, Visit&& visit) const { visit(neighbour<Function>{}); }
    TESSERA_FN float sum(moore_t, typename as_given<summand<Function, float>>::type member) const { return float(member.index); }
    TESSERA_FN float sum(moore_t, typename as_given<summand<Function, std::uint8_t>>::type member) const { return float(member.index); }
    template<int Width> TESSERA_FN void widen() const { static_assert(Width < 4, "a neighbourhood is at most \"3\" wide"); }
};
}
#define TESSERA_MEMBER(Row, m)                                                                      \
    template<int Bits, bool Empty> struct own_##m { decltype(Row::m) m; };                          \
    template<int Bits> struct own_##m<Bits, true> {};                                               \
    template<bool Empty> struct own_##m<1, Empty> { const decltype(Row::m) m{}; };                  \
    template<bool Empty> struct own_##m<3, Empty> { const decltype(Row::m) m{}; };                  \
    template<bool Shown> struct near_##m {};
#define TESSERA_NEAR(Row, m) template<> struct members_of_##Row::near_##m<true> { const decltype(Row::m) m{}; };
#define TESSERA_PLACE(Row, a, b)                                                                    \
    struct members_of_##Row {                                                                       \
        TESSERA_MEMBER(Row, a) TESSERA_MEMBER(Row, b)                                               \
        template<class F> struct own_members : own_##a<F::access::template bits<&Row::a>, F::access::template bits<&Row::a> == 0>,  \
                                               own_##b<F::access::template bits<&Row::b>, F::access::template bits<&Row::b> == 0> {}; \
        template<class F> struct near_members : near_##a<(F::access::template bits<&Row::a> & 2) != 0>,                             \
                                                near_##b<(F::access::template bits<&Row::b> & 2) != 0> {};                          \
        template<class F> static constexpr int find(decltype(Row::a) Row::*member) {                \
            return member == &Row::a && (F::access::template bits<&Row::a> & 2) ? 0 : -1;           \
        }                                                                                           \
        template<class F> static constexpr int find(decltype(Row::b) Row::*member) {                \
            return member == &Row::b && (F::access::template bits<&Row::b> & 2) ? 1 : -1;           \
        }                                                                                           \
    };                                                                                              \
    TESSERA_NEAR(Row, a) TESSERA_NEAR(Row, b)
#define TESSERA_CALL(Row, function, ...)                                                            \
    struct Row##_##function {                                                                       \
        using row = Row;                                                                            \
        using members = members_of_##Row;                                                           \
        using access = tessera::access_list<__VA_ARGS__>;                                           \
        template<class Self> static TESSERA_FN void call(Self& self);                               \
    };                                                                                              \
    template<class Self> TESSERA_FN void Row##_##function::call([[maybe_unused]] Self& self)
using namespace tessera;
)";

inline const std::vector<Header> small_sdk_headers = {{"tessera/model.hpp", small_sdk}};

// Starts every function of the models below.
inline const char* small_epilogue =
    "TESSERA_KERNEL void tick(tessera::place<tessera_model::Cell_tick>* p) { tessera_model::Cell_tick::call(*p); }";

} // namespace tessera::jit::testing

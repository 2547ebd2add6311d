#include "jit/exactness.hpp"

#include "device_runtime/shared_library.hpp"
#include "jit/cache.hpp"
#include "jit/files.hpp"
#include "jit/start_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

// Each result is one that some option changes; what it computes with is handed in, so that it is no constant.
constexpr const char* program = R"(
typedef unsigned long long u64;
static u64 bits(double x) { u64 result; __builtin_memcpy(&result, &x, 8); return result; }
static u64 bits(float x) { unsigned result; __builtin_memcpy(&result, &x, 4); return result; }
enum small { none, some };
// Rows of values that run beside each other, each in so many columns.
template<class Scalar, class Running, int Values, int Columns>
__attribute__((noinline)) static void run_on(Scalar* row, const u64* first, const u64* step, int rows) {
    Running value[Values], by[Values];
    for (int v = 0; v < Values; ++v) value[v] = Running(first[v]), by[v] = Running(step[v]);
    for (int r = 0; r < rows; ++r, row += Values * Columns)
        for (int v = 0; v < Values; ++v) {
            for (int c = 0; c < Columns; ++c) row[v * Columns + c] = value[v];
            value[v] += by[v];
        }
}
extern "C" __attribute__((visibility("default"))) void tessera_running(const u64* first, const u64* step, u64* columns, u64* words,
                                                                       unsigned* halves, u64* fours) {
    run_on<u64, unsigned, 2, 8>(columns, first, step, 10); // as keys of random numbers are
    run_on<u64, u64, 2, 8>(words, first, step, 10);
    run_on<unsigned, unsigned, 2, 16>(halves, first, step, 10);
    run_on<u64, u64, 4, 1>(fours, first, step, 40);
}

// A function of places whose body has arrays, called for many places at once as spans.hpp does.
struct places_view {
    const int* values;
    int *middle, *turned;
};
__attribute__((always_inline)) inline void call_at(const places_view view, long x) {
    const int p = view.values[x], q = view.values[x + 1], r = view.values[x + 2];
    int sorted[3], pair[2];
    sorted[(p > q) + (p > r)] = p, sorted[(q >= p) + (q > r)] = q, sorted[(r >= p) + (r >= q)] = r;
    pair[p & 1] = q, pair[1 - (p & 1)] = r;
    view.middle[x] = sorted[1], view.turned[x] = pair[0] - 3 * pair[1];
}
extern "C" __attribute__((visibility("default"))) void tessera_arrays(const int* values, int* middle, int* turned, long count) {
    const places_view view{values, middle, turned};
#if defined(__clang__)
#pragma clang loop vectorize(enable)
#else
#pragma omp simd
#endif
    for (long x = 0; x < count; ++x) call_at(view, x);
}

struct pair { char first; double second; };

extern "C" __attribute__((visibility("default"))) void tessera_exactness(const double* d, const float* f, const double* more_d,
                                                                         const float* more_f, u64* results) {
    float sum_f = 0;
    double sum_d = 0;
    u64 quotients_f = 0, quotients_d = 0, roots = 0;
    for (int i = 0; i < 64; ++i) sum_f += more_f[i];
    for (int i = 0; i < 64; ++i) sum_d += more_d[i];
    for (int i = 0; i < 16; ++i) quotients_f += bits((i + 1) * f[0] / 7.0f) * (i + 1);
    for (int i = 0; i < 16; ++i) quotients_d += bits((i + 1) * d[0] / d[1]) * (i + 1);
    for (int i = 0; i < 16; ++i) roots += bits(f[0] / __builtin_sqrtf((i + 1) * f[0])) * (i + 1);
    results[2] = bits(sum_f);
    results[3] = bits(sum_d);
    results[4] = quotients_f;
    results[5] = quotients_d;
    results[6] = roots;
    results[7] = bits((d[0] + 1e16) - 1e16);
    results[8] = bits(f[2] * f[2] - f[3]);
    results[9] = bits(d[2] * d[2] - d[3]);
    results[10] = u64(d[4] != d[4]) + 2 * u64(__builtin_isinf(d[5])) + 4 * u64(f[4] != f[4]);
    results[11] = bits(d[6] + 0.0);
    results[12] = bits(0.0f - f[6]);
    results[13] = bits(d[7] * 0.5);
    results[14] = bits(f[7] * 0.5f);
    results[15] = bits(d[0] + 0.1);
    results[1] = bits(double(f[8] * f[9]));
    results[0] = sizeof(void*) + (sizeof(long) << 8) + (u64(sizeof(small)) << 16) + (u64(sizeof(pair)) << 24) + (u64(char(-1) < 0) << 32);
}
)";

struct Known {
    std::uint64_t bits;
    const char* otherwise; // what a compiler does that has another result
};
constexpr std::array<Known, 16> known = {{
    {8 + (8 << 8) + (4u << 16) + (16u << 24) + (std::uint64_t{1} << 32), "lays out types in another way than this program"},
    {0x7ff0000000000000, "computes floats with more digits than they have"},
    {0x3f800000, "does not add up floats in their order"},
    {0x3ff0000000000000, "does not add up doubles in their order"},
    {0x21dbf6db74, "does not divide floats as IEEE 754 says"},
    {0xfb7edb6db6db6dab, "does not divide doubles as IEEE 754 says"},
    {0x2147cac8f1, "does not take square roots as IEEE 754 says"},
    {0, "does not keep to the order of additions"},
    {0, "makes one operation of a product and a sum of floats"},
    {0, "makes one operation of a product and a sum of doubles"},
    {7, "takes it that there is no NaN and no infinity"},
    {0, "does not keep the sign of a zero"},
    {0, "does not keep the sign of a zero"},
    {0x0008000000000000, "takes the smallest doubles for zero"},
    {0x00400000, "takes the smallest floats for zero"},
    {0x3ff199999999999a, "takes constants that are doubles for floats"},
}};

// What differs, or nothing.
std::string result_of(void* entry) {
    std::array<double, 64> more_d;
    std::array<float, 64> more_f;
    more_d.fill(0x1p-53), more_f.fill(0x1p-24F);
    more_d[0] = 1, more_f[0] = 1;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    const double d[] = {1, 7, 1 + 0x1p-30, 1 + 0x1p-29, nan, infinity, -0.0, 0x1p-1022};
    const float f[] = {1, 7, 1 + 0x1p-12F, 1 + 0x1p-11F, std::numeric_limits<float>::quiet_NaN(), 0, 0, 0x1p-126F, 3e38F, 4};
    std::array<std::uint64_t, known.size()> results{};
    using Function = void(const double*, const float*, const double*, const float*, std::uint64_t*);
    reinterpret_cast<Function*>(entry)(d, f, more_d.data(), more_f.data(), results.data());
    for (std::size_t i = 0; i < known.size(); ++i) // the first two change others too
        if (results[i] != known[i].bits) return known[i].otherwise;
    return {};
}

// As result_of, of tessera_running.
std::string result_of_running(void* entry) {
    const std::uint64_t first[] = {0x9abcdef112345678, 0x0fedcba987654321, 11, ~std::uint64_t{4}}, step[] = {0x9e3779b9, 0xbb67ae85, 3, 1};
    std::array<std::uint64_t, 160> columns{}, words{}, fours{};
    std::array<std::uint32_t, 320> halves{};
    using Function = void(const std::uint64_t*, const std::uint64_t*, std::uint64_t*, std::uint64_t*, std::uint32_t*, std::uint64_t*);
    reinterpret_cast<Function*>(entry)(first, step, columns.data(), words.data(), halves.data(), fours.data());
    const auto value = [&](std::size_t which, std::size_t row) { return first[which] + row * step[which]; };
    bool are_right = true;
    for (std::size_t i = 0; i < 160; ++i)
        are_right &= columns[i] == (value(i / 8 % 2, i / 16) & 0xffffffff) && words[i] == value(i / 8 % 2, i / 16) &&
                     fours[i] == value(i % 4, i / 4);
    for (std::size_t i = 0; i < 320; ++i) are_right &= halves[i] == static_cast<std::uint32_t>(value(i / 16 % 2, i / 32));
    return are_right ? "" : "mixes up values that a loop counts up beside each other";
}

// As result_of, of tessera_arrays.
std::string result_of_arrays(void* entry) {
    constexpr int count = 333;
    std::array<int, count + 2> values{};
    std::array<int, count> middle{}, turned{};
    for (int i = 0; i < count + 2; ++i) values[static_cast<std::size_t>(i)] = i * 7919 % 1009;
    reinterpret_cast<void (*)(const int*, int*, int*, long)>(entry)(values.data(), middle.data(), turned.data(), count);
    bool are_right = true;
    for (std::size_t i = 0; i < count; ++i) {
        const int p = values[i], q = values[i + 1], r = values[i + 2];
        are_right &= middle[i] == std::max(std::min(p, q), std::min(std::max(p, q), r));
        are_right &= turned[i] == (p % 2 == 0 ? q - 3 * r : r - 3 * q);
    }
    return are_right ? "" : mixes_up_arrays;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

struct Answer {
    std::string why;
    bool is_of_the_compiler = false; // and not of the machine at the moment, which may have no room, say
};

HostCompiler::Result compiled(const HostCompiler& compiler, const std::vector<std::string>& options, const fs::path& folder) try {
    CompileLimits limits;
    limits.time = std::chrono::minutes(1); // for what takes a tenth of a second
    return compiler.compile(program, {}, {}, HostCompiler::Output::shared_library, options, folder, limits);
} catch (const NoWorkFolder&) {
    throw;
} catch (const CannotStart&) {
    throw;
} catch (const Error& error) {
    return {false, {}, error.what()};
}

// In a folder where files may be loaded.
Answer try_out(const HostCompiler& compiler, const std::vector<std::string>& options, const fs::path& folder) {
    const auto made = compiled(compiler, options, folder);
    if (!made.ok) return {fmt::format("makes no library of a small program: {}", first_line(made.log))};
    const PrivateFolder own(folder, "build-"); // the library stays loaded when it is gone
    write_file(own.path() / "exactness.so", made.image);
    try {
        const SharedLibrary library(own.path() / "exactness.so");
        auto* const entry = library.find("tessera_exactness");
        auto *const running = library.find("tessera_running"), *const arrays = library.find("tessera_arrays");
        if (entry == nullptr || running == nullptr || arrays == nullptr) return {"makes libraries without their functions"};
        auto why = result_of(entry);
        if (why.empty()) why = result_of_running(running);
        return {why.empty() ? result_of_arrays(arrays) : why, true};
    } catch (const std::runtime_error& error) {
        return {fmt::format("makes libraries that cannot be loaded: {}", error.what())};
    }
}

// A full disk is no reason not to run.
Answer try_out_with_room(const HostCompiler& compiler, const std::vector<std::string>& options, Cache& cache) {
    try {
        return try_out(compiler, options, cache.loadable_folder());
    } catch (const NoWorkFolder&) { // the model's own compilation says so
        if (cache.is_temporary()) throw;
        return try_out(compiler, options, cache.temporary_folder());
    }
}

} // namespace

std::vector<std::string> exact_options(HostCompiler::Family family) {
    std::vector<std::string> result = {
        "-fno-fast-math",     "-fno-finite-math-only", "-fno-associative-math", "-fno-reciprocal-math", "-fsigned-zeros",
        "-fno-rounding-math", "-fsigned-char",         "-fno-short-enums",      "-fno-pack-struct",     "-fno-lto",
        "-fno-sanitize=all",  "-fno-profile-generate", "-fno-profile-arcs",     "-fno-test-coverage"};
    if (family == HostCompiler::Family::gcc)
        result.insert(result.end(), {"-fno-unsafe-math-optimizations", "-fno-single-precision-constant", "-fno-cx-limited-range",
                                     "-fno-instrument-functions", "-fno-tree-vectorize", "-ftree-slp-vectorize"});
    else
        result.insert(result.end(), {"-fno-approx-func", "-fdenormal-fp-math=ieee", "-fno-profile-instr-generate"});
#if defined(__x86_64__)
    result.insert(result.end(), {"-m64", "-mfpmath=sse", family == HostCompiler::Family::gcc ? "-mno-recip" : "-mrecip=none"});
#endif
    return result;
}

std::string why_not_exact(const HostCompiler& compiler, Cache* cache, const std::vector<std::string>& more) {
    auto options = compiler.options(HostCompiler::Output::shared_library, false);
    options.insert(options.end(), more.begin(), more.end());
    Key key;
    key.add("exactness 2").add(compiler.identity()).add(host_cpu_identity()).add(program);
    for (const auto& option : options) key.add(option);
    const auto name = key.hex();
    if (cache != nullptr)
        if (const auto entry = cache->find(name)) return {reinterpret_cast<const char*>(entry->payload.data()), entry->payload.size()};
    if (cache == nullptr) return try_out(compiler, options, PrivateFolder(fs::temp_directory_path(), "tessera-").path()).why;
    const auto answer = try_out_with_room(compiler, options, *cache);
    if (!answer.is_of_the_compiler) return answer.why;
    Entry entry;
    const auto* first = reinterpret_cast<const std::byte*>(answer.why.data());
    entry.payload.assign(first, first + answer.why.size());
    cache->store(name, std::move(entry));
    return answer.why;
}

} // namespace tessera::jit

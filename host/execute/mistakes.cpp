#include "host/execute/mistakes.hpp"

#include "device_runtime/error.hpp"
#include "jit/outline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

struct Wording {
    std::string what, why, advice; // what a function does: "divides 7 by 0"
};

std::string text_of(const mistaken_value& value) {
    switch (value.of) {
    case mistaken_value::whole: return fmt::format("{}", value.integer);
    case mistaken_value::natural: return fmt::format("{}", value.word);
    case mistaken_value::real:
        if (const auto narrow = static_cast<float>(value.number); narrow == value.number) return fmt::format("{}", narrow);
        return fmt::format("{}", value.number);
    case mistaken_value::none: break;
    }
    return "a number";
}

bool is_zero(const mistaken_value& value) { return value.of != mistaken_value::real && value.word == 0; }

// "int", "std::uint8_t": the alias that the author may have for it is not told.
std::string type_of(const mistake_record& record) {
    if (record.bits == 32) return record.is_signed != 0 ? "int" : "unsigned int";
    return fmt::format("std::{}int{}_t", record.is_signed != 0 ? "" : "u", record.bits);
}

Wording words_for_element(const mistake_record& record) {
    auto elements = record.elements;
    if (record.array != nullptr) {
        const std::string_view type = record.array;
        elements = std::atoll(type.substr(std::min(type.find('['), type.size() - 1) + 1).data());
    }
    const auto last = elements - 1;
    return {fmt::format("takes element {} of an array of {}", text_of(record.left), elements),
            elements == 1 ? "its only element is 0" : fmt::format("it has elements 0 to {}", last), "test the index before it is used"};
}

constexpr const char* source_of_nan = "look for 0 / 0, infinity - infinity, and roots and logarithms of negative numbers";

Wording words_for(const mistake_record& record, const std::string& member) {
    const auto left = text_of(record.left), right = text_of(record.right), type = type_of(record);
    const auto beyond = [&](const std::string& what) -> Wording {
        return {what, fmt::format("the result does not fit into {}", type),
                record.bits == 64 ? "keep the numbers smaller" : "compute in std::int64_t, or keep the numbers smaller"};
    };
    switch (record.what) {
    case mistake::addition: return beyond(fmt::format("computes {} + {}", left, right));
    case mistake::subtraction: return beyond(fmt::format("computes {} - {}", left, right));
    case mistake::multiplication: return beyond(fmt::format("computes {} * {}", left, right));
    case mistake::negation: return beyond(fmt::format("computes -({})", left));
    case mistake::division:
        if (!is_zero(record.right)) return beyond(fmt::format("divides {} by {}", left, right));
        return {fmt::format("divides {} by 0", left), "that has no result", "test the divisor before the division"};
    case mistake::conversion:
        return {fmt::format("converts {} to {}", left, type),
                record.left.of == mistaken_value::real && std::isnan(record.left.number) ? "it is not a number" : "it does not fit",
                "use to_int, which takes the nearest value that fits"};
    case mistake::narrowing:
        return {fmt::format("stores {} as {}", left, right), fmt::format("{} has no {}", type, left),
                "use a wider type, or a static_cast if that is meant"};
    case mistake::shift:
        return {fmt::format("shifts {} by {}", left, right), fmt::format("{} is shifted by 0 to {} bits", type, record.bits - 1),
                "test the distance before the shift"};
    case mistake::element: return words_for_element(record);
    case mistake::draw:
        return {fmt::format("draws below({})", left), "below(n) gives 0 to n - 1, for an n from 1 to 4294967295", "test n before the draw"};
    case mistake::chance:
        return {fmt::format("draws bernoulli({})", left), "a probability is from 0 to 1",
                "keep it within them, as by clamp(p, 0.0f, 1.0f)"};
    case mistake::unassigned:
        return {fmt::format("leaves {} unassigned", member),
                fmt::format("sets<...> does not keep its value, {}, which would become the default, {}", left, right),
                "assign it on every path, or declare it by writes<...>"};
    case mistake::no_result:
        return {"reaches the end of a function that should return a value", "its result is then undefined", "return a value there"};
    case mistake::no_way: return {"reaches code that the text declares unreachable", "what follows is then undefined", ""};
    case mistake::not_a_number: return {fmt::format("stores NaN in {}", member), "nothing that it read was NaN", source_of_nan};
    case mistake::goes_nowhere: return {"goes to a position that is not a number", "such a position is nowhere in space", source_of_nan};
    case mistake::child_nowhere:
        return {"has a child at a position that is not a number", "such a position is nowhere in space", source_of_nan};
    case mistake::assertion:
    case mistake::none: break;
    }
    return {};
}

// Where a function is declared: "life.cu:7: ". Of a uniform its type stands in place of a row; an empty one is any.
std::string place_of_function(const Setup& setup, const std::string& row, const std::string& function) {
    const auto& source = setup.model->source;
    std::vector<const jit::SourceFile*> files{&source.main};
    for (const auto& header : source.headers) files.push_back(&header);
    for (const auto* file : files)
        for (const auto& call : jit::outline_of(file->text).functions)
            if ((row.empty() || call.row == row) && call.function == function) return fmt::format("{}:{}: ", file->path, call.first_line);
    return {};
}
std::string place_of_function(const Setup& setup, const KernelSetup& kernel) {
    const auto& function = setup.function_of(kernel);
    return place_of_function(setup, setup.description().rows[function.row].name, function.name);
}

bool is_authors(const Setup& setup, const std::string& file) {
    const auto& source = setup.model->source;
    return file == source.main.path ||
           std::any_of(source.headers.begin(), source.headers.end(), [&](const auto& header) { return header.path == file; });
}

// `function`: where the function is that made the mistake.
std::string place_in_text(const Setup& setup, const std::string& function, const mistake_record& record) {
    if (record.file == nullptr || !is_authors(setup, record.file)) return function;
    const bool has_column = record.column != 0 && record.what != mistake::assertion; // compilers differ about a macro's
    return fmt::format("{}:{}:{} ", record.file, record.line, has_column ? fmt::format("{}:", record.column) : "");
}

// " on place (3, 4)", " for ant 17 on place (3, 4)"; nothing outside of the model's functions.
std::string who_did(const Setup& setup, const KernelSetup& kernel, const mistake_record& record) {
    if (record.call.is_running == 0) return {};
    const auto& collection = setup.collections[kernel.collection];
    const auto* const at = record.call.place;
    const auto who = record.call.agent != 0 ? fmt::format(" for {} {}", collection.name, record.call.agent) : "";
    if (!setup.collections[setup.ground_of(kernel.collection)].has_shape())
        return fmt::format("{} on place {}", who, at[1] * collection.size[0] + at[0]);
    return fmt::format("{} on place ({})", who, fmt::join(at, at + collection.dimensions, ", "));
}

// "cell.heat"; of the places that agents stand on theirs.
std::string member_of(const Setup& setup, const KernelSetup& kernel, const mistake_record& record) {
    const auto& own = setup.collections[kernel.collection];
    const auto& collection = record.of_ground != 0 ? setup.collections[own.agents->ground] : own;
    return collection.name + "." + setup.row_of(collection).members[static_cast<std::size_t>(record.member)].name;
}

// "self.a < self.b, with 5 and 3".
std::string condition_text(const mistake_record& record) {
    std::string numbers;
    for (const auto& value : {record.left, record.right})
        if (value.of != mistaken_value::none) numbers += (numbers.empty() ? ", with " : " and ") + text_of(value);
    return record.text + numbers;
}

[[noreturn]] void tell_record(const std::string& in_text, const std::string& function, const std::string& member, const std::string& where,
                              const mistake_record& record) {
    if (record.what == mistake::assertion)
        throw Error(Failure::model, fmt::format("{}\"{}\" does not hold in {}{}", in_text, record.words, function, where),
                    condition_text(record));
    const auto words = words_for(record, member);
    throw Error(Failure::model, fmt::format("{}{} {}{}", in_text, function, words.what, where), words.why, words.advice);
}

} // namespace

NotedMistake::NotedMistake(const Partition& partition) {
    if (partition.mistake == nullptr) {
        noted_.record = **static_cast<mistake_record**>(partition.programs.front()->global(mistake_symbol).address);
        return;
    }
    partition.queue->read(&noted_, partition.mistake, sizeof(noted_));
    noted_.record.file = noted_.file[0] != 0 ? noted_.file : nullptr;
    noted_.record.text = noted_.text;
    noted_.record.words = noted_.words;
}

void expect_no_mistake(const Partition& partition, const Launch& launch) {
    static_assert(offsetof(shared_mistake, least) == 0);
    auto least = shared_mistake::none;
    partition.queue->read(&least, partition.mistake, sizeof(least));
    if (least != shared_mistake::none) throw KernelFault(launch.kernel->name(), launch.number, Ending::no_code);
}

void tell_mistake(const Setup& setup, const KernelSetup& kernel, const KernelFault& fault, const mistake_record& record,
                  std::uint64_t step) {
    const auto when = setup.function_of(kernel).is_init ? "before the first step" : fmt::format("in step {}", step);
    const auto where = fmt::format("{} {} of {}", who_did(setup, kernel, record), when, setup.description().name);
    if (record.what == mistake::none)
        throw Error(Failure::model, fmt::format("{}{} {}{}", place_of_function(setup, kernel), kernel.name, fault.what_happened(), where),
                    fault.why(), fault.advice());
    const auto member = record.what == mistake::not_a_number || record.what == mistake::unassigned ? member_of(setup, kernel, record) : "";
    tell_record(place_in_text(setup, place_of_function(setup, kernel), record), kernel.name, member, where, record);
}

void tell_mistake(const Setup& setup, const model::Uniform& uniform, const KernelFault& fault, const mistake_record& record,
                  std::uint64_t step) {
    const auto declared = place_of_function(setup, "", uniform.name);
    // Several steps' are made at once: as its place it has noted its step, and which element it is (kernels/launch/uniforms.hpp).
    const auto* const at = record.call.place;
    const auto element = record.call.is_running != 0 && uniform.elements > 1 ? fmt::format(" for element {}", at[1]) : "";
    const auto where = fmt::format("{} in step {} of {}", element, record.call.is_running != 0 ? static_cast<std::uint64_t>(at[0]) : step,
                                   setup.description().name);
    if (record.what == mistake::none)
        throw Error(Failure::model, fmt::format("{}{} {}{}", declared, uniform.name, fault.what_happened(), where), fault.why(),
                    fault.advice());
    tell_record(place_in_text(setup, declared, record), uniform.name, "", where, record);
}

} // namespace tessera

// As much of a validator of JSON schemas as the schema of run files needs. What it does not know is an error, so that nothing is passed
// over.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

namespace tessera::testing {

using Json = nlohmann::json;

class SchemaCheck {
public:
    explicit SchemaCheck(const Json& whole) : whole_(whole) {}

    // Where a value is not as the schema says, and by which of its words; empty: it is.
    [[nodiscard]] std::string fault_of(const Json& value, const Json& schema, const std::string& path) const {
        if (schema.is_boolean()) return schema.get<bool>() ? "" : path + " is not expected";
        if (schema.contains("$ref")) return fault_of(value, refered(schema["$ref"]), path);
        for (const auto& [word, said] : schema.items()) {
            auto fault = fault_by(word, said, schema, value, path);
            if (!fault.empty()) return fault;
        }
        return {};
    }

private:
    using Word = std::string (SchemaCheck::*)(const Json& said, const Json& schema, const Json& value, const std::string& path) const;

    std::string fault_by(const std::string& word, const Json& said, const Json& schema, const Json& value, const std::string& path) const {
        static const std::set<std::string> silent{"$schema", "title", "description", "default", "definitions"};
        static const std::map<std::string, Word> known{{"type", &SchemaCheck::type},
                                                       {"enum", &SchemaCheck::names},
                                                       {"anyOf", &SchemaCheck::any_of},
                                                       {"allOf", &SchemaCheck::all_of},
                                                       {"pattern", &SchemaCheck::pattern},
                                                       {"items", &SchemaCheck::items},
                                                       {"required", &SchemaCheck::required},
                                                       {"properties", &SchemaCheck::members},
                                                       {"patternProperties", &SchemaCheck::members},
                                                       {"minimum", &SchemaCheck::limit},
                                                       {"maximum", &SchemaCheck::limit},
                                                       {"exclusiveMinimum", &SchemaCheck::limit},
                                                       {"minItems", &SchemaCheck::limit},
                                                       {"maxItems", &SchemaCheck::limit},
                                                       {"minProperties", &SchemaCheck::limit},
                                                       {"minLength", &SchemaCheck::limit},
                                                       {"additionalProperties", &SchemaCheck::members}};
        if (silent.contains(word)) return {};
        if (!known.contains(word)) throw std::logic_error("a word of a schema that is not known here: " + word);
        if (known.at(word) == &SchemaCheck::limit) return fault_of_limit(word, said, value, path);
        return (this->*known.at(word))(said, schema, value, path);
    }

    const Json& refered(const std::string& name) const { return whole_.at(Json::json_pointer(name.substr(1))); }

    static bool is_of(const std::string& type, const Json& value) {
        if (type == "integer") return value.is_number_integer();
        if (type == "number") return value.is_number();
        return type == value.type_name();
    }
    std::string type(const Json& said, const Json&, const Json& value, const std::string& path) const {
        const auto types = said.is_array() ? said : Json::array({said});
        const bool fits = std::any_of(types.begin(), types.end(), [&](const Json& type) { return is_of(type, value); });
        return fits ? "" : path + " is no " + said.dump();
    }
    std::string names(const Json& said, const Json&, const Json& value, const std::string& path) const {
        return std::find(said.begin(), said.end(), value) != said.end() ? "" : path + " is none of " + said.dump();
    }
    std::string pattern(const Json& said, const Json&, const Json& value, const std::string& path) const {
        if (!value.is_string() || std::regex_search(value.get<std::string>(), std::regex(said.get<std::string>()))) return {};
        return path + " is not like " + said.dump();
    }
    std::string limit(const Json&, const Json&, const Json&, const std::string&) const { return {}; }
    static std::string fault_of_limit(const std::string& word, const Json& said, const Json& value, const std::string& path) {
        const auto breaks = [&] {
            if (word == "minimum") return value.is_number() && value < said;
            if (word == "maximum") return value.is_number() && value > said;
            if (word == "exclusiveMinimum") return value.is_number() && value <= said;
            if (word == "minLength") return value.is_string() && value.get<std::string>().size() < said;
            if (word == "minProperties") return value.is_object() && value.size() < said;
            return value.is_array() && (word == "minItems" ? value.size() < said : value.size() > said);
        };
        return breaks() ? path + " breaks " + word + " " + said.dump() : "";
    }
    std::string items(const Json& said, const Json&, const Json& value, const std::string& path) const {
        if (!value.is_array()) return {};
        for (const auto& item : value)
            if (auto fault = fault_of(item, said, path + "[]"); !fault.empty()) return fault;
        return {};
    }
    std::string any_of(const Json& said, const Json&, const Json& value, const std::string& path) const {
        std::string faults;
        for (const auto& choice : said) {
            const auto fault = fault_of(value, choice, path);
            if (fault.empty()) return {};
            faults += "\n  " + fault;
        }
        return path + " is none of:" + faults;
    }
    std::string all_of(const Json& said, const Json&, const Json& value, const std::string& path) const {
        for (const auto& part : said)
            if (auto fault = fault_of(value, part, path); !fault.empty()) return fault;
        return {};
    }
    std::string required(const Json& said, const Json&, const Json& value, const std::string& path) const {
        for (const auto& key : said)
            if (value.is_object() && !value.contains(key.get<std::string>())) return path + " lacks " + key.dump();
        return {};
    }
    // All three words about members at once.
    std::string members(const Json&, const Json& schema, const Json& value, const std::string& path) const {
        if (!value.is_object()) return {};
        for (const auto& [key, member] : value.items())
            if (auto fault = fault_of(member, schema_of_member(schema, key), path + "." + key); !fault.empty()) return fault;
        return {};
    }
    static Json schema_of_member(const Json& schema, const std::string& key) {
        if (schema.contains("properties") && schema["properties"].contains(key)) return schema["properties"][key];
        if (schema.contains("patternProperties"))
            for (const auto& [pattern, said] : schema["patternProperties"].items())
                if (std::regex_search(key, std::regex(pattern))) return said;
        return schema.value("additionalProperties", Json(true));
    }

    const Json& whole_;
};

inline std::string fault_of(const Json& value, const Json& schema) { return SchemaCheck(schema).fault_of(value, schema, "it"); }

} // namespace tessera::testing

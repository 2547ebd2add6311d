// A model of bytes and bools that are seen all around, and what a plain loop makes of it: for views of several bytes, or bits, at once.
#pragma once

#include "tests/reference/grid.hpp"
#include "tests/support/states.hpp"

#include <cstdint>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

// Bytes and bools, of which two are seen all around, one to one side alone, and one is only written; sums wrap where they are stored.
inline const char* const moss_text = R"(#include <tessera/model.hpp>
struct Moss {
    std::uint8_t age = 0, near = 0, wind = 0;
    bool wet = false;
};
TESSERA_PLACE(Moss, age, near, wind, wet);
TESSERA_CALL(Moss, grow, around<moore, &Moss::age, &Moss::wet>, around<offsets<west>, &Moss::wind>, writes<&Moss::age, &Moss::wet>,
             sets<&Moss::near>) {
    const auto water = self.sum(moore, &Moss::wet);
    const auto beside = self.sum(with_here<von_neumann>, &Moss::age);
    const auto older = self.at(offset<1, -1, 1>).age >= self.age;
    self.near = self.sum(with_here<moore>, &Moss::age);
    const auto rains = (water == 9) ^ (8 < water && water != 14) ^ (self.at(west).wet & !older);
    self.wet = rains;
    self.age = select(older, self.at(offset<-1, 0, 1>).age | rains, (beside & self.at(below).age) | (self.at(west).wind & self.age));
}
TESSERA_MODEL(moss, "bytes that are seen");
TESSERA_DEFAULTS("phase = [{ exchangeAll = \"moss\" }, { callAll = \"moss.grow\" }]");
)";

// The same on a grid of two dimensions, with neighbours of its rows in place of those of other planes.
inline std::string flat_moss_text() {
    std::string text = moss_text;
    for (const auto& [in_space, flat] :
         {std::pair("offset<1, -1, 1>", "offset<1, -1>"), std::pair("offset<-1, 0, 1>", "offset<-1, 1>"), std::pair("below", "south"),
          std::pair("water == 9", "water == 3"), std::pair("8 < water", "4 < water"), std::pair("water != 14", "water != 6")})
        text = std::regex_replace(text, std::regex(in_space), flat);
    return text;
}

struct Moss {
    std::vector<std::uint8_t> age, near, wind, wet;
};
// By one place after the other, in ints.
inline Moss grown(const Moss& now, const Shape& shape, std::uint8_t outside, int dims) {
    const int up = dims == 3 ? 1 : 0; // how far is seen along z
    Moss next = now;
    for (std::int64_t z = 0; z < shape.nz; ++z)
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = 0; x < shape.nx; ++x) {
                const auto age = [&](std::int64_t dx, std::int64_t dy, std::int64_t dz) {
                    return static_cast<int>(reference::look<std::uint8_t>(now.age, shape, x + dx, y + dy, z + dz, outside, 0).value);
                };
                const auto wet = [&](std::int64_t dx, std::int64_t dy, std::int64_t dz) {
                    return static_cast<int>(reference::look<std::uint8_t>(now.wet, shape, x + dx, y + dy, z + dz, 0, 0).value);
                };
                int water = -wet(0, 0, 0), near = 0, beside = 0;
                for (int dz = -up; dz <= up; ++dz)
                    for (int dy = -1; dy <= 1; ++dy)
                        for (int dx = -1; dx <= 1; ++dx) {
                            water += wet(dx, dy, dz);
                            near += age(dx, dy, dz);
                            if (dx * dx + dy * dy + dz * dz <= 1) beside += age(dx, dy, dz);
                        }
                const bool older = age(1, -1, up) >= age(0, 0, 0);
                const auto i = shape.index(x, y, z);
                const int some = dims == 3 ? 9 : 3, fewer = dims == 3 ? 8 : 4, many = dims == 3 ? 14 : 6;
                const bool rains = (water == some) != ((fewer < water && water != many) != (wet(-1, 0, 0) != 0 && !older));
                next.near[i] = static_cast<std::uint8_t>(near);
                next.wet[i] = rains ? 1 : 0;
                const int west_wind = reference::look<std::uint8_t>(now.wind, shape, x - 1, y, z, 0, 0).value;
                const int dry = (beside & age(0, 1 - up, up)) | (west_wind & age(0, 0, 0));
                next.age[i] = static_cast<std::uint8_t>(older ? age(-1, 1 - up, up) | (rains ? 1 : 0) : dry);
            }
    return next;
}

// Up to `most`, and here and there a value up to `rare`.
inline std::vector<std::uint8_t> random_bytes(const Shape& shape, unsigned most, unsigned rare, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::uint8_t> values(shape.count());
    for (auto& value : values) value = static_cast<std::uint8_t>(generator() % ((generator() % 50 == 0 ? rare : most) + 1));
    return values;
}

} // namespace tessera::test

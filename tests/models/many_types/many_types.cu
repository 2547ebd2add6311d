// A row of all scalar types, arrays of each, and many members: 70, in a namespace. Each step, every place takes over the row of its west
// neighbour, and arrays turn by one element: element e becomes what element e + 1 was, the last becomes the first. So after k steps on a
// torus place x has the row that place x - k started with, arrays turned by k. The members n01 to n46 stay where they are and grow by 1.
#include <tessera/model.hpp>

namespace zoo::carousel {

struct Exhibit {
    bool flag = true, flags[3] = {true, false};
    std::int8_t i8 = -8, i8s[2] = {-8, 1};
    std::uint8_t u8 = 8, u8s[5] = {8, 1};
    std::int16_t i16 = -16, i16s[4] = {-16, 1};
    std::uint16_t u16 = 16, u16s[3] = {16, 1};
    std::int32_t i32 = -32, i32s[2] = {-32, 1};
    std::uint32_t u32 = 32, u32s[7] = {32, 1};
    std::int64_t i64 = -64, i64s[2] = {-64, 1};
    std::uint64_t u64 = 64, u64s[3] = {64, 1};
    float f32 = 0.5f, f32s[4] = {0.5f, 1};
    double f64 = 0.25, f64s[2] = {0.25, 1};
    std::int32_t n00 = 0, n01 = 1, n02 = 2, n03 = 3, n04 = 4, n05 = 5, n06 = 6, n07 = 7, n08 = 8, n09 = 9, n10 = 10, n11 = 11, n12 = 12,
                 n13 = 13, n14 = 14, n15 = 15, n16 = 16, n17 = 17, n18 = 18, n19 = 19, n20 = 20, n21 = 21, n22 = 22, n23 = 23, n24 = 24,
                 n25 = 25, n26 = 26, n27 = 27, n28 = 28, n29 = 29, n30 = 30, n31 = 31, n32 = 32, n33 = 33, n34 = 34, n35 = 35, n36 = 36,
                 n37 = 37, n38 = 38, n39 = 39, n40 = 40, n41 = 41, n42 = 42, n43 = 43, n44 = 44, n45 = 45, n46 = 46, n47 = 47;
};
TESSERA_PLACE(Exhibit, flag, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, flags, i8s, u8s, i16s, u16s, i32s, u32s, i64s, u64s, f32s,
              f64s, n00, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11, n12, n13, n14, n15, n16, n17, n18, n19, n20, n21, n22, n23,
              n24, n25, n26, n27, n28, n29, n30, n31, n32, n33, n34, n35, n36, n37, n38, n39, n40, n41, n42, n43, n44, n45, n46, n47);

// Members, as the access lists of functions name them.
#define PASSED_ON                                                                                                                         \
    &Exhibit::flag, &Exhibit::i8, &Exhibit::u8, &Exhibit::i16, &Exhibit::u16, &Exhibit::i32, &Exhibit::u32, &Exhibit::i64, &Exhibit::u64, \
        &Exhibit::f32, &Exhibit::f64, &Exhibit::flags, &Exhibit::i8s, &Exhibit::u8s, &Exhibit::i16s, &Exhibit::u16s, &Exhibit::i32s,      \
        &Exhibit::u32s, &Exhibit::i64s, &Exhibit::u64s, &Exhibit::f32s, &Exhibit::f64s, &Exhibit::n00, &Exhibit::n47
#define COUNTED                                                                                                                            \
    &Exhibit::n01, &Exhibit::n02, &Exhibit::n03, &Exhibit::n04, &Exhibit::n05, &Exhibit::n06, &Exhibit::n07, &Exhibit::n08, &Exhibit::n09, \
        &Exhibit::n10, &Exhibit::n11, &Exhibit::n12, &Exhibit::n13, &Exhibit::n14, &Exhibit::n15, &Exhibit::n16, &Exhibit::n17,            \
        &Exhibit::n18, &Exhibit::n19, &Exhibit::n20, &Exhibit::n21, &Exhibit::n22, &Exhibit::n23, &Exhibit::n24, &Exhibit::n25,            \
        &Exhibit::n26, &Exhibit::n27, &Exhibit::n28, &Exhibit::n29, &Exhibit::n30, &Exhibit::n31, &Exhibit::n32, &Exhibit::n33,            \
        &Exhibit::n34, &Exhibit::n35, &Exhibit::n36, &Exhibit::n37, &Exhibit::n38, &Exhibit::n39, &Exhibit::n40, &Exhibit::n41,            \
        &Exhibit::n42, &Exhibit::n43, &Exhibit::n44, &Exhibit::n45, &Exhibit::n46

template<class Array> void turn(Array& mine, const Array& theirs) {
    for (int e = 0; e < Array::size(); ++e) mine[e] = theirs[(e + 1) % Array::size()];
}
template<class Array> void number(Array& mine, std::int64_t first) {
    for (int e = 0; e < Array::size(); ++e) mine[e] = first + e;
}

TESSERA_INIT(Exhibit, number_all, sets<PASSED_ON, COUNTED>) {
    const auto id = self.position.y * self.size.x + self.position.x;
    self.flag = id % 3 == 0;
    for (int e = 0; e < self.flags.size(); ++e) self.flags[e] = (id + e) % 2 == 0;
    self.i8 = id;
    self.u8 = id;
    self.i16 = id;
    self.u16 = id;
    self.i32 = id;
    self.u32 = id;
    self.i64 = id;
    self.u64 = id;
    self.f32 = id + 0.5f;
    self.f64 = id + 0.125;
    number(self.i8s, id);
    number(self.u8s, id);
    number(self.i16s, id);
    number(self.u16s, id);
    number(self.i32s, id);
    number(self.u32s, id);
    number(self.i64s, id);
    number(self.u64s, id);
    number(self.f32s, id);
    number(self.f64s, id);
    self.n00 = id + 0;
    self.n01 = id + 1;
    self.n02 = id + 2;
    self.n03 = id + 3;
    self.n04 = id + 4;
    self.n05 = id + 5;
    self.n06 = id + 6;
    self.n07 = id + 7;
    self.n08 = id + 8;
    self.n09 = id + 9;
    self.n10 = id + 10;
    self.n11 = id + 11;
    self.n12 = id + 12;
    self.n13 = id + 13;
    self.n14 = id + 14;
    self.n15 = id + 15;
    self.n16 = id + 16;
    self.n17 = id + 17;
    self.n18 = id + 18;
    self.n19 = id + 19;
    self.n20 = id + 20;
    self.n21 = id + 21;
    self.n22 = id + 22;
    self.n23 = id + 23;
    self.n24 = id + 24;
    self.n25 = id + 25;
    self.n26 = id + 26;
    self.n27 = id + 27;
    self.n28 = id + 28;
    self.n29 = id + 29;
    self.n30 = id + 30;
    self.n31 = id + 31;
    self.n32 = id + 32;
    self.n33 = id + 33;
    self.n34 = id + 34;
    self.n35 = id + 35;
    self.n36 = id + 36;
    self.n37 = id + 37;
    self.n38 = id + 38;
    self.n39 = id + 39;
    self.n40 = id + 40;
    self.n41 = id + 41;
    self.n42 = id + 42;
    self.n43 = id + 43;
    self.n44 = id + 44;
    self.n45 = id + 45;
    self.n46 = id + 46;
    self.n47 = id + 47;
}

TESSERA_CALL(Exhibit, pass_on, around<offsets<west>, PASSED_ON>, writes<PASSED_ON>) {
    const auto from = self.at(west);
    self.flag = from.flag;
    self.i8 = from.i8;
    self.u8 = from.u8;
    self.i16 = from.i16;
    self.u16 = from.u16;
    self.i32 = from.i32;
    self.u32 = from.u32;
    self.i64 = from.i64;
    self.u64 = from.u64;
    self.f32 = from.f32;
    self.f64 = from.f64;
    self.n00 = from.n00;
    self.n47 = from.n47;
    turn(self.flags, from.flags);
    turn(self.i8s, from.i8s);
    turn(self.u8s, from.u8s);
    turn(self.i16s, from.i16s);
    turn(self.u16s, from.u16s);
    turn(self.i32s, from.i32s);
    turn(self.u32s, from.u32s);
    turn(self.i64s, from.i64s);
    turn(self.u64s, from.u64s);
    turn(self.f32s, from.f32s);
    turn(self.f64s, from.f64s);
}
TESSERA_CALL(Exhibit, count, writes<COUNTED>) {
    ++self.n01;
    ++self.n02;
    ++self.n03;
    ++self.n04;
    ++self.n05;
    ++self.n06;
    ++self.n07;
    ++self.n08;
    ++self.n09;
    ++self.n10;
    ++self.n11;
    ++self.n12;
    ++self.n13;
    ++self.n14;
    ++self.n15;
    ++self.n16;
    ++self.n17;
    ++self.n18;
    ++self.n19;
    ++self.n20;
    ++self.n21;
    ++self.n22;
    ++self.n23;
    ++self.n24;
    ++self.n25;
    ++self.n26;
    ++self.n27;
    ++self.n28;
    ++self.n29;
    ++self.n30;
    ++self.n31;
    ++self.n32;
    ++self.n33;
    ++self.n34;
    ++self.n35;
    ++self.n36;
    ++self.n37;
    ++self.n38;
    ++self.n39;
    ++self.n40;
    ++self.n41;
    ++self.n42;
    ++self.n43;
    ++self.n44;
    ++self.n45;
    ++self.n46;
}

} // namespace zoo::carousel

TESSERA_MODEL(many_types, "a row of all types, passed on");
TESSERA_DEFAULTS(R"toml(run.steps = 7
places.exhibit = { size = [19, 5], boundary = "torus" }
phase = [{ exchangeAll = "exhibit" }, { callAll = "exhibit.pass_on" }, { callAll = "exhibit.count" }])toml");

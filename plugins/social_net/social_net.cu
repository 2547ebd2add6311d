// The friends of everybody, the friends of these, and theirs: the benchmark Social Net of MASS CUDA. Each step asks for 512 persons, a bit
// each: whoever hears of a bit for the first time in round d is a friend of degree d of that person.
#include <tessera/model.hpp>

struct Person {
    std::uint64_t seen[8] = {}, fresh[8] = {};
    std::uint32_t friends[3] = {};
};
TESSERA_PLACE(Person, seen, fresh, friends);
TESSERA_DOC(Person::seen, "for whom of the 512 this person is a friend of a lower degree, or itself");
TESSERA_DOC(Person::fresh, "for whom it became one in the last round");
TESSERA_DOC(Person::friends, "how many friends of degree 1, 2 and 3 it has among those asked for so far");
struct Friend {};
TESSERA_LINK(Friend, between<Person>);

inline int bits_set(std::uint64_t word) {
    word -= word >> 1 & 0x5555555555555555u;
    word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<int>(word * 0x0101010101010101u >> 56);
}

TESSERA_CALL(Person, begin, sets<&Person::seen, &Person::fresh>) {
    const auto number = self.id - 512 * self.step; // among those asked for in this step
    for (int word = 0; word < 8; ++word)
        self.seen[word] = self.fresh[word] = number >= 0 && number >> 6 == word ? std::uint64_t{1} << (number & 63) : 0;
}

template<int Degree, class Self> void hear(Self& self) {
    auto heard = self.seen;
    self.each(links<Friend>, [&](const auto& other) {
        for (int word = 0; word < 8; ++word) heard[word] |= other.fresh[word];
    });
    for (int word = 0; word < 8; ++word) {
        self.fresh[word] = heard[word] & ~self.seen[word];
        self.seen[word] = heard[word];
        self.friends[Degree - 1] += static_cast<std::uint32_t>(bits_set(self.fresh[word]));
    }
}
TESSERA_CALL(Person, ask, around<links<Friend>, &Person::fresh>, writes<&Person::seen, &Person::fresh, &Person::friends>) { hear<1>(self); }
TESSERA_CALL(Person, ask_theirs, around<links<Friend>, &Person::fresh>, writes<&Person::seen, &Person::fresh, &Person::friends>) {
    hear<2>(self);
}
TESSERA_CALL(Person, ask_on, around<links<Friend>, &Person::fresh>, writes<&Person::seen, &Person::fresh, &Person::friends>) {
    hear<3>(self);
}

TESSERA_MODEL(social_net, "friends of friends of friends");
TESSERA_DEFAULTS(R"toml(run.steps = 2
places.person = { count = 750 }
links.friend = { generate = { rule = "regular", degree = 8 } }
phase = [{ callAll = "person.begin" }, { exchangeAll = "person" }, { callAll = "person.ask" }, { exchangeAll = "person" },
         { callAll = "person.ask_theirs" }, { exchangeAll = "person" }, { callAll = "person.ask_on" }]
)toml");

// People who have numbers, or stand on a grid: what they draw and what they are is the same.
#include <tessera/model.hpp>

struct Person {
    float wealth = 1;
    std::int32_t luck = 0;
    std::uint16_t last[3] = {7, 8, 9};
    std::int64_t number = -1, among = 0;
};
TESSERA_PLACE(Person, wealth, luck, last, number, among);
TESSERA_GLOBAL(double, total);
TESSERA_PARAM(int, divisor, 1);

TESSERA_CALL(Person, earn, writes<&Person::wealth, &Person::luck, &Person::last>) {
    const auto drawn = self.random.below(1000);
    self.wealth = self.wealth * 1.25f + self.random.uniform();
    self.luck += drawn;
    self.last[self.step % 3] = static_cast<std::uint16_t>(drawn);
}
TESSERA_CALL(Person, tax, reads<total>, writes<&Person::wealth>) { self.wealth -= static_cast<float>(self.get(total) / 1e6); }
TESSERA_CALL(Person, register_, sets<&Person::number, &Person::among>) {
    self.number = self.id;
    self.among = self.size;
}
TESSERA_CALL(Person, divide, writes<&Person::luck>) {
    if (self.id == self.size - 1) self.luck = 100 / divisor;
}
TESSERA_MODEL(census, "people who are numbered");
TESSERA_DEFAULTS(R"toml(run.steps = 5
places.person.count = 3000
phase = [{ callAll = "person.earn" }, { reduce = { total = "sum(person.luck)" } }, { callAll = "person.tax" }])toml");

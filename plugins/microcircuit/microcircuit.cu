// A square millimetre of cortex: four layers of neurons that excite and that inhibit, 77 169 of them with 0.3 billion synapses, and what
// other parts of the brain send them (T. C. Potjans and M. Diesmann, Cerebral Cortex 24, 785, 2014: tables 4 and 5). A step is 0.1 ms.
//
// With fewer neurons the column is smaller: its neurons have fewer synapses, which are stronger, and a constant current that stands for
// what is missing, so that its input has the mean and the variance of the whole one.
#include <tessera/model.hpp>

struct Neuron {
    float v = -58;
    float current = 0, missing = 0, input = 0;
    std::int8_t rests = 0;
    std::uint8_t population = 0, fired = 0;
};
TESSERA_PLACE(Neuron, v, current, missing, input, rests, population, fired);
TESSERA_DOC(Neuron::v, "potential of the membrane, in millivolts");
TESSERA_DOC(Neuron::current, "current of the synapses, in picoamperes");
TESSERA_DOC(Neuron::missing, "current in place of the synapses that a smaller column has not");
TESSERA_DOC(Neuron::input, "what the synapses of those that fired add to the current");
TESSERA_DOC(Neuron::rests, "steps in which it still does not respond after it fired");
TESSERA_DOC(Neuron::population, "0 to 7: of layers 2/3, 4, 5 and 6 those that excite, then those that inhibit");
TESSERA_DOC(Neuron::fired, "whether it fires in this step");
struct Synapse {
    float weight = 0;
    std::uint8_t delay = 0;
};
TESSERA_LINK(Synapse, from<Neuron>::to<Neuron>, weight, delay);
TESSERA_DOC(Synapse::weight, "picoamperes that a spike adds to the current");
TESSERA_DOC(Synapse::delay, "steps by which it comes late, beyond the first");
TESSERA_PARAM(float, noise, 8, range(0, 1000), "spikes a second of each neuron elsewhere that sends some here");

namespace column {
constexpr int populations = 8, everybody = 77169;
constexpr int neurons[] = {20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948};
constexpr int from_elsewhere[] = {1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100};         // synapses of a neuron
constexpr float rate[] = {0.903f, 2.965f, 4.414f, 5.876f, 7.569f, 8.633f, 1.105f, 7.829f}; // spikes a second of the whole column
constexpr float chance[populations][populations] = {                                       // that there is a synapse: of, from
    {0.1009f, 0.1689f, 0.0437f, 0.0818f, 0.0323f, 0, 0.0076f, 0},
    {0.1346f, 0.1371f, 0.0316f, 0.0515f, 0.0755f, 0, 0.0042f, 0},
    {0.0077f, 0.0059f, 0.0497f, 0.135f, 0.0067f, 0.0003f, 0.0453f, 0},
    {0.0691f, 0.0029f, 0.0794f, 0.1597f, 0.0033f, 0, 0.1057f, 0},
    {0.1004f, 0.0622f, 0.0505f, 0.0057f, 0.0831f, 0.3726f, 0.0204f, 0},
    {0.0548f, 0.0269f, 0.0257f, 0.0022f, 0.06f, 0.3158f, 0.0086f, 0},
    {0.0156f, 0.0066f, 0.0211f, 0.0166f, 0.0572f, 0.0197f, 0.0396f, 0.2252f},
    {0.0364f, 0.001f, 0.0034f, 0.0005f, 0.0277f, 0.008f, 0.0658f, 0.1443f}};

constexpr float step = 0.1f, slow = 10, fast = 0.5f, capacity = 250; // ms, of membrane and synapse; pF
constexpr float rest = -65, threshold = -50;                         // mV
constexpr int pause = 20;                                            // steps behind a spike
constexpr float strength = 87.81f;                                   // pA: 0.15 mV

TESSERA_FN int population_of(std::int64_t id, std::int64_t size) {
    int behind = 0, population = -1;
    do behind += neurons[++population];
    while (population < populations - 1 && id >= (2 * behind * size + everybody) / (2 * everybody)); // rounded
    return population;
}
// In the whole column.
TESSERA_FN float mean_weight(int from, int to) {
    if (from % 2 == 1) return -4 * strength;
    return from == 2 && to == 0 ? 2 * strength : strength;
}
TESSERA_FN float part(std::int64_t size) { return static_cast<float>(size) / everybody; }
} // namespace column

TESSERA_INIT(Neuron, begin, sets<&Neuron::v, &Neuron::population, &Neuron::missing>) {
    const int mine = column::population_of(self.id, self.size);
    float all = column::strength * column::from_elsewhere[mine] * noise;
    for (int from = 0; from < column::populations; ++from) {
        const float synapses = -log(1 - column::chance[mine][from]) * column::neurons[from];
        all += column::mean_weight(from, mine) * synapses * column::rate[from];
    }
    self.v = -58 + 10 * self.random.normal();
    self.population = static_cast<std::uint8_t>(mine);
    self.missing = all * (1 - sqrt(column::part(self.size))) * column::fast / 1000;
}
TESSERA_INIT(Synapse, vary, around<ends, &Neuron::population>, sets<&Synapse::weight, &Synapse::delay>) {
    const float mean = column::mean_weight(self.from.population, self.to.population);
    self.weight = mean * (1 + 0.1f * self.random.normal());
    const float late = (mean > 0 ? 15 : 8) * (1 + 0.5f * self.random.normal()); // steps
    self.delay = late < 1 ? 0 : late < 64 ? static_cast<std::uint8_t>(late - 0.5f) : 63;
}

// How many of independent events come where so many are expected (inversion). At most 50: more than 100 come then once in 1e10 times.
TESSERA_FN int poisson(float drawn, float expected) {
    float chance = exp(-expected), left = drawn - chance;
    int count = 0;
    for (; left >= 0 && count < 100; left -= chance) chance *= expected / ++count;
    return count;
}
// Of any number that is expected: the sum of independent counts is such a count.
template<class Self> int events(Self& self, float expected) {
    int count = poisson(self.random.uniform(), min(expected, 50.0f));
    for (float rest = expected - 50; rest > 0; rest -= 50) count += poisson(self.random.uniform(), min(rest, 50.0f));
    return count;
}
TESSERA_CALL(Neuron, move, writes<&Neuron::v, &Neuron::current, &Neuron::rests>, sets<&Neuron::fired>,
             reads<&Neuron::population, &Neuron::missing, &Neuron::input>) {
    constexpr float decay = 0.99004984f, decay_fast = 0.81873075f; // of membrane and synapse in a step
    constexpr float by_current = column::slow * column::fast / (column::slow - column::fast) * (decay - decay_fast) / column::capacity;
    constexpr float by_missing = column::slow * (1 - decay) / column::capacity;
    if (self.rests > 0)
        --self.rests;
    else
        self.v = column::rest + (self.v - column::rest) * decay + self.current * by_current + self.missing * by_missing;
    const float part = column::part(self.size);
    const float expected = column::from_elsewhere[self.population] * part * noise * column::step / 1000;
    self.current = self.current * decay_fast + (self.input + column::strength * events(self, expected)) / sqrt(part);
    self.fired = self.v >= column::threshold;
    if (self.fired) {
        self.v = column::rest;
        self.rests = column::pause;
    }
}
TESSERA_CALL(Neuron, send, reads<&Neuron::fired>, around<out_links<Synapse>, &Synapse::weight, &Synapse::delay>,
             adds<out_links<Synapse>, &Neuron::input>) {
    if (self.fired) self.send(out_links<Synapse>, [](const auto& there) { there.input.after(there.link.delay) += there.link.weight; });
}

TESSERA_MODEL(microcircuit, "a square millimetre of cortex, or a part of it");
TESSERA_DEFAULTS(R"toml(run.steps = 10000
places.neuron.count = 7717
phase = [{ callAll = "neuron.move" }, { callAll = "neuron.send" }]

[links.synapse]
parallel = true
loops = true
delays = 64

[links.synapse.generate]
rule = "blocks"
sizes = [2068, 584, 2191, 548, 485, 107, 1439, 295]
counts = [[455010, 174441, 35038, 81145, 106139, 12415, 46813, 22609],
    [223242, 50189, 7566, 928, 18171, 1694, 5561, 172],
    [202542, 41054, 244835, 99338, 55079, 6077, 67277, 2200],
    [96712, 16901, 174140, 52234, 1519, 129, 13203, 81],
    [32937, 22213, 7145, 878, 20408, 3196, 41123, 4016],
    [0, 0, 70, 0, 24080, 4305, 3050, 252],
    [22715, 3535, 146248, 88111, 14390, 1324, 83729, 28885],
    [0, 0, 0, 0, 0, 0, 108280, 13544]]
)toml");

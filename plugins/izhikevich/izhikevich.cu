// A thousand spiking neurons, each joined to each: E. M. Izhikevich, IEEE Transactions on Neural Networks 14, 1569 (2003). A step is a
// millisecond. Who fires sends the weight of each of its synapses, and only those that fire look at any.
#include <tessera/model.hpp>

struct Neuron {
    float v = -65, u = -13;
    float a = 0.02f, b = 0.2f, c = -65, d = 8, noise = 5;
    float input = 0;
    std::uint8_t fired = 0;
};
TESSERA_PLACE(Neuron, v, u, a, b, c, d, noise, input, fired);
TESSERA_DOC(Neuron::v, "potential of the membrane, in millivolts");
TESSERA_DOC(Neuron::u, "how it recovers");
TESSERA_DOC(Neuron::input, "current of the synapses of those that fired");
TESSERA_DOC(Neuron::fired, "whether it fires in this step");
struct Synapse {
    float weight = 0;
    std::uint8_t delay = 0;
};
TESSERA_LINK(Synapse, from<Neuron>::to<Neuron>, weight, delay);
TESSERA_DOC(Synapse::delay, "milliseconds by which what it sends is late, beyond the first");
TESSERA_PARAM(int, excitatory, 800, range(0, 1'000'000), "the first so many neurons excite, all others inhibit");
TESSERA_PARAM(float, excitation, 0.5f, range(0, 100), "the greatest weight of a synapse of one that excites");
TESSERA_PARAM(float, inhibition, 1.0f, range(0, 100), "the greatest, below 0, of one that inhibits");

// What a synapse adds; its weight is from 0 to 1. Of 2^-20, so that all of them are added up exactly in doubles, in any order.
TESSERA_FN float current(float weight, std::int64_t from) {
    const float times = from < excitatory ? excitation : -inhibition;
    return round(times * weight * 1048576) / 1048576;
}

TESSERA_INIT(Neuron, vary, writes<&Neuron::u, &Neuron::a, &Neuron::b, &Neuron::c, &Neuron::d, &Neuron::noise>) {
    const float r = self.random.uniform();
    if (self.id < excitatory) {
        self.c = -65 + 15 * r * r;
        self.d = 8 - 6 * r * r;
    } else {
        self.a = 0.02f + 0.08f * r;
        self.b = 0.25f - 0.05f * r;
        self.d = 2;
        self.noise = 2;
    }
    self.u = self.b * -65;
}
TESSERA_CALL(Neuron, move, writes<&Neuron::v, &Neuron::u>, sets<&Neuron::fired>,
             reads<&Neuron::a, &Neuron::b, &Neuron::c, &Neuron::d, &Neuron::noise, &Neuron::input>) {
    const bool fires = self.v >= 30;
    if (fires) {
        self.v = self.c;
        self.u += self.d;
    }
    self.fired = fires;
    const float current = self.noise * self.random.normal() + self.input;
    for (int half = 0; half < 2; ++half) self.v += 0.5f * (0.04f * self.v * self.v + 5 * self.v + 140 - self.u + current);
    self.u += self.a * (self.b * self.v - self.u);
}
TESSERA_CALL(Neuron, send, reads<&Neuron::fired>, around<out_links<Synapse>, &Synapse::weight, &Synapse::delay>,
             adds<out_links<Synapse>, &Neuron::input>) {
    if (self.fired)
        self.send(out_links<Synapse>,
                  [&](const auto& there) { there.input.after(there.link.delay) += current(there.link.weight, self.id); });
}

TESSERA_MODEL(izhikevich, "a thousand spiking neurons, each joined to each");
TESSERA_DEFAULTS(R"toml(run.steps = 1000
places.neuron.count = 1000
links.synapse = { generate = { rule = "complete" }, delays = 21, init.weight = { random = "uniform", low = 0, high = 1 } }
phase = [{ callAll = "neuron.move" }, { callAll = "neuron.send" }]
)toml");

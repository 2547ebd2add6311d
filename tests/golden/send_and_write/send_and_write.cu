#include <tessera/model.hpp>

struct Neuron {
    float input = 0, trace = 0;
};
TESSERA_PLACE(Neuron, input, trace);
struct Synapse {
    float weight = 1;
};
TESSERA_LINK(Synapse, from<Neuron>::to<Neuron>, weight);

TESSERA_CALL(Neuron, fire, around<out_links<Synapse>, &Synapse::weight>, adds<out_links<Synapse>, &Neuron::input>, writes<&Neuron::trace>) {
    self.send(out_links<Synapse>, [&](const auto& there) { there.input += there.link.weight; });
    self.trace += 1;
}

TESSERA_MODEL(send_and_write, "writes its own place in a function that sends");
TESSERA_DEFAULTS(R"toml(places.neuron.count = 10
links.synapse.generate = { rule = "random", links = 5 }
run.steps = 1)toml");

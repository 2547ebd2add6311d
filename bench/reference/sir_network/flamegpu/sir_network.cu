// The epidemic of plugins/sir_network for FLAME GPU 2: persons are agents, contacts edges of an environment graph in both directions, and
// who is infected is told by an array of messages, an element a person. Compiled beside FLAME GPU's source (CMakeLists.txt here); prints
// the microseconds of a step, and how many persons are in which state at the end.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include <flamegpu/flamegpu.h>

namespace {
unsigned persons = 1 << 20, degree = 16, steps = 40;
} // namespace

FLAMEGPU_AGENT_FUNCTION(tell, flamegpu::MessageNone, flamegpu::MessageArray) {
    FLAMEGPU->message_out.setVariable<std::uint8_t>("health", FLAMEGPU->getVariable<std::uint8_t>("health"));
    FLAMEGPU->message_out.setIndex(FLAMEGPU->getVariable<unsigned>("number"));
    return flamegpu::ALIVE;
}
FLAMEGPU_AGENT_FUNCTION(live, flamegpu::MessageArray, flamegpu::MessageNone) {
    const auto state = FLAMEGPU->getVariable<std::uint8_t>("health");
    if (state == 1) {
        const unsigned days = FLAMEGPU->getVariable<std::uint16_t>("days") + 1u;
        FLAMEGPU->setVariable<std::uint16_t>("days", static_cast<std::uint16_t>(days));
        if (days >= 5) FLAMEGPU->setVariable<std::uint8_t>("health", 2);
    } else if (state == 0) {
        bool caught = false;
        const auto contacts = FLAMEGPU->environment.getDirectedGraph("contacts");
        for (const auto& contact : contacts.inEdges(FLAMEGPU->getVariable<unsigned>("number")))
            if (FLAMEGPU->message_in.at(contact.getEdgeSource()).getVariable<std::uint8_t>("health") == 1)
                caught |= FLAMEGPU->random.uniform<float>() < contact.getProperty<float>("chance");
        if (caught) FLAMEGPU->setVariable<std::uint8_t>("health", 1);
    }
    return flamegpu::ALIVE;
}

// Ends of links in a random order, joined two by two; links to oneself, and those that are there already, fall away.
FLAMEGPU_INIT_FUNCTION(meet) {
    std::vector<unsigned> ends(static_cast<std::size_t>(persons) * degree);
    for (std::size_t e = 0; e < ends.size(); ++e) ends[e] = static_cast<unsigned>(e / degree);
    std::shuffle(ends.begin(), ends.end(), std::mt19937_64(1));
    std::vector<std::pair<unsigned, unsigned>> links;
    for (std::size_t e = 0; e < ends.size(); e += 2)
        if (ends[e] != ends[e + 1]) links.push_back(std::minmax(ends[e], ends[e + 1]));
    std::sort(links.begin(), links.end());
    links.erase(std::unique(links.begin(), links.end()), links.end());
    auto graph = FLAMEGPU->environment.getDirectedGraph("contacts");
    graph.setVertexCount(persons);
    auto vertices = graph.vertices();
    for (unsigned p = 0; p < persons; ++p) vertices.atIndex(p).setID(p + 1);
    graph.setEdgeCount(static_cast<unsigned>(2 * links.size()));
    auto edges = graph.edges();
    unsigned at = 0;
    for (const auto& [a, b] : links) {
        edges.atIndex(at++).setSourceDestinationVertexID(a + 1, b + 1);
        edges.atIndex(at++).setSourceDestinationVertexID(b + 1, a + 1);
    }
    for (unsigned e = 0; e < at; ++e) edges.atIndex(e).setProperty<float>("chance", 0.1f);
}

int main(int count, const char** arguments) {
    if (count > 1) persons = static_cast<unsigned>(std::atoi(arguments[1]));
    if (count > 2) degree = static_cast<unsigned>(std::atoi(arguments[2]));
    if (count > 3) steps = static_cast<unsigned>(std::atoi(arguments[3]));
    flamegpu::ModelDescription model("epidemic");
    auto graph = model.Environment().newDirectedGraph("contacts");
    graph.newEdgeProperty<float>("chance");
    auto message = model.newMessage<flamegpu::MessageArray>("told");
    message.newVariable<std::uint8_t>("health");
    message.setLength(persons);
    auto person = model.newAgent("person");
    person.newVariable<unsigned>("number");
    person.newVariable<std::uint8_t>("health", 0);
    person.newVariable<std::uint16_t>("days", 0);
    person.newFunction("tell", tell).setMessageOutput("told");
    person.newFunction("live", live).setMessageInput("told");
    model.addInitFunction(meet);
    model.newLayer().addAgentFunction(tell);
    model.newLayer().addAgentFunction(live);

    flamegpu::CUDASimulation simulation(model);
    simulation.SimulationConfig().steps = steps;
    flamegpu::AgentVector all(person, persons);
    std::mt19937 random(1);
    for (unsigned p = 0; p < persons; ++p) {
        all[p].setVariable<unsigned>("number", p);
        if (random() % 1000 == 0) all[p].setVariable<std::uint8_t>("health", 1);
    }
    simulation.setPopulationData(all);
    simulation.simulate();

    auto times = simulation.getElapsedTimeSteps(); // seconds
    double sum = 0;
    for (const double each : times) sum += each;
    std::sort(times.begin(), times.end());
    simulation.getPopulationData(all);
    long long of[3] = {};
    for (unsigned p = 0; p < persons; ++p) ++of[all[p].getVariable<std::uint8_t>("health")];
    std::printf("%.1f us a step, the median; %.1f the mean; %lld susceptible, %lld infected, %lld recovered\n",
                times[times.size() / 2] * 1e6, sum / steps * 1e6, of[0], of[1], of[2]);
}

#include "host/bind/parts.hpp"

namespace tessera {

Agenda agenda_of(const run_file::RunFile& run) {
    Agenda agenda;
    agenda.steps = run.run.steps;
    agenda.stop = run.run.stop;
    agenda.stop_every = *run.run.stop_every;
    if (run.run.out) agenda.out = run.resolve(**run.run.out);
    agenda.outputs = run.outputs;
    agenda.checkpoint = run.run.checkpoint;
    return agenda;
}

Wishes wishes_of(const run_file::RunFile& run) {
    Wishes wishes;
    wishes.devices = run.run.devices;
    wishes.weights = run.run.weights;
    wishes.memory = run.run.memory;
    wishes.transport = run.run.transport;
    wishes.inject_latency = run.run.inject_latency;
    if (run.run.threads) wishes.threads = **run.run.threads;
    wishes.halo = run.schedule.halo;
    for (const auto& places : run.places) wishes.stripes.push_back({places->devices, places->cuts, *places->cuts_measured});
    return wishes;
}

Modes modes_of(const run_file::RunFile& run, Inspection inspection) {
    Modes modes{inspection};
    modes.float_mode = *run.run.float_mode;
    modes.bake = *run.run.bake;
    modes.view = *run.schedule.view;
    modes.exchange = *run.schedule.exchange;
    modes.tune = *run.schedule.tune;
    modes.fused = run.schedule.fused;
    return modes;
}

CollectionStart start_of(const run_file::Places& places) {
    CollectionStart start;
    start.init = places.init;
    return start;
}

CollectionStart start_of(const run_file::Links& links) {
    CollectionStart start;
    start.init = links.init;
    return start;
}

CollectionStart start_of(const run_file::Agents& agents) {
    CollectionStart start;
    start.init = agents.init;
    start.count = agents.count;
    start.place = agents.place;
    start.box = agents.box;
    return start;
}

} // namespace tessera

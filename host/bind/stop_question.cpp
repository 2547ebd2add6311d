#include "host/bind/stop_question.hpp"

#include "host/bind/steps.hpp"
#include "host/setup/asked_stop.hpp"

namespace tessera {

void add_stop_question(Setup& setup) {
    if (!setup.agenda.stop || !obstacle_to_asking_stop(setup).empty()) return;
    run_file::Until question;
    question.condition = *setup.agenda.stop;
    (void)bind_question(setup, question);
}

} // namespace tessera

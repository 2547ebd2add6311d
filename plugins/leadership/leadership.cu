// The leadership model of Aaby, Perumalla and Seal (2010), section 5.2: each person takes the behaviour that it gains most by, given the
// leader's order, what it would rather do itself, what disobeying costs, and the most loyal of its neighbours.
//
// The paper leaves open, and this model says: numbers are float; propensity and first behaviour are -1, 0 or 1 with equal probability and
// the first lambda is uniform in [0, 1), all independent; the neighbours' loyalty is that before the step, 0 without neighbours; lambda is
// updated first; of equally good behaviours the present one stays, else the smallest wins; loyalty is that of the new behaviour.
#include <tessera/model.hpp>

struct Person {
    std::int8_t behaviour = 0, propensity = 0;
    float lambda = 0, loyalty = 0;
};
TESSERA_PLACE(Person, behaviour, propensity, lambda, loyalty);
TESSERA_DOC(Person::behaviour, "what the person does: 1 follows the order, 0 is neutral, -1 is against it");
TESSERA_DOC(Person::lambda, "the weight of loyalty, drawn towards the most loyal neighbour");
TESSERA_PARAM(float, order, 1.0f, range(-1, 1), "what the leader wants");
TESSERA_PARAM(float, force, 0.25f, range(0, 1), "R, how hard disobedience is punished");
TESSERA_PARAM(float, delta, 0.01f, range(0, 1), "the neighbours' share in lambda, a step");
TESSERA_PARAM(float, weight_loyalty, 0.33f, range(0, 1));
TESSERA_PARAM(float, weight_coercion, 0.33f, range(0, 1));
TESSERA_PARAM(float, weight_ideology, 0.34f, range(0, 1));

float loyalty_of(float lambda, float behaviour) { return lambda * abs(order - behaviour) / 2; }

float utility(float lambda, float propensity, float behaviour) {
    const float l = loyalty_of(lambda, behaviour), c = force * abs(order - behaviour) / 2, i = abs(propensity - behaviour) / 2;
    return 1 - weight_loyalty * (l * l) - weight_coercion * (c * c) - weight_ideology * (i * i);
}

TESSERA_INIT(Person, draw, sets<&Person::behaviour, &Person::propensity, &Person::lambda>) {
    self.propensity = static_cast<std::int8_t>(self.random.below(3) - 1);
    self.behaviour = static_cast<std::int8_t>(self.random.below(3) - 1);
    self.lambda = self.random.uniform();
}
TESSERA_INIT(Person, weigh, reads<&Person::behaviour, &Person::lambda>, sets<&Person::loyalty>) {
    self.loyalty = loyalty_of(self.lambda, self.behaviour);
}

TESSERA_CALL(Person, decide, around<moore, &Person::loyalty>, reads<&Person::propensity>,
             writes<&Person::behaviour, &Person::lambda, &Person::loyalty>) {
    float strongest = 0;
    self.each(moore, [&](const auto& neighbour) { strongest = max(strongest, neighbour.loyalty); });
    self.lambda = self.lambda * (1 - delta) + strongest * delta;
    float best = utility(self.lambda, self.propensity, self.behaviour);
    for (int choice = -1; choice <= 1; ++choice) {
        const float gain = utility(self.lambda, self.propensity, choice);
        if (gain > best) self.behaviour = static_cast<std::int8_t>(choice);
        best = max(best, gain);
    }
    self.loyalty = loyalty_of(self.lambda, self.behaviour);
}

TESSERA_MODEL(leadership, "a leader, a population and its loyalty");
TESSERA_DEFAULTS(R"toml(run.steps = 500
places.person = { size = [256, 256], boundary = "open" }
phase = [{ exchangeAll = "person" }, { callAll = "person.decide" }]
output = [{ every = 50, png = "behaviour-{step:06}.png", attribute = "person.behaviour", colours = "coolwarm", low = -1, high = 1 }])toml");

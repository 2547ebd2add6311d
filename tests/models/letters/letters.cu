// Rows, members, parameters and functions of one letter, or called as macros and template parameters are called elsewhere.
#include <tessera/model.hpp>

struct N {
    std::int64_t I = 1, N_ = 0;
    std::int32_t T = 0, View = 0, Bits = 0, Used = 0, Folds = 0, Function = 0, At = 0, Shown = 0;
};
TESSERA_PLACE(N, I, N_, T, View, Bits, Used, Folds, Function, At, Shown);
struct E {
    float N = 0.5f;
};
TESSERA_LINK(E, from<N>::to<N>, N);
struct I {
    std::int32_t N = 1, View = 0;
};
TESSERA_AGENT(I, on<N>, N, View);

struct T {
    std::int32_t N = 0, X = 0, Shown = 0, View = 0, unix = 0, linux = 0, major = 0, minor = 0, INFINITY = 0, I = 0;
};
TESSERA_PLACE(T, N, X, Shown, View, unix, linux, major, minor, INFINITY, I);
struct View {
    std::int32_t N = 0, At = 0;
};
TESSERA_AGENT(View, on<T>, N, At);
TESSERA_PARAM(int, V, 2, range(0, 9), "a factor");

TESSERA_INIT(N, begin, sets<&N::I>) { self.I = self.id + 1; }
TESSERA_CALL(N, O, around<in_links<E>, &N::I, &E::N>, sets<&N::N_, &N::T>) {
    self.N_ = V * self.sum(in_links<E>, [](const auto& o) { return o.I; });
    self.T = static_cast<std::int32_t>(self.sum(in_links<E>, [](const auto& o) { return 2 * o.link.N; }));
}
TESSERA_CALL(N, send, around<out_links<E>>, adds<out_links<E>, &N::Folds, &N::Bits>) {
    self.send(out_links<E>, [](const auto& there) { there.Folds += 1, there.Bits += 2; });
}
TESSERA_CALL(I, go, writes<&I::View>, meets<here, &I::N>, adds<&N::Shown>) {
    self.meet(here, agents<I>, [&](const auto& other) { self.View += other.N; });
    self.place.Shown += 1;
}

TESSERA_INIT(T, begin, sets<&T::N, &T::INFINITY>) { self.N = self.INFINITY = static_cast<std::int32_t>(self.position.x); }
TESSERA_CALL(T, F, around<moore, &T::N>, writes<&T::X, &T::unix, &T::linux, &T::major, &T::minor>, reads<&T::INFINITY>) {
    self.X += self.sum(moore, &T::N) + self.at(east).N;
    self.unix += 1, self.linux += 2, self.major += 3, self.minor += 4 + self.INFINITY;
}
TESSERA_CALL(View, step, around<moore, &T::N>, meets<moore, &View::N>, writes<&View::N, &View::At>, moves<moore>, adds<&T::Shown>) {
    self.place.each(moore, [&](const auto& site) { self.At += site.N; });
    self.meet(moore, agents<View>, [&](const auto& other) { self.At += other.N; });
    self.place.Shown += 1;
    self.migrate(1, 0);
}

TESSERA_MODEL(letters, "short names");
TESSERA_DEFAULTS(R"toml(run.steps = 1
places.n.count = 5
links.e.generate = { rule = "complete" }
agents.i = { place = "each", capacity = 2 }
places.t = { size = [8, 6], boundary = "torus" }
agents.view = { count = 1, capacity = 4 }
phase = [{ callAll = "n.O" }, { callAll = "n.send" }, { callAll = "i.go" }, { exchangeAll = "*" }, { callAll = "t.F" }, { callAll = "view.step" },
         { manageAll = "view" }]
)toml");

// An agent that is followed: the run tells where it is with each frame, and the world moves so that it stays in the middle.
import { $, icon, make } from "./dom.js";
import { named } from "./place.js";

export class Follow {
  asked = null; known = null;

  // told: send(words), follows(an agent or nothing), moved(where it is, or nothing), dead(words).
  constructor(told) { this.told = told; }

  begin(agents) { this.agents = agents, this.asked = this.known = null, this.show(); }
  ask(collection, id) { this.asked = { collection, id }, this.known = null, this.again(), this.show(); }
  // The line is another one.
  again() { if (this.asked) this.told.send({ do: "follow", ...this.asked }); }
  end() {
    if (this.asked) this.told.send({ do: "follow" });
    this.asked = this.known = null, this.told.moved(null), this.show();
  }
  hear(known) {
    if (known.collection !== this.asked?.collection || known.id !== this.asked.id) return;
    if (known.gone) {
      this.told.dead(`${known.collection} ${known.id} is dead`);
      this.asked = null, this.told.moved(null);
    } else this.told.moved(known);
    this.known = known, this.show();
  }

  show() {
    const { asked, known, agents = [] } = this, who = asked ?? known;
    this.told.follows(asked);
    $("followed").hidden = !who;
    if (!who) return $("followed").replaceChildren();
    const colour = agents.find(each => each.name === who.collection)?.colour ?? "";
    const name = make("span", { class: "key" }, make("i", { class: "dot", style: { background: colour } }), make("span", {}, `${asked ? "Following" : "Dead:"} ${who.collection} `, make("small", { text: who.id })));
    const end = make("button", { class: "quiet", "aria-label": "End following", title: "End following  L", click: () => this.end() }, icon("cross"));
    const members = (known?.members ?? []).map(([member, value]) => make("tr", {}, make("th", { scope: "row", text: member }), make("td", {}, make("b", { text: named(agents, who.collection, member, value) }))));
    $("followed").replaceChildren(make("h3", {}, name, end), make("table", {}, ...members));
  }
}

// The place that is inspected: the run tells its members and the agents on it now and after each frame, until that is ended.
import { $, icon, make } from "./dom.js";

export class Place {
  // told: send(words), marked(place or nothing), picked(an agent or nothing), follow(collection, id).
  constructor(told) { this.told = told, this.begin({ agents: [], places: [] }); }

  begin({ agents, places }) { this.agents = agents, this.places = places, this.asked = this.known = null, this.show(); }
  // isDeep: the place has a z.
  ask(asked, isDeep) { this.asked = asked, this.isDeep = isDeep, this.known = null, this.again(), this.show(); }
  // The line is another one.
  again() { if (this.asked) this.told.send({ do: "inspect", ...this.asked }); }
  end() {
    if (this.asked) this.told.send({ do: "inspect" });
    this.asked = this.known = null, this.show();
  }
  hear(known) {
    const { asked } = this;
    if (!asked || known.places !== asked.places || known.x !== asked.x || known.y !== asked.y || (known.z ?? 0) !== asked.z) return;
    this.known = known, this.show();
  }

  show() {
    const { asked, known } = this;
    this.told.picked(asked?.id ? asked : null), this.told.marked(asked);
    if (!asked) return $("place").replaceChildren(make("p", { text: "Click a place to see all its members and the agents on it." }));
    const title = make("h3", {}, make("span", { text: `Place ${asked.x}, ${asked.y}${this.isDeep ? ", " + asked.z : ""}` }),
      make("button", { class: "quiet", "aria-label": "End the inspection", title: "End the inspection  Esc", click: () => this.end() }, icon("cross")));
    $("place").replaceChildren(title, ...(known ? this.facts() : []));
  }
  facts() {
    const { asked, known } = this, row = (first, ...rest) => make("tr", {}, make("th", { scope: "row" }, first), make("td", {}, ...rest));
    const members = known.members.map(([name, value]) => row(`${asked.places}.${name}`, make("b", { text: named(this.places, asked.places, name, value) })));
    const here = known.agents.map(({ collection, id, members: values }) => {
      const colour = this.agents.find(each => each.name === collection)?.colour ?? "";
      const key = make("span", { class: "key" }, make("i", { class: "dot", style: { background: colour } }), make("span", {}, collection + " ", make("small", { text: id })));
      const follow = make("button", { class: "quiet follow", text: "Follow", "aria-label": `Follow ${collection} ${id}`, click: () => this.told.follow(collection, id) });
      return row(key, follow, ...values.map(([name, value]) => make("span", {}, name + " ", make("b", { text: named(this.agents, collection, name, value) }))));
    });
    const more = known.more > 0 ? `and ${known.more} more` : here.length || !this.agents.length ? "" : "nobody is here";
    return [make("table", {}, ...members, ...here), make("p", { text: more })];
  }
}

// The name of a value where it has one, and the value: "burning 2".
export function named(rows, row, member, value) {
  const name = rows.find(each => each.name === row)?.members.find(each => each.name === member)?.values?.find(each => each[0] === value)?.[1];
  return name ? `${name} ${value}` : value;
}

// Which members of places are shown, in which colours, and which agents over them; the legend says what the colours mean.
import { $, knob, make, say, typed } from "./dom.js";
import { bytesToColours, css, gradient, grey, table } from "./colours.js";
import { reductions } from "./frame.js";
import { number } from "./numbers.js";
import { shapeIcon, shapeOf } from "./shapes.js";

export class Layers {
  // told: looked(of other places?) when something else is to be asked for, coloured(), ranged(layer, low, high).
  constructor(told) { this.told = told, this.list = [], this.agents = [], this.axis = 2, this.plane = 0, this.through = ""; }

  // Ends of colours are the same for all pages: one that looks alone leaves them as they are.
  allow(steers) { this.mayRange = steers; }
  begin(about) {
    this.tables = Object.fromEntries(Object.entries(about.colours).map(([name, text]) => [name, table(text)]));
    this.categorical = new Set(about.categorical);
    this.about = about, this.agents = about.agents.map((each, i) => shaded({ ...each, number: i + 1, on: true }));
    this.list = listed(about), this.shown = null, this.choose(this.list.find(each => each.layer === about.layers[0]?.layer) ?? this.list[0] ?? null);
  }
  choose(layer) {
    const isElsewhere = layer?.places !== this.shown?.places;
    this.shown = layer, this.frame = null;
    if (isElsewhere) this.axis = 2, this.through = this.isDeep && !layer?.layer ? "points" : "", this.plane = Math.floor((this.size[2] - 1) / 2);
    if (this.isCategorical && !this.isVolume) this.through = "";
    if (layer?.agents) for (const each of this.agents) if (each.places === layer.places) each.on = layer.agents.includes(each.name);
    this.show(), this.told.looked(isElsewhere), this.told.coloured();
  }
  // The list is made anew: the focus stays where it was.
  chooseBy(box, layer) {
    const hadFocus = document.activeElement === box;
    this.choose(layer);
    if (hadFocus) $(box.id).focus();
  }
  get places() { return this.about?.places.find(each => each.name === this.shown?.places) ?? null; }
  // The axes of the picture, and the one that it looks along; how long they are.
  get axes() { return [[1, 2, 0], [0, 2, 1], [0, 1, 2]][this.axis]; }
  get size() { return this.axes.map(axis => this.places?.size[axis] ?? 1); }
  get isDeep() { return (this.places?.dims ?? 2) > 2; }
  // A place of the picture as one of the grid, and back: nothing if it is in another plane.
  toGrid({ x, y }) {
    const at = [];
    [x, y, this.plane].forEach((value, i) => { at[this.axes[i]] = value; });
    return { x: at[0], y: at[1], z: at[2] };
  }
  toPicture({ x, y, z }) {
    const [px, py, depth] = this.axes.map(axis => [x, y, z][axis]);
    if (this.isVolume) return { x, y, z };
    return this.isDeep && !this.through && depth !== this.plane ? null : { x: px, y: py };
  }
  // All of it, as points from any side.
  get isVolume() { return this.isDeep && isOfVolume(this.through); }
  get isClear() { return this.through === "clear"; }
  get whole() { return this.places?.size ?? [1, 1, 1]; }
  get here() { return this.agents.filter(each => each.places === this.shown?.places); }
  get colours() { return this.tables[this.shown?.colours] ?? grey; }
  get isCategorical() { return this.categorical.has(this.shown?.colours); }
  // The words of "look" that say what is shown.
  get asked() {
    const { layer, places, element, by } = this.shown;
    const { isVolume } = this, shown = this.here.filter(each => each.on);
    return { layer, places, element, by: isVolume ? by : this.through || by, axis: "xyz"[this.axis], plane: this.plane, through: !!this.through && !isVolume, volume: isVolume,
      agents: shown.map(each => each.name),
      shades: shown.filter(each => each.shade).map(({ name: collection, shade: { member, element: of, colours } }) => ({ collection, member, element: of, colours })) };
  }

  show() {
    const rows = [], groups = new Set(this.list.map(each => each.places));
    for (const each of this.list) {
      if (groups.size > 1 && each.places !== rows.places) rows.push(make("li", { class: "group", text: each.places }));
      rows.places = each.places, rows.push(this.layerRow(each));
      const isLast = this.list.findLast(other => other.places === each.places) === each;
      if (isLast && each.places === this.shown.places) rows.push(...this.here.map(agents => this.agentsRow(agents)));
    }
    $("layers").replaceChildren(...rows);
    [...$("layers").querySelectorAll("kbd")].slice(0, 9).forEach((key, i) => { key.textContent = i + 1; });
    say($("shown_layer"), this.shown?.name ?? ""), say($("shown_doc"), this.shown?.doc ?? "");
    this.seen = "", this.showPlane(), this.showLegend(), this.showRange(), this.showShades();
  }
  press(number) { $("layers").querySelectorAll("li > input")[number - 1]?.click(); }

  layerRow(layer) {
    const isShown = layer === this.shown, id = `layer ${layer.places} ${layer.name}`, swatch = square(layer.layer ? this.swatch(layer) : css([32, 32, 32]));
    const box = make("input", { type: "radio", name: "layer", id, checked: isShown, change: () => this.chooseBy(box, layer) });
    const more = isShown && layer.layer ? this.options(layer) : make("small", { text: layer.layer ? layer.colours : "on a plain ground" });
    return make("li", {}, box, swatch, make("div", {}, make("label", { for: id, text: layer.name, title: layer.doc }), more), make("kbd", { "aria-hidden": "true" }));
  }
  swatch(layer) {
    const colours = this.tables[layer.colours] ?? grey;
    if (!this.categorical.has(layer.colours)) return gradient(colours);
    return `conic-gradient(${[0, 1, 2, 3].map(i => `${css(colours[i])} ${i / 4}turn ${(i + 1) / 4}turn`).join()})`;
  }
  agentsRow(agents) {
    const id = "agents " + agents.name;
    const box = make("input", { type: "checkbox", id, checked: agents.on, change: () => { agents.on = box.checked, this.showLegend(), this.told.looked(); } });
    return make("li", {}, box, agents.shade ? square(this.swatch(agents.shade)) : shapeIcon(this.shape(agents), agents.colour),
      make("div", {}, make("label", { for: id, text: agents.name }), this.agentsOptions(agents)), make("kbd", { "aria-hidden": "true" }));
  }
  // By which member agents are coloured, and how.
  agentsOptions(agents) {
    const choices = [["", "one colour"], ...agents.members.flatMap(({ name, elements }) => elements > 1 ? Array.from({ length: Math.min(elements, 8) }, (_, i) => [`${name}[${i}]`, `by ${name}[${i}]`]) : [[name, "by " + name]])];
    const parts = [select(`Colour of ${agents.name}`, choices, agents.shade?.text ?? "", text => { agents.shade = shadeOf(agents, text, this.shown?.colours), this.reshade(); })];
    if (!agents.shade) return make("span", { class: "options" }, ...parts);
    const names = Object.keys(this.tables), key = { layer: `${agents.name}.${agents.shade.member}`, element: agents.shade.element };
    parts.push(select(`Colours of ${agents.name}`, names.map(name => [name, name]), agents.shade.colours, colours => { agents.shade.colours = colours, this.reshade(); }));
    if (this.categorical.has(agents.shade.colours) || !this.mayRange) return make("span", { class: "options" }, ...parts);
    const end = (which, words) => make("input", { class: "end", "data-end": `${agents.name} ${which}`, inputmode: "decimal", "aria-label": `${words} value of the colours of ${agents.name}`, change: () => this.rangeShade(agents, key) });
    const fit = make("button", { class: "quiet fit", "aria-label": `Fit the colours of ${agents.name} to the values`, click: () => this.told.ranged(key) }, "fit");
    return make("div", {}, make("span", { class: "options" }, ...parts), make("span", { class: "options" }, end("low", "Lowest"), make("small", { text: "to" }), end("high", "Highest"), fit));
  }
  rangeShade({ name }, key) {
    const [low, high] = ["low", "high"].map(which => typed(document.querySelector(`[data-end="${name} ${which}"]`)));
    if (low && high && Number(low) < Number(high)) this.told.ranged(key, low, high);
    else this.told.refused("the ends of the colours: the first must be below the second");
    this.showShades();
  }
  reshade() { this.show(), this.told.looked(), this.told.coloured(); }
  // The ends of agents' colours, as the run says them.
  takeShades(list) {
    for (const { collection, low, high } of list) {
      const agents = this.agents.find(each => each.name === collection);
      if (agents?.shade) agents.shade.low = low, agents.shade.high = high;
    }
    this.showShades(), this.showLegend();
  }
  showShades() {
    for (const { name, shade } of this.agents)
      for (const which of shade ? ["low", "high"] : []) {
        const field = document.querySelector(`[data-end="${name} ${which}"]`), text = number(shade[which] ?? NaN);
        if (field && document.activeElement !== field) field.value = shade[which] === undefined ? "" : text, field.style.width = `${Math.max(3, text.length) + 1}ch`;
      }
  }
  // Of each collection 256 colours, or nothing where all are of one.
  get shades() { return this.agents.map(({ shade }) => shade ? bytesToColours(this.tables[shade.colours] ?? grey, this.categorical.has(shade.colours)) : null); }
  // Where agents of several kinds stand on the same places each kind has its shape.
  shape(agents) { return shapeOf(this.agents.filter(each => each.places === agents.places).indexOf(agents)); }
  get shapes() { return this.agents.map(each => this.shape(each)); }

  // Of the layer that is shown: element, colours, and the ends of the colours.
  options(layer) {
    const parts = [];
    if (layer.elements > 1)
      parts.push(select(`Element of ${layer.name}`, Array.from({ length: layer.elements }, (_, i) => [String(i), `[${i}]`]), String(layer.element),
        value => { layer.element = Number(value), this.told.looked(); }));
    if (this.isCategorical) return make("span", { class: "options" }, ...parts, make("small", { text: layer.colours }));
    const names = Object.keys(this.tables).filter(name => !this.categorical.has(name));
    parts.push(select(`Colours of ${layer.name}`, names.map(name => [name, name]), layer.colours, value => { layer.colours = value, this.show(), this.told.coloured(); }));
    const end = name => make("input", { class: "end", id: "range_" + name, inputmode: "decimal", "aria-label": `${name === "low" ? "Lowest" : "Highest"} value of the colours`,
      change: () => this.range() });
    if (this.mayRange) parts.push(end("low"), make("small", { text: "to" }), end("high"),
      make("button", { class: "quiet fit", "aria-label": "Fit the colours to the values", title: "Fit the colours to the values  R", click: () => this.fit() }, "fit"));
    const by = select(`What a pixel of ${layer.name} shows of several places`, reductions.map(name => [name, name]), layer.by, value => { layer.by = value, this.told.looked(); });
    return make("div", {}, make("span", { class: "options" }, ...parts), make("span", { class: "options of" }, "a pixel shows the", by));
  }
  range() {
    const [low, high] = ["range_low", "range_high"].map(id => typed($(id)));
    if (low && high && Number(low) < Number(high)) this.told.ranged(this.shown, low, high);
    else this.told.refused("the ends of the colours: the first must be below the second");
    this.seen = "", this.showRange();
  }
  fit() { if (this.mayRange && this.shown?.layer && !this.isCategorical) this.told.ranged(this.shown); }

  showPlane() {
    const planes = this.size[2], slider = $("plane_at");
    $("plane").hidden = !this.isDeep, slider.disabled = !!this.through;
    slider.max = planes - 1, slider.value = this.plane, slider.style.setProperty("--at", knob(this.plane / Math.max(1, planes - 1)));
    $("axis").value = String(this.axis), $("through").value = this.through;
    document.body.toggleAttribute("data-volume", this.isVolume);
    $("axis").disabled = this.isVolume, $("plane_at").hidden = this.isVolume;
    say($("plane_told"), this.isVolume ? "drag to turn" : this.through ? `all ${planes}` : `${this.plane} of ${planes}`);
  }
  setPlane(plane) {
    const next = Math.max(0, Math.min(this.size[2] - 1, plane));
    if (next !== this.plane) this.plane = next, this.showPlane(), this.told.looked();
  }
  // Across which axis the plane lies: its middle.
  setAxis(axis) {
    if (!this.isDeep || this.isVolume) return;
    this.axis = axis, this.plane = Math.floor((this.size[2] - 1) / 2), this.showPlane(), this.told.looked(true);
  }
  // The planes at once: "mean", "largest" or "smallest"; "points", as points; "clear", through which one sees; or "": one of them. Numbers of
  // categories have no mean.
  setThrough(by) {
    if (!this.isDeep || (this.isCategorical && !isOfVolume(by))) by = "";
    const wasVolume = this.isVolume;
    this.through = by;
    if (this.isVolume) this.axis = 2;
    this.showPlane(), this.told.looked(wasVolume !== this.isVolume);
  }
  nextThrough() { this.setThrough({ "": this.isCategorical ? "points" : "mean", mean: "largest", largest: "points", points: "clear" }[this.through] ?? ""); }

  // How many pixels agents in space have along a place, so that they are some pixels of the screen wide.
  fine(camera) {
    const isInSpace = this.here.some(each => each.on && each.in_space), wide = camera.zoom / camera.ratio / 3;
    return isInSpace ? [16, 8, 4, 2].find(each => each <= wide) ?? 1 : 1;
  }

  // A frame says where the colours end.
  take(frame) { this.frame = frame, this.showRange(); }
  showRange() {
    const { frame } = this;
    if (!frame?.places && !frame?.isVolume) return;
    const seen = this.isCategorical ? kinds(shadesOf(frame)).join() : `${frame.low} ${frame.high}`;
    if (seen === this.seen) return;
    this.seen = seen, this.showLegend();
    for (const end of ["low", "high"]) {
      const field = $("range_" + end), text = number(frame[end]);
      if (field && document.activeElement !== field) field.value = text, field.style.width = `${Math.max(3, text.length) + 1}ch`;
    }
  }
  showLegend() {
    const parts = [];
    if (this.shown?.layer && (this.frame?.places || this.frame?.isVolume)) {
      const bar = make("i", { class: "bar", style: { background: gradient(this.colours) } });
      const name = make("b", { text: this.shown.name });
      if (this.shown.values) parts.push(make("span", {}, name, ...this.named()));
      else parts.push(this.isCategorical ? make("span", {}, name, ...this.categories()) : make("span", {}, name, number(this.frame.low), bar, number(this.frame.high)));
    }
    for (const agents of this.here.filter(each => each.on)) parts.push(this.agentsLegend(agents));
    $("legend").replaceChildren(...parts);
  }
  agentsLegend(agents) {
    const { name, shade } = agents, label = make("b", { text: shade ? `${name} ${shade.text}` : name }), icon = colour => shapeIcon(this.shape(agents), colour);
    if (!shade) return make("span", {}, icon(agents.colour), label);
    const colours = this.tables[shade.colours] ?? grey, isCategorical = this.categorical.has(shade.colours);
    const at = value => css(colours[isCategorical ? Math.abs(value) % 256 : shareOf(value, shade)]);
    if (shade.values) return make("span", {}, label, ...shade.values.slice(0, 12).map(([value, text]) => make("span", {}, icon(at(Number(value))), text)));
    if (isCategorical) return make("span", {}, label, "a colour each value");
    return make("span", {}, label, number(shade.low ?? 0), make("i", { class: "bar", style: { background: gradient(colours) } }), number(shade.high ?? 1));
  }
  // The colour of a value, by the ends of the colours as they are shown.
  colourOf(value) {
    if (this.isCategorical) return css(this.colours[Math.abs(Math.round(value)) % 256]);
    return css(this.colours[shareOf(value, this.frame ?? { low: 0, high: 1 })]);
  }
  named() { return this.shown.values.slice(0, 12).map(([value, name]) => make("span", {}, square(this.colourOf(Number(value))), name)); }
  categories() {
    return kinds(shadesOf(this.frame)).slice(0, 10).map(byte => make("span", {}, square(css(this.colours[byte])), String(byte)));
  }
}

const isOfVolume = through => through === "points" || through === "clear";
// Of each places the layers that the run begins with, then every other member, then their agents alone.
function listed(about) {
  const isPlain = name => !about.categorical.includes(name), colours = isPlain("viridis") && about.colours.viridis ? "viridis" : Object.keys(about.colours).find(isPlain);
  return about.places.flatMap(({ name: places, members }) => {
    const first = about.layers.filter(each => each.layer.startsWith(places + "."));
    const rest = members.map(({ name }) => ({ layer: `${places}.${name}`, colours })).filter(each => !first.some(({ layer }) => layer === each.layer));
    const alone = { layer: "", places, name: "agents alone", element: 0, elements: 1, type: "", doc: "" };
    return [...[...first, ...rest].map(each => known(places, members, each)).filter(Boolean), ...(about.agents.some(each => each.places === places) ? [alone] : [])];
  });
}
function known(places, members, layer) {
  const member = members.find(each => `${places}.${each.name}` === layer.layer);
  return member && { elements: 1, doc: "", ...member, ...layer, places, name: layer.layer, element: 0, by: "mean" };
}

// As the run file draws them, to begin with.
function shaded(agents) { return { ...agents, shade: agents.shade ? shadeOf(agents, agents.shade) : null }; }
// "energy", "flow[1]" to what is asked for; "": one colour.
function shadeOf(agents, text, below) {
  const [, name, element] = /^([^[]*)(?:\[(\d+)\])?$/.exec(text), member = agents.members.find(each => each.name === name);
  const usual = agents.colours?.[name] ?? "viridis"; // seen on the places' colours below
  return member ? { text, member: name, element: Number(element ?? 0), values: member.values, type: member.type, colours: usual === below && usual === "viridis" ? "inferno" : usual } : null;
}
const shareOf = (value, { low = 0, high = 1 }) => Math.round(Math.max(0, Math.min(1, high > low ? (value - low) / (high - low) : 0)) * 255);
// The bytes of a frame's places.
const shadesOf = ({ places, points }) => places ?? points.shades.filter((_, i) => points.numbers[i] === 0);

function kinds(bytes) {
  const seen = new Uint8Array(256), stride = Math.max(1, bytes.length >> 18);
  for (let i = 0; i < bytes.length; i += stride) seen[bytes[i]] = 1;
  return [...seen.keys()].filter(byte => byte < 255 && seen[byte]);
}

const square = background => make("i", { class: "sq", style: { background } });
function select(label, choices, now, chosen) {
  const list = make("select", { "aria-label": label, change: () => chosen(list.value) },
    ...choices.map(([value, text]) => make("option", { value, text, selected: value === now })));
  return list;
}

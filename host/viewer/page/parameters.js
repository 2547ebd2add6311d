// Parameters: sliders (logarithmic over three decades), switches, fields. What differs from the default is marked, with a way back.
import { $, atMostEvery, knob, make, say, typed } from "./dom.js";
import { number, whole } from "./numbers.js";

const wholes = { i8: 1, u8: 1, i16: 1, u16: 1, i32: 1, u32: 1, i64: 1, u64: 1 };

class Parameter {
  // steer: send(name, value), tell(words), changed().
  constructor(about, at, steer) {
    Object.assign(this, about), this.id = `parameter${at}`, this.steer = steer;
    this.isBool = this.type === "bool", this.isWhole = this.type in wholes;
    const low = Number(this.low), high = Number(this.high);
    this.isLog = low > 0 && high / low >= 1000;
    this.hasRange = this.low !== undefined && this.high !== undefined && high > low;
    this.hasSlider = this.hasRange && !(low > 0 && high / low > 1e6);
    this.asked = null, this.touched = 0; // what somebody wants and the run has not said yet
    this.send = atMostEvery(100, () => steer.send(this.name, this.asked ?? this.value));
    this.build(), this.show();
  }

  build() {
    const row = this.row = make("div", { class: "param", title: this.doc });
    const label = make("label", { for: this.id, text: this.name, title: this.name });
    const note = this.takes === "compiles" ? make("span", { class: "note", text: "compiles first" }) : null;
    if (this.isBool) {
      this.field = make("input", { type: "checkbox", role: "switch", class: "switch", id: this.id, change: () => this.set(String(this.field.checked)) });
      this.back = this.backButton();
      return row.append(make("div", {}, label, note, this.back, this.field));
    }
    this.field = make("input", { class: this.hasSlider ? "value" : "value long", id: this.id, inputmode: this.isWhole ? "numeric" : "decimal", spellcheck: "false", "aria-description": this.doc,
      input: () => { this.isTyped = true; }, change: () => this.typed(), keydown: event => this.fieldKey(event) });
    this.back = this.backButton();
    row.append(make("div", {}, label, note, this.back, this.field));
    if (this.hasSlider) this.buildSlider();
  }
  fieldKey(event) {
    if (event.key !== "Escape") return;
    this.isTyped = false, this.show(), this.field.blur();
  }
  backButton() {
    const text = `back to ${this.words(this.default)}`;
    return make("button", { class: "quiet back", text, "aria-label": `${this.name}: ${text}`, click: () => this.set(this.default) });
  }
  buildSlider() {
    this.slider = make("input", { type: "range", min: 0, max: 1, step: "any", "aria-label": this.name,
      input: () => this.set(this.valueAt(this.slider.valueAsNumber)), keydown: event => this.key(event) });
    const tick = make("i", { style: { left: knob(this.share(this.default)) } });
    this.row.append(this.slider, make("div", { class: "ends" }, make("span", { text: this.words(this.low) }), tick, make("span", { text: this.words(this.high) })));
  }
  // A small step of a slider changes a whole number by one at least.
  key(event) {
    const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const now = Number(this.now), next = this.valueAt(Math.max(0, Math.min(1, this.share(this.now) + by * 0.01)));
    const moved = this.isWhole && Math.abs(Number(next) - now) < 1 ? String(Math.max(Number(this.low), Math.min(Number(this.high), now + by))) : next;
    this.set(moved);
  }

  get now() { return this.asked ?? this.value; }
  get isChanged() { return !this.same(this.now, this.default); }
  same(a, b) {
    if (this.isBool || a === b) return a === b;
    if (this.isWhole) return a !== "" && b !== "" && BigInt(a) === BigInt(b);
    return Math.abs(Number(a) - Number(b)) <= 1e-6 * Math.abs(Number(b)); // 0.1 is not quite 0.1 in 32 bits
  }
  share(value) {
    const low = Number(this.low), high = Number(this.high), at = Number(value);
    const share = this.isLog ? Math.log(at / low) / Math.log(high / low) : (at - low) / (high - low);
    return Math.max(0, Math.min(1, Number.isFinite(share) ? share : 0));
  }
  valueAt(share) {
    const low = Number(this.low), high = Number(this.high);
    if (share <= 0) return this.low;
    if (share >= 1) return this.high;
    const value = this.isLog ? low * (high / low) ** share : low + (high - low) * share;
    if (this.isWhole) return BigInt(Math.round(value)).toString();
    const fine = this.isLog ? value : Math.round(value / step(high - low)) * step(high - low);
    return String(+fine.toPrecision(this.isLog ? 3 : 6));
  }
  words(text) {
    if (this.isBool) return text;
    if (this.isWhole) return whole(text);
    return number(Number(text), this.type === "f32" ? 7 : 15);
  }

  typed() {
    this.isTyped = false;
    const text = typed(this.field), value = Number(text);
    const fits = text !== "" && (this.isWhole ? /^-?\d+$/.test(text) : Number.isFinite(value));
    if (!fits) return this.steer.tell(`${this.name}: ${this.isWhole ? "a whole number" : "a number"} is needed`), this.show();
    if (this.hasRange && (value < Number(this.low) || value > Number(this.high)))
      return this.steer.tell(`${this.name}: from ${this.words(this.low)} to ${this.words(this.high)}`), this.show();
    this.set(text);
  }
  set(value) {
    if (this.same(value, this.now)) return this.show();
    this.asked = value, this.touched = performance.now();
    this.show(), this.steer.changed(), this.send();
    setTimeout(() => this.show(), 1500);
  }
  // The run says which value it has. One of before the last that was asked for does not move the slider under the hand.
  taken(value) {
    this.value = value;
    if (this.asked !== null && (this.same(value, this.asked) || performance.now() - this.touched > 1000)) this.asked = null;
    this.show();
  }

  show() {
    const isLate = this.asked !== null && performance.now() - this.touched > 1400;
    this.row.classList.toggle("changed", this.isChanged);
    this.row.classList.toggle("late", isLate);
    if (this.isBool) return this.field.checked = this.now === "true";
    if (!this.isTyped) this.field.value = this.words(this.now);
    if (!this.slider) return;
    const share = this.share(this.now);
    this.slider.value = share, this.slider.style.setProperty("--at", knob(share));
    this.slider.setAttribute("aria-valuetext", this.words(this.now));
  }
}

// A step of a slider: a hundredth to a thousandth of its range, a round number.
const step = range => 10 ** Math.floor(Math.log10(range / 100 + 1e-300));

export class Parameters {
  constructor(steer) { this.steer = steer, this.list = []; }

  begin(about) {
    this.list = about.map((each, i) => new Parameter(each, i, { ...this.steer, changed: () => this.changed() }));
    $("parameters").replaceChildren(...(this.list.length ? this.list.map(each => each.row) : [make("p", { class: "none", text: "The model has no parameters." })]));
    $("parameters_note").hidden = !this.list.some(each => each.takes === "compiles");
    this.changed();
  }
  taken(name, value) {
    this.list.find(each => each.name === name)?.taken(value), this.changed();
  }
  // After a line that was lost, or a set up: what was asked for before may not be taken.
  settle(about) {
    for (const { name, value } of about) {
      const known = this.list.find(each => each.name === name);
      known.asked = null, known.taken(value);
    }
    this.changed();
  }
  reset() { for (const each of this.list) if (each.isChanged) each.set(each.default); }
  changed() {
    const many = this.list.filter(each => each.isChanged).length;
    $("reset").hidden = !many, say($("reset"), many > 1 ? `reset ${many}` : "reset");
  }
}

// Curves over the steps, each named at its end, on a canvas; a step to read values at, which all plots have in common.
import { make } from "./dom.js";
import { number, short, ticks, whole } from "./numbers.js";
import { readable } from "./colours.js";

const top = 8, bottom = 20;

export class Plots {
  constructor(into) {
    this.into = into, this.plots = [], this.reading = null, this.asked = false;
    this.watch = new ResizeObserver(() => this.draw());
  }

  // Plots by the names that curves give, in the order in which they come first.
  begin(series) {
    const names = [...new Set(series.curves.map(curve => curve.plot).filter(Boolean))];
    this.watch.disconnect(), this.reading = null;
    this.plots = names.map((name, i) => new Plot(this, name, series, i));
    this.into.replaceChildren(...this.plots.map(plot => plot.root));
    for (const plot of this.plots) this.watch.observe(plot.canvas);
  }
  read(step) { this.reading = step, this.draw(); }
  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false, this.drawAll(); });
  }
  // All with the same edges: a step stands at the same place in each.
  drawAll() {
    const seen = this.plots.filter(plot => plot.begin()), left = Math.max(...seen.map(plot => plot.left)), right = Math.max(...seen.map(plot => plot.right));
    for (const plot of seen) plot.draw(left, right);
  }
}

class Plot {
  constructor(all, name, series, number_) {
    const lines = series.curves.map((curve, at) => ({ ...curve, at })).filter(curve => curve.plot === name);
    Object.assign(this, { all, name, series, lines, tall: number_ === 0 ? 212 : lines.length > 1 ? 168 : 116 });
    this.told = make("output");
    this.canvas = make("canvas", { tabindex: 0, role: "img", "aria-label": `${name} over the steps. Left and right read values.`,
      pointermove: event => this.readAt(event.offsetX), pointerleave: () => all.read(null), blur: () => all.read(null), keydown: event => this.key(event) });
    this.canvas.style.height = this.tall + "px";
    this.root = make("figure", { class: "plot" }, make("h3", {}, make("span", { text: name }), this.told), this.canvas);
  }

  readAt(px) {
    const { steps, count } = this.series, share = Math.max(0, Math.min(1, (px - this.left) / this.inner));
    if (count) this.all.read(steps[this.series.nearest(steps[0] + share * (steps[count - 1] - steps[0]))]);
  }
  key(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key], { series } = this;
    if (!by || !series.count) return;
    event.preventDefault(), event.stopPropagation();
    const at = this.all.reading === null ? series.count - 1 : series.nearest(this.all.reading);
    this.all.read(series.steps[Math.max(0, Math.min(series.count - 1, at + by * Math.ceil(series.count / 60)))]);
  }

  // Measures; false where there is no room at all.
  begin() {
    const { canvas } = this, ratio = devicePixelRatio || 1, width = Math.round(canvas.clientWidth * ratio), height = Math.round(this.tall * ratio);
    if (!width) return false;
    if (canvas.width !== width || canvas.height !== height) canvas.width = width, canvas.height = height;
    const to = this.to = canvas.getContext("2d"), style = this.style = getComputedStyle(canvas);
    to.setTransform(ratio, 0, 0, ratio, 0, 0), this.wide = canvas.clientWidth;
    this.colours = this.lines.map(line => readable(line.colour, line.at, style));
    this.layOut();
    return true;
  }
  draw(left, right) {
    const { series } = this;
    this.left = left, this.inner = Math.max(60, this.wide - left - right);
    this.to.clearRect(0, 0, this.wide, this.tall), this.drawRules();
    if (series.count) this.drawLines(), this.drawNames(), this.drawReading();
    else this.told.replaceChildren();
  }
  ink(name) { return this.style.getPropertyValue("--" + name); }
  write(text, x, y, align, colour, weight = 400) {
    const { to } = this;
    to.font = `${weight} 11px ${this.style.fontFamily}`, to.textAlign = align, to.fillStyle = colour, to.fillText(text, x, y);
  }

  layOut() {
    const { series } = this, [low, high] = this.ends();
    this.right = Math.min(96, Math.ceil(Math.max(...this.lines.map(line => this.width(line.name, 600))))) + 12;
    this.rules = ticks(low, high, this.tall > 150 ? 4 : 2);
    this.low = Math.min(low, this.rules.found[0] ?? low), this.high = Math.max(high, this.rules.found.at(-1) ?? high);
    this.left = Math.ceil(Math.max(16, ...this.rules.found.map(value => this.width(short(value), 400)))) + 8, this.deep = this.tall - top - bottom;
    this.first = series.steps[0] ?? 0, this.last = Math.max(this.first + 1, series.steps[series.count - 1] ?? 0);
  }
  width(text, weight) {
    this.to.font = `${weight} 11px ${this.style.fontFamily}`;
    return this.to.measureText(text).width;
  }
  // From nothing on, but where all values are far from it.
  ends() {
    let low = Infinity, high = -Infinity;
    for (const { at } of this.lines) {
      const bin = this.series.bins[at];
      for (let i = 0; i < this.series.count; i++) {
        if (bin.low[i] < low && bin.low[i] !== -Infinity) low = bin.low[i];
        if (bin.high[i] > high && bin.high[i] !== Infinity) high = bin.high[i];
      }
    }
    if (low > high) return [0, 1];
    if (low > 0 && low < 0.75 * high) low = 0;
    if (high < 0 && high > 0.75 * low) high = 0;
    const apart = high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)); // else by how they were rounded
    return !apart ? (low === 0 ? [0, 1] : [Math.min(0, low), Math.max(0, high)]) : [low, high + (high - low) * 0.02];
  }
  x(step) { return this.left + this.inner * (step - this.first) / (this.last - this.first); }
  y(value) { return top + this.deep * (1 - (value - this.low) / (this.high - this.low)); }

  drawRules() {
    const { to, left, inner } = this;
    to.lineWidth = 1, to.strokeStyle = this.ink("line"), to.beginPath();
    for (const value of this.rules.found) {
      const y = Math.round(this.y(value)) + 0.5;
      to.moveTo(left, y), to.lineTo(left + inner, y), this.write(short(value), left - 7, y + 3.5, "right", this.ink("soft"));
    }
    to.stroke();
    for (const step of ticks(this.first, this.last, inner > 160 ? 4 : 2).found)
      if (Number.isInteger(step)) this.write(short(step), this.x(step), this.tall - 5, "center", this.ink("soft"));
  }
  drawLines() {
    const { to, series } = this;
    to.lineWidth = 1.6, to.lineJoin = "round";
    this.lines.forEach(({ at }, i) => {
      const { low, high, last } = series.bins[at];
      to.strokeStyle = this.colours[i], to.beginPath();
      let drawn = false;
      for (let j = 0; j < series.count; j++) {
        const x = this.x(series.steps[j]);
        if (!Number.isFinite(last[j])) { drawn = false; continue; }
        drawn ? to.lineTo(x, this.y(last[j])) : to.moveTo(x, this.y(last[j]));
        if (low[j] < high[j]) to.moveTo(x, this.y(low[j])), to.lineTo(x, this.y(high[j])), to.moveTo(x, this.y(last[j]));
        drawn = true;
      }
      to.stroke();
    });
  }
  // Names at the ends, pushed apart; those that find no room are left out.
  drawNames() {
    const { series } = this, x = this.left + this.inner, ends = [];
    this.lines.forEach(({ name, at }, i) => {
      const value = series.bins[at].last[series.count - 1];
      if (!Number.isFinite(value)) return;
      this.dot(x, this.y(value), 2.5, this.colours[i]), ends.push({ name, colour: this.colours[i], y: this.y(value) });
    });
    let floor = this.tall - bottom + 4;
    for (const end of ends.sort((a, b) => b.y - a.y)) {
      const y = Math.min(end.y, floor);
      if (y >= top - 2) this.write(this.cut(end.name, 92), x + 8, y + 4, "left", end.colour, 600);
      floor = y - 13;
    }
  }
  cut(name, room) {
    let kept = name;
    while (kept !== "…" && this.width(kept, 600) > room) kept = kept.replace(/.…?$/u, "…");
    return kept;
  }
  dot(x, y, radius, colour) {
    const { to } = this;
    to.beginPath(), to.arc(x, y, radius, 0, 7), to.fillStyle = colour, to.fill();
  }

  drawReading() {
    const { to, series } = this;
    if (this.all.reading === null) return this.told.replaceChildren();
    const at = series.nearest(this.all.reading), x = this.x(series.steps[at]);
    to.lineWidth = 1, to.strokeStyle = this.ink("edge"), to.beginPath(), to.moveTo(x, top), to.lineTo(x, top + this.deep), to.stroke();
    const said = [make("span", { text: "step " + whole(series.steps[at]) })];
    this.lines.forEach((line, i) => {
      const value = series.bins[line.at].last[at], told = make("b", { text: number(value), title: line.name });
      if (Number.isFinite(value)) this.dot(x, this.y(value), 5, this.ink("page")), this.dot(x, this.y(value), 3.5, this.colours[i]);
      told.style.color = this.colours[i], said.push(told);
    });
    this.told.replaceChildren(...said);
  }
}

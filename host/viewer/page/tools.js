// What the mouse does in the world: looks, or paints with a brush, a box or a fill. What is painted shows at once; the run has it when it says so.
import { $, all, knob, make, say, typed } from "./dom.js";

const most_points = 2000;

export class Tools {
  tool = "look"; size = 5; values = {}; stroke = null; sent = null; steers = false;

  // told: send(words), refused(words), asked() to draw; layers: what is shown.
  constructor(layers, told) {
    Object.assign(this, { layers, told });
    $("brush_size").addEventListener("input", () => this.setSize($("brush_size").valueAsNumber));
  }

  // Of three dimensions planes across z alone.
  get isPainting() { return this.tool !== "look" && this.steers && !!this.layers.shown?.layer && this.layers.axis === 2 && !this.layers.through; }
  choose(tool) { this.tool = tool, this.stroke = null, this.show(), this.told.asked(); }
  setSize(size) { this.size = Math.max(1, Math.min(51, size)), this.show(), this.told.asked(); }

  // The value that is painted: a text, of each layer the last that was chosen.
  get value() {
    const { shown } = this.layers;
    return this.values[shown.layer] ?? shown.values?.at(-1)[0] ?? (shown.type === "bool" ? "true" : "1");
  }
  set value(text) { this.values[this.layers.shown.layer] = text, this.show(); }

  show() {
    const { shown } = this.layers, isPainting = this.tool !== "look" && !!shown?.layer;
    for (const button of all("[data-tool]")) button.setAttribute("aria-pressed", button.dataset.tool === this.tool);
    $("shown").hidden = isPainting, $("palette").hidden = !isPainting, $("brush").hidden = this.tool !== "brush";
    $("brush_size").value = this.size, $("brush_size").style.setProperty("--at", knob((this.size - 1) / 50)), say($("brush_told"), String(this.size));
    if (isPainting) this.showValues(shown);
  }
  showValues(shown) {
    const named = shown.values ?? (shown.type === "bool" ? [["false", "false"], ["true", "true"]] : []);
    const key = `${shown.layer} ${named.length} ${this.value}`;
    if (key === this.shownValues) return;
    this.shownValues = key;
    if (!named.length) {
      const field = make("input", { id: "paint_value", value: this.value, inputmode: "decimal", "aria-label": `Value of ${shown.name} to paint`, change: () => this.typed(field) });
      return $("values").replaceChildren(this.swatch(), field);
    }
    $("values").replaceChildren(...named.map(([value, name]) => make("button", { class: "quiet", "aria-pressed": String(value === this.value), click: () => { this.value = value; } }, this.swatch(value), name)));
  }
  typed(field) {
    const text = typed(field), isWhole = /^[iu]/.test(this.layers.shown.type);
    if (isWhole ? /^-?\d+$/.test(text) : text !== "" && Number.isFinite(Number(text))) this.value = text;
    else this.told.refused(`the value to paint: ${isWhole ? "a whole number" : "a number"} is needed`), field.value = this.value;
  }
  swatch(value) { return make("i", { class: "sq", style: { background: this.colour(value) } }); }
  colour(value = this.value) {
    return this.layers.colourOf(value === "true" ? 1 : Number(value));
  }

  // A stroke, from where the pointer goes down to where it goes up. Places beyond the grid are left out.
  down(place) {
    this.sent = null, this.stroke = { shape: this.tool, size: this.size, path: [], places: new Set() };
    this.move(place);
  }
  move(place) {
    const { stroke } = this;
    if (!stroke || !place) return;
    const { path, shape } = stroke, last = path.at(-1);
    if (last && last[0] === place.x && last[1] === place.y) return;
    if (shape === "box" && path.length === 2) path.pop();
    if (shape === "fill" && path.length) return;
    path.push([place.x, place.y]);
    if (shape === "brush") stamps(stroke, last ?? path[0], path.at(-1), this.layers.places.size);
    if (path.length >= most_points) this.up(), this.down(place);
    this.told.asked();
  }
  up() {
    const { stroke } = this, { layer, element } = this.layers.shown;
    this.stroke = null;
    if (!stroke?.path.length) return;
    const path = stroke.shape === "box" ? [stroke.path[0], stroke.path.at(-1)] : stroke.path;
    this.sent = { ...stroke, colour: this.colour() };
    this.told.send({ do: "paint", layer, element, plane: this.layers.plane, shape: stroke.shape, size: stroke.size, path, value: this.value });
  }
  cancel() { this.stroke = null, this.told.asked(); }
  // The run has taken it, or not: its frames show what is there.
  settle() { this.sent = null, this.told.asked(); }
  here(place) { if (this.isPainting && place) this.down(place), this.up(); }

  // What is painted and not yet in a frame; and the brush where the pointer is.
  draw(to, camera, under) {
    for (const each of [this.sent, this.stroke])
      if (each) to.fillStyle = each.colour ?? this.colour(), each.shape === "box" ? fillBox(to, camera, each.path) : fillPlaces(to, camera, each.places);
    if (under && this.isPainting) this.outline(to, camera, under);
  }
  outline(to, camera, { x, y }) {
    const one = camera.zoom, across = (this.tool === "brush" ? this.size : 1) * one, cx = Math.round(camera.x) + (x + 0.5) * one, cy = Math.round(camera.y) + (y + 0.5) * one;
    for (const [width, colour] of [[4, "#000a"], [2, "#fff"]]) {
      to.lineWidth = width * camera.ratio, to.strokeStyle = colour, to.beginPath();
      if (this.tool === "brush" && this.size > 1) to.arc(cx, cy, Math.max(across / 2, 3 * camera.ratio), 0, 7);
      else to.rect(cx - Math.max(across / 2, 3 * camera.ratio), cy - Math.max(across / 2, 3 * camera.ratio), Math.max(across, 6 * camera.ratio), Math.max(across, 6 * camera.ratio));
      to.stroke();
    }
  }
}

// The places of a round brush all the way from one place to the next, as the run paints them.
function stamps({ size, places }, from, to, [nx, ny]) {
  const most = Math.floor(size / 2), dx = to[0] - from[0], dy = to[1] - from[1], steps = Math.max(1, Math.abs(dx), Math.abs(dy));
  for (let s = 0; s <= steps; s++) {
    const cx = from[0] + Math.floor(dx * s / steps + 0.5), cy = from[1] + Math.floor(dy * s / steps + 0.5);
    for (let y = -most; y <= most; y++)
      for (let x = -most; x <= most; x++)
        if (4 * (x * x + y * y) <= size * size && cx + x >= 0 && cy + y >= 0 && cx + x < nx && cy + y < ny) places.add((cy + y) * nx + cx + x);
  }
  places.width = nx;
}
function fillPlaces(to, camera, places) {
  const size = Math.max(1, Math.ceil(camera.zoom));
  for (const at of places)
    to.fillRect(Math.floor(Math.round(camera.x) + at % places.width * camera.zoom), Math.floor(Math.round(camera.y) + Math.floor(at / places.width) * camera.zoom), size, size);
}
function fillBox(to, camera, [a, b = a]) {
  const [x, y] = [0, 1].map(axis => Math.min(a[axis], b[axis])), [width, height] = [0, 1].map(axis => Math.abs(a[axis] - b[axis]) + 1);
  to.fillRect(Math.round(camera.x) + x * camera.zoom, Math.round(camera.y) + y * camera.zoom, width * camera.zoom, height * camera.zoom);
}

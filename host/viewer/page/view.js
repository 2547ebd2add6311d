// The world: the newest frame on a canvas, where the camera has it; rings over it; fingers, mouse and wheel.
import { Camera } from "./camera.js";
import { bytesToColours, grey, parse, word } from "./colours.js";
import { deepDots, flatDots } from "./dots.js";
import { agentAt, pixelAt } from "./frame.js";
import { Orbit } from "./orbit.js";
import { PaintCanvas } from "./paint_canvas.js";
import { PaintGl } from "./paint_gl.js";

const grounds = [[32, 32, 32], [236, 236, 231]]; // under agents alone, by the page's light and dark the same: what dark agents stand on is light

export class View {
  camera = new Camera(); orbit = new Orbit(); isVolume = false; dots = null; frame = null; marked = null; painter = null; followed = null; under = null; pointer = null; waiting = []; asked = false;
  since = 0; // the first look whose frames are drawn: those before are of something else
  palette = this.next = bytesToColours(grey, false); kinds = new Uint32Array(256); shapes = []; inSpace = []; ground = grounds[0];

  // told: drawn(numbers of the frames), moved(), hover(place), inspect(place).
  constructor(picture, over, told) {
    Object.assign(this, { picture, over, told });
    try { this.paint = PaintGl.on(picture); } catch (error) { console.warn(error); }
    if (!this.paint) this.paint = new PaintCanvas(this.fresh());
    this.paint.restored = () => this.ask();
    new ResizeObserver(() => this.resize()).observe(over);
    document.addEventListener("visibilitychange", () => this.ask());
    listen(this);
  }
  // A canvas that was tried with WebGL gives no other context.
  fresh() {
    const other = this.picture.cloneNode();
    this.picture.replaceWith(other), this.picture = other;
    return other;
  }

  resize() {
    const ratio = devicePixelRatio || 1, width = Math.round(this.over.clientWidth * ratio), height = Math.round(this.over.clientHeight * ratio);
    for (const canvas of [this.picture, this.over])
      if (canvas.width !== width || canvas.height !== height) canvas.width = width, canvas.height = height;
    this.camera.resize(width, height, ratio), this.orbit.resize(width, height, ratio), this.draw(), this.moved();
  }
  // Until a frame comes of what is looked at now, the last one keeps its colours.
  colour(colours, categorical) {
    this.next = bytesToColours(colours, categorical);
    if (!this.frame || this.frame.look >= this.since) this.palette = this.next, this.ask();
  }
  // Each collection by its number: 256 colours, one of which a member chooses where `tables` has some; else all are the same.
  colourAgents(agents, tables, shapes) {
    this.kinds = new Uint32Array(256 * (agents.length + 1));
    this.ground = grounds[+agents.some((each, i) => !tables[i] && Math.max(...parse(each.colour) ?? [255]) < 64)];
    this.shapes = [2, ...shapes], this.inSpace = [false, ...agents.map(each => each.in_space)];
    agents.forEach((each, i) => { this.kinds.set(tables[i] ?? new Uint32Array(256).fill(word(parse(each.colour) ?? [255, 255, 255])), 256 * (i + 1)); });
    this.ask();
  }

  // Whether it is one of what is looked at now.
  show(frame) {
    const isNow = frame.look >= this.since;
    if (isNow) this.frame = frame, this.palette = this.next;
    this.waiting.push(frame.number), this.ask();
    return isNow;
  }
  forget() { this.frame = this.marked = this.under = this.dots = null, this.ask(); }
  // What is looked at: a picture along two axes of a grid, or all of it from any side.
  grid(size, axes, isVolume, whole, isClear) {
    this.isVolume = isVolume, this.isClear = isClear, this.camera.axes = axes, this.orbit.grid(whole), this.camera.grid(size[0], size[1]);
  }
  // Draws when the screen is drawn next. Of a page that nobody sees nothing is drawn and no frame is said to be shown, so none is made.
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      if (document.hidden) return;
      this.draw(), this.told.drawn(this.waiting.splice(0));
    });
  }
  moved() { this.ask(), this.told.moved(); }
  zoomBy(factor, x, y) { this.isVolume ? this.orbit.zoomBy(factor) : this.camera.zoomBy(factor, x, y), this.moved(); }
  // isAside: a volume is moved, and not turned.
  move(dx, dy, isAside) {
    if (!this.isVolume) this.camera.move(dx * this.camera.ratio, dy * this.camera.ratio);
    else if (isAside) this.orbit.move(dx * this.camera.ratio, dy * this.camera.ratio);
    else this.orbit.turnBy(dx, dy);
    this.moved();
  }
  follow(place) {
    this.followed = place;
    if (place && !this.isVolume) this.camera.lookAt(place.x, place.y), this.moved();
    else this.ask();
  }
  fit() { this.isVolume ? this.orbit.fit() : this.camera.fit(), this.moved(); }

  draw() {
    const { frame, camera } = this;
    this.dots = !frame?.points ? null : frame.isVolume ? deepDots(frame, this.orbit, this) : flatDots(frame, camera, this);
    if (frame) this.paint.draw(this.look(frame));
    else this.paint.clear();
    this.drawOver(this.over.getContext("2d"), camera);
  }
  look(frame) {
    const { camera, palette, kinds } = this, scale = frame.across * camera.zoom, all = camera.covered();
    const left = Math.round(camera.x) + frame.x * camera.zoom, top = Math.round(camera.y) + frame.y * camera.zoom;
    const right = Math.min(left + frame.width * scale, all.left + all.width), bottom = Math.min(top + frame.height * scale, all.top + all.height);
    return { frame, palette, kinds, dots: this.dots, ratio: camera.ratio, left, top, right, bottom, scale, ground: this.ground, discs: frame.across === 1 && scale / frame.fine >= 3 * camera.ratio };
  }

  drawOver(to, camera) {
    to.clearRect(0, 0, this.over.width, this.over.height);
    if (this.isVolume) return this.drawOverVolume(to, camera);
    const { left, top, width, height } = camera.covered();
    to.lineWidth = 1, to.strokeStyle = getComputedStyle(this.over).getPropertyValue("--line");
    if (width && height) to.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
    if (this.marked) this.ring(to, this.marked, "#fff");
    if (!this.ringDots(to) && this.followed) this.ring(to, { x: Math.floor(this.followed.x), y: Math.floor(this.followed.y) }, "#ffd23f");
    this.painter?.draw(to, camera, this.under);
    if (this.under && !this.painter?.isPainting && !this.meant) this.ring(to, this.under, "#fffc");
  }
  drawOverVolume(to, { ratio }) {
    const project = this.orbit.projection(), line = this.ground[0] < 128 ? "#9aa2ab" : "#666c74";
    to.lineWidth = ratio, to.strokeStyle = line, to.globalAlpha = 0.5, to.beginPath();
    for (const ends of this.orbit.edges()) ends.forEach((corner, i) => { const { x, y } = project(...corner, {}); i ? to.lineTo(x, y) : to.moveTo(x, y); });
    to.stroke(), to.globalAlpha = 1, to.fillStyle = line, to.font = `${12 * ratio}px sans-serif`, to.textAlign = "center", to.textBaseline = "middle";
    const [nx, ny, nz] = this.orbit.size, out = 1.06;
    [[nx * out, 0, 0], [0, ny * out, 0], [0, 0, nz * out]].forEach((corner, i) => { const { x, y } = project(...corner, {}); to.fillText("xyz"[i], x, y); });
    if (this.marked) this.ringAt(to, project(this.marked.x + 0.5, this.marked.y + 0.5, this.marked.z + 0.5, {}), 8 * ratio, "#fff");
    this.ringDots(to);
  }
  // Round the agents that are followed, picked and under the mouse, where each is drawn by itself. Whether the followed one is.
  ringDots(to) {
    let found = false;
    for (const [who, colour] of [[this.picked, "#fff"], [this.follows, "#ffd23f"], [this.meant, "#fffc"]]) {
      const i = who ? this.dotOf(who) : -1;
      if (i < 0) continue;
      found ||= who === this.follows;
      this.ringAt(to, { x: this.dots.x[i], y: this.dots.y[i] }, this.dots.radius[i] + 4 * this.camera.ratio, colour);
    }
    return found;
  }
  ringAt(to, { x, y }, radius, colour) {
    for (const [width, stroke] of [[4, "#000a"], [2, colour]]) to.lineWidth = width * this.camera.ratio, to.strokeStyle = stroke, to.beginPath(), to.arc(x, y, radius, 0, 7), to.stroke();
  }
  // An agent by its collection's number and its id, as a dot of the newest frame; -1: it is not there.
  dotOf({ number, id }) {
    const points = this.frame?.points;
    if (!this.dots || !points) return -1;
    const wanted = BigInt(id);
    for (let i = 0; i < points.count; i++) if (points.ids[i] === wanted && points.numbers[i] === number) return i;
    return -1;
  }
  // What is meant by a pixel of the canvas: the number of a collection (0: places), id, and the place where it stands.
  meantAt(px, py) {
    const points = this.frame?.points, i = this.dots?.at(px, py, this.camera.ratio) ?? -1;
    if (i < 0) return null;
    const at = [points.x[i], points.y[i], points.z[i]].map(Math.floor);
    return { number: points.numbers[i], id: String(points.ids[i]), shade: points.shades[i], at: { x: at[0], y: at[1], z: at[2] } };
  }
  ring(to, place, colour) {
    const { camera } = this, size = Math.max(1, camera.zoom), grow = Math.max(3 * camera.ratio, 7 * camera.ratio - camera.zoom / 2);
    const x = Math.round(camera.x) + place.x * camera.zoom - grow, y = Math.round(camera.y) + place.y * camera.zoom - grow;
    const box = [x, y, size + 2 * grow, size + 2 * grow];
    to.lineWidth = 4 * camera.ratio, to.strokeStyle = "#000a", to.strokeRect(...box);
    to.lineWidth = 2 * camera.ratio, to.strokeStyle = colour, to.strokeRect(...box);
  }

  // What the newest frame says of a place: bytes, or nothing.
  at(place) {
    const pixel = this.frame && !this.frame.isVolume && place ? pixelAt(this.frame, place.x, place.y) : -1;
    return pixel < 0 ? null : { byte: this.frame.places?.[pixel], who: agentAt(this.frame, pixel) };
  }
  shownPart() {
    const { camera } = this;
    return this.isVolume ? { left: 0, top: 0, width: camera.width, height: camera.height } : camera.covered();
  }
  // The part of the world in sight as a picture.
  keep(done) {
    const { left, top, width, height } = this.shownPart(), kept = document.createElement("canvas");
    if (!width || !height || !this.frame) return done(null);
    kept.width = width, kept.height = height, this.draw();
    kept.getContext("2d").drawImage(this.picture, left, top, width, height, 0, 0, width, height);
    kept.toBlob(done);
  }
}

function listen(view) {
  const { over, camera } = view, fingers = new Map();
  const here = event => [event.offsetX * camera.ratio, event.offsetY * camera.ratio];
  let far = 0, brush = null; // the pointer that paints
  over.addEventListener("wheel", event => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 20 : 1;
    view.zoomBy(2 ** (-event.deltaY * lines / (event.ctrlKey ? 60 : 240)), ...here(event));
  }, { passive: false });
  over.addEventListener("mousedown", event => { event.preventDefault(), document.activeElement?.blur(); }); // keys are commands again
  over.addEventListener("pointerdown", event => {
    if (event.button) return;
    over.setPointerCapture(event.pointerId), fingers.set(event.pointerId, event), far = fingers.size > 1 ? Infinity : 0;
    if (fingers.size > 1 && brush !== null) brush = null, view.painter.cancel(); // two fingers move the world
    else if (fingers.size === 1 && view.painter?.isPainting) brush = event.pointerId, view.painter.down(camera.placeAt(...here(event)));
  });
  over.addEventListener("pointermove", event => {
    const was = fingers.get(event.pointerId);
    if (brush === event.pointerId) view.painter.move(camera.placeAt(...here(event)));
    else if (was) {
      if (fingers.size === 2) pinch(view, was, event, [...fingers.values()].find(each => each.pointerId !== event.pointerId));
      else if ((far += Math.hypot(event.offsetX - was.offsetX, event.offsetY - was.offsetY)) >= 4) view.move(event.offsetX - was.offsetX, event.offsetY - was.offsetY, event.shiftKey);
      fingers.set(event.pointerId, event);
    }
    hover(view, event.pointerType === "touch" ? null : here(event));
  });
  const up = event => {
    if (brush === event.pointerId) return brush = null, fingers.delete(event.pointerId), event.type === "pointerup" ? view.painter.up() : view.painter.cancel();
    const place = view.isVolume ? null : camera.placeAt(...here(event)), meant = view.meantAt(...here(event));
    if (fingers.delete(event.pointerId) && event.type === "pointerup" && far < 4 && (place || meant)) view.told.inspect(place, meant);
  };
  over.addEventListener("pointerup", up), over.addEventListener("pointercancel", up);
  over.addEventListener("pointerleave", () => hover(view, null));
}

// Two fingers: zooms about their middle, and moves with it.
function pinch(view, was, now, other) {
  const apart = finger => Math.hypot(finger.offsetX - other.offsetX, finger.offsetY - other.offsetY) || 1, { ratio } = view.camera;
  view.move((now.offsetX - was.offsetX) / 2, (now.offsetY - was.offsetY) / 2, true);
  view.zoomBy(apart(now) / apart(was), (now.offsetX + other.offsetX) / 2 * ratio, (now.offsetY + other.offsetY) / 2 * ratio);
}

function hover(view, pointer) {
  const place = pointer && !view.isVolume ? view.camera.placeAt(...pointer) : null, meant = pointer && view.meantAt(...pointer);
  view.pointer = pointer;
  if (place?.x === view.under?.x && place?.y === view.under?.y && meant?.id === view.meant?.id && meant?.number === view.meant?.number) return;
  view.under = place, view.meant = meant?.number === 0 && !view.isVolume ? null : meant, view.told.hover(place, view.meant), view.ask();
}

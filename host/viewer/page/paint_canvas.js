// Draws frames on a canvas, where there is no card: the same picture as by WebGL, but for the edges between places.
import { word } from "./colours.js";
import { drawDeepDots, drawDots } from "./paint_dots.js";

const discs_at_most = 40000;

export class PaintCanvas {
  constructor(canvas) {
    this.canvas = canvas, this.to = canvas.getContext("2d"), this.small = document.createElement("canvas");
    this.frame = this.palette = this.kinds = this.discs = null;
  }

  draw(look) {
    const { to } = this, { frame, left, top, right, bottom, scale, dots } = look;
    if (frame.isVolume) return drawDeepDots(to, dots, word(look.ground));
    this.colour(look), this.clear();
    to.save(), to.beginPath(), to.rect(left, top, right - left, bottom - top), to.clip();
    to.imageSmoothingEnabled = scale < 1;
    to.drawImage(this.small, left, top, frame.width * scale, frame.height * scale);
    if (frame.agents && (look.discs || frame.fine > 1)) this.drawDiscs(look);
    if (dots) drawDots(to, dots, look.ratio);
    to.restore();
  }
  clear() { this.to.clearRect(0, 0, this.canvas.width, this.canvas.height); }

  // Each pixel of the frame its colour; again only if something is different.
  colour({ frame, palette, kinds, discs, ground }) {
    if (frame === this.frame && palette === this.palette && kinds === this.kinds && discs === this.discs) return;
    Object.assign(this, { frame, palette, kinds, discs });
    const { width, height, places, agents, shades } = frame, { small } = this;
    if (small.width !== width || small.height !== height) small.width = width, small.height = height, this.image = new ImageData(width, height);
    this.image ??= new ImageData(width, height);
    const words = new Uint32Array(this.image.data.buffer);
    if (places) for (let i = 0; i < words.length; i++) words[i] = palette[places[i]];
    else words.fill(word(ground));
    if (agents && !discs && frame.fine === 1) for (let i = 0; i < words.length; i++) if (agents[i]) words[i] = kinds[agents[i] << 8 | (shades ? shades[i] : 0)];
    small.getContext("2d").putImageData(this.image, 0, 0);
  }

  drawDiscs({ frame, kinds, left, top, scale: across, discs }) {
    const { to, canvas } = this, { agents, shades, fine } = frame, width = frame.width * fine, height = frame.height * fine, scale = across / fine;
    const radius = (discs ? 0.4 : 0.5) * scale, of = new Map();
    const first = at => Math.max(0, Math.floor(-at / scale)), end = (at, size, room) => Math.min(size, Math.ceil((room - at) / scale));
    let many = 0;
    for (let y = first(top); y < end(top, height, canvas.height); y++)
      for (let x = first(left); x < end(left, width, canvas.width); x++) {
        const pixel = y * width + x, who = agents[pixel] && kinds[agents[pixel] << 8 | (shades ? shades[pixel] : 0)];
        if (!who || many++ > discs_at_most) continue;
        if (!of.has(who)) of.set(who, new Path2D());
        const px = left + (x + 0.5) * scale, py = top + (y + 0.5) * scale;
        of.get(who).moveTo(px + radius, py), of.get(who).arc(px, py, radius, 0, 7);
      }
    to.strokeStyle = "#0009", to.lineWidth = Math.min(2, scale / 10);
    for (const [colour, path] of of) {
      const [red, green, blue] = [colour & 255, colour >> 8 & 255, colour >> 16 & 255];
      if (scale > 5) to.stroke(path);
      to.fillStyle = `rgb(${red} ${green} ${blue})`, to.fill(path);
    }
  }
}

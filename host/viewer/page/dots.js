// Points of a frame as dots on the canvas: where, how large, of which colour and shape. In a volume the near ones are in front.
const reach = 6; // pixels of the page beside a dot that still mean it

export class Dots {
  constructor(count) {
    for (const name of ["x", "y", "away", "radius"]) this[name] = new Float32Array(count);
    this.colour = new Uint32Array(count), this.shape = new Uint8Array(count), this.count = count;
  }

  // What hides others first, which are agents; then places, from the farthest on.
  drawInOrder(numbers) {
    const bins = 4096, bin = i => Math.max(0, Math.min(bins - 1, Math.floor((1.5 - this.away[i]) / 3 * bins))), starts = new Uint32Array(bins + 1);
    this.order = new Uint32Array(this.count), this.solid = 0;
    for (let i = 0; i < this.count; i++) numbers[i] ? this.order[this.solid++] = i : starts[bin(i) + 1]++;
    starts[0] = this.solid;
    for (let b = 0; b < bins; b++) starts[b + 1] += starts[b];
    for (let i = 0; i < this.count; i++) if (!numbers[i]) this.order[starts[bin(i)]++] = i;
  }

  // The nearest to a pixel of the canvas that was meant by it; of several the one in front; -1: none.
  at(px, py, ratio) {
    let best = -1, least = Infinity;
    for (let i = 0; i < this.count; i++) {
      if (this.order && this.colour[i] >>> 24 < 255) continue; // one sees through it
      const distance = Math.max(0, Math.hypot(this.x[i] - px, this.y[i] - py) - this.radius[i]);
      if (distance > reach * ratio || distance > least || (distance === least && best >= 0 && this.isDeep && this.away[i] > this.away[best])) continue;
      best = i, least = distance;
    }
    return best;
  }
}

// look: kinds (256 colours of each collection), palette of places, shapes of collections, inSpace of collections.
export function flatDots(frame, camera, { kinds, shapes, inSpace }) {
  const { points } = frame, dots = new Dots(points.count), { zoom, ratio } = camera, left = Math.round(camera.x), top = Math.round(camera.y);
  const axes = [points.x, points.y, points.z], [across, down] = camera.axes.map(axis => axes[axis]);
  const together = zoom >= 8 * ratio ? sharers(points, across, down, inSpace) : null;
  for (let i = 0; i < points.count; i++) {
    const number = points.numbers[i];
    let x = across[i], y = down[i], size = inSpace[number] ? Math.min(0.5 * zoom, 5 * ratio) : 0.4 * zoom;
    if (together && !inSpace[number]) [x, y, size] = together(i, x, y, size);
    dots.x[i] = left + x * zoom, dots.y[i] = top + y * zoom, dots.radius[i] = Math.max(inSpace[number] ? 1.5 * ratio : 0.5, size);
    dots.colour[i] = kinds[number << 8 | points.shades[i]], dots.shape[i] = dots.radius[i] < 3 * ratio ? 0 : shapes[number];
  }
  return dots;
}

// Those that stand at one place stand side by side in it.
function sharers(points, across, down, inSpace) {
  const many = new Map(), key = i => Math.floor(down[i]) * 65536 + Math.floor(across[i]), before = new Uint16Array(points.count);
  for (let i = 0; i < points.count; i++) {
    if (inSpace[points.numbers[i]]) continue;
    const n = many.get(key(i)) ?? 0;
    before[i] = n, many.set(key(i), n + 1);
  }
  return (i, x, y, size) => {
    const n = many.get(key(i));
    if (n < 2) return [x, y, size];
    const side = Math.ceil(Math.sqrt(n)), rows = Math.ceil(n / side), row = Math.floor(before[i] / side), inRow = Math.min(side, n - row * side);
    return [Math.floor(x) + (before[i] % side + 0.5 + (side - inRow) / 2) / side, Math.floor(y) + (row + 0.5 + (side - rows) / 2) / side, size / side];
  };
}

// Places are squares, agents discs; what is far away is nearer to the ground's colour. Where `isClear`, one sees through places.
export function deepDots(frame, orbit, { kinds, palette, shapes, ground, isClear, isCategorical }) {
  const { points } = frame, dots = new Dots(points.count), project = orbit.projection(), to = {}, [red, green, blue] = ground;
  const opacity = isClear ? opacities(Math.max(...orbit.size), points.all / Math.max(1, points.count), isCategorical) : null;
  dots.isDeep = true;
  for (let i = 0; i < points.count; i++) {
    const number = points.numbers[i], isPlace = number === 0;
    project(points.x[i], points.y[i], points.z[i], to);
    dots.x[i] = to.x, dots.y[i] = to.y, dots.away[i] = to.away;
    dots.radius[i] = Math.max(isPlace ? 0.7 : 1.5 * orbit.ratio, Math.min(12 * orbit.ratio, to.place * (isPlace && !isClear ? 0.42 : 0.5)));
    dots.shape[i] = isPlace ? 2 : dots.radius[i] < 3 * orbit.ratio ? 0 : shapes[number];
    const colour = isPlace ? palette[points.shades[i]] : kinds[number << 8 | points.shades[i]], share = Math.max(0, Math.min(0.55, 0.28 + 0.3 * to.away));
    const mixed = (part, shift) => Math.round((colour >> shift & 255) * (1 - share) + part * share) << shift;
    const alpha = isPlace && opacity ? opacity[points.shades[i]] : 255;
    dots.colour[i] = (alpha << 24 | mixed(blue, 16) | mixed(green, 8) | mixed(red, 0)) >>> 0;
  }
  if (isClear) dots.drawInOrder(points.numbers);
  return dots;
}

// Of each colour, 0 to 255. A fifteenth of the light gets through `side` places of a quarter of the highest value. One dot stands for `share`.
function opacities(side, share, isCategorical) {
  return Uint8Array.from({ length: 256 }, (_, shade) => {
    const t = isCategorical ? 0.6 : shade / 254, depth = share * (6 * t + 20 * t ** 2) / side;
    return Math.max(2, Math.round(255 * (1 - Math.exp(-depth))));
  });
}

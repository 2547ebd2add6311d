// Dots on a canvas without a card: side by side as paths, or a volume's, many of which hide each other, pixel by pixel.
export function drawDots(to, dots, ratio) {
  const of = new Map();
  for (let i = 0; i < dots.count; i++) {
    const r = dots.radius[i], x = dots.x[i], y = dots.y[i];
    if (x < -r || y < -r || x > to.canvas.width + r || y > to.canvas.height + r) continue;
    const colour = dots.colour[i];
    if (!of.has(colour)) of.set(colour, new Path2D());
    outline(of.get(colour), dots.shape[i], x, y, r);
  }
  to.lineWidth = 1.5 * ratio, to.strokeStyle = "#0009";
  const rim = dots.count > 0 && dots.radius[0] >= 4 * ratio;
  for (const [colour, path] of of) {
    if (rim) to.stroke(path);
    to.fillStyle = `rgb(${colour & 255} ${colour >> 8 & 255} ${colour >> 16 & 255})`, to.fill(path);
  }
}
// A disc, a diamond, a square or a triangle, each of about the same area.
export function outline(path, shape, x, y, r) {
  if (r < 1.5) return path.rect(x - r, y - r, 2 * r, 2 * r);
  if (shape === 0) return path.moveTo(x + r, y), path.arc(x, y, r, 0, 7);
  const corners = [null, [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]], [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]], [[0, -1.2], [1.15, 0.9], [-1.15, 0.9]]][shape];
  corners.forEach(([dx, dy], i) => i ? path.lineTo(x + dx * r, y + dy * r) : path.moveTo(x + dx * r, y + dy * r)), path.closePath();
}

function covers(shape, dx, dy, r) {
  if (shape === 2) return true;
  if (shape === 1) return Math.abs(dx) + Math.abs(dy) <= 1.2 * r;
  return shape === 0 ? dx * dx + dy * dy <= r * r : Math.abs(dx) * 2 <= dy + r;
}
function over(colour, under, alpha) {
  const mixed = shift => Math.round(((colour >>> shift & 255) * alpha + (under >>> shift & 255) * (255 - alpha)) / 255) << shift;
  return (0xff000000 | mixed(16) | mixed(8) | mixed(0)) >>> 0;
}
let words = null, depths = null, image = null;
export function drawDeepDots(to, dots, ground) {
  const { width, height } = to.canvas;
  if (image?.width !== width || image.height !== height) image = new ImageData(width, height), words = new Uint32Array(image.data.buffer), depths = new Float32Array(width * height);
  words.fill(ground), depths.fill(Infinity);
  for (let n = 0; n < dots.count; n++) {
    const i = dots.order ? dots.order[n] : n;
    const r = dots.radius[i], x = dots.x[i], y = dots.y[i], away = dots.away[i], colour = dots.colour[i], alpha = colour >>> 24, shape = r < 1.5 ? 2 : dots.shape[i];
    const left = Math.max(0, Math.round(x - r)), right = Math.min(width, Math.max(Math.round(x + r), Math.round(x - r) + 1));
    const top = Math.max(0, Math.round(y - r)), bottom = Math.min(height, Math.max(Math.round(y + r), Math.round(y - r) + 1));
    for (let py = top; py < bottom; py++)
      for (let px = left, at = py * width + left; px < right; px++, at++) {
        if (away >= depths[at] || !covers(shape, px + 0.5 - x, py + 0.5 - y, r)) continue;
        if (alpha === 255) depths[at] = away, words[at] = colour;
        else words[at] = over(colour, words[at], alpha);
      }
  }
  to.putImageData(image, 0, 0);
}

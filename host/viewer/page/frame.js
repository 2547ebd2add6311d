// A picture as it comes over the wire: 80 bytes of head, then a byte a pixel of places, then of agents, which may have finer pixels, or
// points: agents one by one, and places of a volume.
const head = 80;
export const reductions = ["nearest", "mean", "largest", "smallest"];

export function readFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < head || view.getUint32(0, true) !== 2) return null;
  const word = at => view.getUint32(at, true), long = at => Number(view.getBigInt64(at, true));
  const frame = { number: word(4), step: view.getBigUint64(8, true), x: long(16), y: long(24), width: word(32), height: word(36),
    across: word(40), low: view.getFloat64(48, true), high: view.getFloat64(56, true), look: word(64), by: reductions[word(68)], fine: word(72),
    places: null, agents: null, shades: null, points: null };
  const flags = word(44), size = frame.width * frame.height, finer = size * frame.fine ** 2;
  let at = head;
  const take = count => { at += count; return new Uint8Array(buffer, at - count, count); };
  const count = word(76), pixels = (flags & 1 ? size : 0) + (flags & 2 ? finer : 0) + (flags & 32 ? finer : 0);
  if (buffer.byteLength < head + pixels + (flags & 16 ? 8 + 22 * count : 0)) return null;
  if (flags & 1) frame.places = take(size);
  if (flags & 2) frame.agents = take(finer);
  if (flags & 32) frame.shades = take(finer);
  if (flags & 16) frame.points = readPoints(buffer, at, count);
  frame.isVolume = !!(flags & 64);
  frame.isGiven = !!(flags & 4), frame.isCoarse = !!(flags & 8);
  return frame;
}

// Each array on its own: they begin anywhere.
function readPoints(buffer, at, count) {
  const all = Number(new DataView(buffer).getBigUint64(at, true));
  at += 8;
  const take = (Kind, bytes) => { at += count * bytes; return new Kind(buffer.slice(at - count * bytes, at)); };
  return { count, all, ids: take(BigUint64Array, 8), x: take(Float32Array, 4), y: take(Float32Array, 4), z: take(Float32Array, 4), numbers: take(Uint8Array, 1), shades: take(Uint8Array, 1) };
}

// Where in a frame a place is; -1 if it is not there.
export function pixelAt(frame, x, y) {
  const column = Math.floor((x - frame.x) / frame.across), row = Math.floor((y - frame.y) / frame.across);
  return column >= 0 && row >= 0 && column < frame.width && row < frame.height ? row * frame.width + column : -1;
}

// Who is at a place, or at a part of it.
export function agentAt(frame, pixel) {
  const { agents, fine, width } = frame, row = Math.floor(pixel / width) * fine, column = pixel % width * fine;
  let who = 0;
  if (agents) for (let y = 0; y < fine; y++) for (let x = 0; x < fine; x++) who = Math.max(who, agents[(row + y) * width * fine + column + x]);
  return who;
}

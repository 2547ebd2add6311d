// A picture as it comes over the wire: 80 bytes of head, then a byte a pixel of places, then of agents, which may have finer pixels.
const head = 80;
export const reductions = ["nearest", "mean", "largest", "smallest"];

export function readFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < head || view.getUint32(0, true) !== 2) return null;
  const word = at => view.getUint32(at, true), long = at => Number(view.getBigInt64(at, true));
  const frame = { number: word(4), step: view.getBigUint64(8, true), x: long(16), y: long(24), width: word(32), height: word(36),
    across: word(40), low: view.getFloat64(48, true), high: view.getFloat64(56, true), look: word(64), by: reductions[word(68)], fine: word(72),
    places: null, agents: null };
  const flags = word(44), size = frame.width * frame.height, finer = size * frame.fine ** 2;
  let at = head;
  const take = count => { at += count; return new Uint8Array(buffer, at - count, count); };
  if (buffer.byteLength < head + (flags & 1 ? size : 0) + (flags & 2 ? finer : 0)) return null;
  if (flags & 1) frame.places = take(size);
  if (flags & 2) frame.agents = take(finer);
  frame.isGiven = !!(flags & 4), frame.isCoarse = !!(flags & 8);
  return frame;
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

// A picture as it comes over the wire: 64 bytes of head, then a byte a pixel of places, then of agents.
const head = 64;

export function readFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < head || view.getUint32(0, true) !== 1) return null;
  const word = at => view.getUint32(at, true), long = at => Number(view.getBigInt64(at, true));
  const frame = { number: word(4), step: view.getBigUint64(8, true), x: long(16), y: long(24), width: word(32), height: word(36),
    across: word(40), low: view.getFloat64(48, true), high: view.getFloat64(56, true), places: null, agents: null };
  const flags = word(44), size = frame.width * frame.height;
  let at = head;
  const take = () => { at += size; return new Uint8Array(buffer, at - size, size); };
  if (buffer.byteLength < head + size * ((flags & 1) + (flags >> 1 & 1))) return null;
  if (flags & 1) frame.places = take();
  if (flags & 2) frame.agents = take();
  return frame;
}

// Where in a frame a place is; -1 if it is not there.
export function pixelAt(frame, x, y) {
  const column = Math.floor((x - frame.x) / frame.across), row = Math.floor((y - frame.y) / frame.across);
  return column >= 0 && row >= 0 && column < frame.width && row < frame.height ? row * frame.width + column : -1;
}

// The strips above and below the world: what is under the mouse, and how long a length is.
import { $, make, say } from "./dom.js";
import { number, whole } from "./numbers.js";

// Where a pixel shows several places, how many and what of them.
export function showRuler(camera, frame) {
  if (frame?.isVolume) return showVolume(frame.points);
  const { places, length } = camera.ruler(), { across = 1, by, isCoarse } = frame ?? {};
  const of = !frame?.places || across < 2 ? "" : by === "nearest" ? `, one of ${across} × ${across} a pixel` : `, ${by} of ${across} × ${across} a pixel`;
  $("ruler").hidden = false, $("ruler").style.width = `${length}px`;
  say($("ruled"), (places === 1 ? "1 place" : `${whole(places)} places`) + of + (isCoarse ? " while it runs" : ""));
}

function showVolume({ count, all }) {
  $("ruler").hidden = true;
  say($("ruled"), count === all ? `${whole(all)} points` : `${whole(count)} of ${whole(all)} points, chosen by id`);
}

// here: the bytes of the newest frame at a place.
// meant: the agent, or the place of a volume, under the mouse.
export function showHover(place, here, frame, layers, meant) {
  if (!place && !meant) return $("hover").replaceChildren();
  const bold = text => make("b", { text }), agents = meant?.number ? `${layers.agents[meant.number - 1]?.name ?? ""} ${meant.id}` : here?.who ? layers.agents[here.who - 1]?.name : "";
  const byte = meant?.number === 0 ? meant.shade : here?.byte;
  $("hover").replaceChildren(byte === undefined ? "" : bold(valueOf(byte, frame, layers)), agents ? bold(agents) : "", place ? where(place, layers) : Object.values(meant.at).join(", "));
}

function where(place, layers) {
  const { x, y, z } = layers.toGrid(place);
  return layers.isDeep ? `${x}, ${y}, ${z}` : `${x}, ${y}`;
}

// What a byte stands for: exactly of whole numbers of a small range, else about.
function valueOf(byte, { low, high, across }, layers) {
  if (byte === 255) return "no number";
  const name = value => layers.shown.values?.find(each => each[0] === String(value))?.[1];
  if (layers.isCategorical) return name(byte) ?? String(byte);
  const value = low + byte / 254 * (high - low), isWhole = /^[iu]|bool/.test(layers.shown.type);
  if (!isWhole || across > 1 || high - low > 254 || !Number.isInteger(low)) return "≈ " + number(value, 3);
  if (name(Math.round(value))) return name(Math.round(value));
  return (byte === 254 ? "≥ " : byte === 0 && low !== 0 ? "≤ " : "") + number(Math.round(value));
}

// The strips above and below the world: what is under the mouse, and how long a length is.
import { $, make, say } from "./dom.js";
import { number, whole } from "./numbers.js";

// Where a pixel shows several places, how many and what of them.
export function showRuler(camera, frame) {
  const { places, length } = camera.ruler(), { across = 1, by, isCoarse } = frame ?? {};
  const of = !frame?.places || across < 2 ? "" : by === "nearest" ? `, one of ${across} × ${across} a pixel` : `, ${by} of ${across} × ${across} a pixel`;
  $("ruler").style.width = `${length}px`;
  say($("ruled"), (places === 1 ? "1 place" : `${whole(places)} places`) + of + (isCoarse ? " while it runs" : ""));
}

// here: the bytes of the newest frame at a place.
export function showHover(place, here, frame, layers) {
  if (!place) return $("hover").replaceChildren();
  const bold = text => make("b", { text });
  $("hover").replaceChildren(here?.byte === undefined ? "" : bold(valueOf(here.byte, frame, layers)), here?.who ? bold(layers.agents[here.who - 1]?.name ?? "") : "", where(place, layers));
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

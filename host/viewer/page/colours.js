// Colours: tables of 256 as the run sends them, of agents, and of lines that must be read on light and on dark.
const unknown = [128, 128, 128];

// 768 bytes in base64 to 256 x [red, green, blue].
export function table(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  return Array.from({ length: 256 }, (_, i) => [...bytes.subarray(3 * i, 3 * i + 3)]);
}
export const grey = Array.from({ length: 256 }, (_, i) => [i, i, i]);

// What stands for each byte of a frame, as words of the memory of a picture: red first, alpha last.
export function bytesToColours(colours, categorical) {
  const words = new Uint32Array(256);
  for (let byte = 0; byte < 256; byte++) words[byte] = word(colours[categorical ? byte : Math.floor(byte * 256 / 255)] ?? unknown);
  words[255] = word(unknown);
  return words;
}
export const word = ([red, green, blue]) => (0xff000000 | blue << 16 | green << 8 | red) >>> 0;
export const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

export function gradient(colours) {
  const stops = Array.from({ length: 17 }, (_, i) => css(colours[Math.floor(i * 254 / 16 * 256 / 255)]));
  return `linear-gradient(to right, ${stops.join()})`;
}

// "#fff" or "#ffffff" to [red, green, blue].
export function parse(text) {
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text ?? "")?.[1];
  if (!digits) return null;
  return [0, 1, 2].map(i => parseInt(digits.length === 3 ? digits[i] + digits[i] : digits.slice(2 * i, 2 * i + 2), 16));
}

function light([red, green, blue]) {
  const linear = part => { const share = part / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

// The colour of a line and its name: the one asked for, darker or lighter until text of it has 4.5 : 1; of greys the ink.
export function readable(text, number, style) {
  const colour = parse(text), page = parse(style.getPropertyValue("--page").trim());
  if (!colour || !page) return style.getPropertyValue(`--c${number % 5 + 1}`).trim();
  if (Math.max(...colour) - Math.min(...colour) < 24) return style.getPropertyValue("--ink").trim();
  const ground = light(page), end = ground > 0.4 ? 0 : 255;
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = colour.map(part => Math.round(part + (end - part) * share));
    if (contrast(light(mixed), ground) >= 4.5) return css(mixed);
  }
  return style.getPropertyValue("--ink").trim();
}

// Numbers as they are read: thousands apart, a true minus.
const thousands = digits => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f");

// Digits of any length, of steps and ids.
export function whole(text) {
  const digits = String(text);
  return digits.startsWith("-") ? "\u2212" + thousands(digits.slice(1)) : thousands(digits);
}

// A number in about `digits` digits.
export function number(value, digits = 4) {
  if (value === null || Number.isNaN(value)) return "no number";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "\u2212∞";
  const size = Math.abs(value), sign = value < 0 ? "\u2212" : "";
  if (size >= 1e15 || (size > 0 && size < 1e-4)) return sign + size.toExponential(2).replace("e+", "e").replace("e-", "e\u2212");
  if (Number.isInteger(value)) return sign + thousands(String(size));
  const [before, after] = String(+size.toPrecision(Math.max(digits, Math.floor(Math.log10(size)) + 1))).split(".");
  return sign + thousands(before) + (after ? "." + after : "");
}

// Short, for the ends of axes: 6k, 1.5M.
export function short(value) {
  const size = Math.abs(value), unit = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find(([of]) => size >= of);
  return unit ? number(+(value / unit[0]).toPrecision(4)) + unit[1] : number(value);
}

// Round numbers between two ends, about as many as asked for.
export function ticks(low, high, about) {
  const rough = (high - low) / about || 1, ten = 10 ** Math.floor(Math.log10(rough));
  const unit = [1, 2, 5, 10].find(times => times * ten >= rough * 0.999) * ten, found = [];
  for (let i = Math.ceil(low / unit - 1e-9); i * unit <= high + unit * 1e-9; i++) found.push(+(i * unit).toPrecision(12));
  return { unit, found };
}

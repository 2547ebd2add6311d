// Small helpers for the document. What a run says is text to them, never HTML.
export const $ = id => document.getElementById(id);
export const all = selector => [...document.querySelectorAll(selector)];

// An element: attributes by name, "text" for what it says, "style" by name, functions as listeners ("click").
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") element.textContent = value;
    else if (name === "style") Object.assign(element.style, value);
    else if (typeof value === "function") element.addEventListener(name, value);
    else if (value || value === 0) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child || child === 0));
  return element;
}

export function icon(name) {
  const [svg, use] = ["svg", "use"].map(tag => document.createElementNS("http://www.w3.org/2000/svg", tag));
  use.setAttribute("href", "#" + name), svg.setAttribute("aria-hidden", "true"), svg.append(use);
  return svg;
}

// Writes only what is different: nothing is laid out anew for the same words.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Where the knob of a slider stands, of 0 to 1: its colour ends there.
export const knob = share => `calc(7px + (100% - 14px) * ${share})`;

// What somebody typed, without the spaces and the minus that numbers are shown with.
export const typed = field => field.value.replace(/\s/g, "").replace("\u2212", "-");

// Calls `work` at most once in `milliseconds`, and always once more after the last time that it was asked for; by `now` at once.
export function atMostEvery(milliseconds, work) {
  let timer = 0, last = -Infinity;
  const run = () => { timer = 0, last = performance.now(), work(); };
  return Object.assign(() => { timer ||= setTimeout(run, Math.max(0, last + milliseconds - performance.now())); }, { now: () => { clearTimeout(timer), run(); } });
}

// What is kept in the browser. Some browsers forbid it; then nothing is kept.
export function kept(storage, name) {
  try { return window[storage].getItem(name); } catch { return null; }
}
export function keep(storage, name, value) {
  try { window[storage].setItem(name, value); } catch { /* nothing is kept */ }
}

// What the run and the page have to say: over the page until somebody has read it, or for a while at the foot.
import { $, icon, make } from "./dom.js";

const most = 4, position = /([^\s:()`]+\.\w+:\d+(?::\d+)?)/;
const shown = new Map();

// key: one message a key. what: level, title, text, action [words, does], isKept: it cannot be dismissed.
export function put(key, what) {
  drop(key);
  const isCode = /\n/.test(what.text ?? "") || position.test(what.text ?? "");
  const body = make("div", {}, make("b", { text: what.title }));
  if (what.text) body.append(isCode ? make("pre", { tabindex: 0 }, ...marked(what.text)) : make("p", { text: what.text }));
  const row = make("div", { class: "message " + what.level, role: what.level === "info" ? "status" : "alert" }, body);
  if (what.action) row.append(make("button", { text: what.action[0], click: what.action[1] }));
  if (!what.isKept) row.append(make("button", { class: "icon plain", "aria-label": "Dismiss", title: "Dismiss  X", click: () => drop(key) }, icon("cross")));
  shown.set(key, { row, isKept: what.isKept });
  $("messages").append(row);
  const old = [...shown].filter(([, each]) => !each.isKept);
  if (old.length > most) drop(old[0][0]);
}
export function drop(key) { shown.get(key)?.row.remove(), shown.delete(key); }
export function dismissAll() { for (const [key, each] of [...shown]) if (!each.isKept) drop(key); }

// Files and lines stand out.
function marked(text) {
  return text.split(new RegExp(position, "g")).map((part, i) => i % 2 ? make("mark", { text: part }) : part);
}

let timer = 0;
// At the foot for some seconds; "kept": it is kept with the run.
export function tell(text, isKept) {
  const toast = $("toast");
  toast.textContent = text, toast.title = text, toast.className = isKept ? "told kept" : "told";
  clearTimeout(timer), timer = setTimeout(() => toast.classList.remove("told"), 6000);
}

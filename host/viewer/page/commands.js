// Every command, its keys and what it does: buttons, keys and the list of them all come from one table.
import { $, all, make } from "./dom.js";

const caps = keys => keys.map(key => key === " " ? "Space" : key.length > 1 ? key : key.toUpperCase());

export class Commands {
  // table: { heading } or { id, words, keys, does, told: what stands for the keys }. more: keys of what stands there without an id.
  constructor(table, more) {
    this.table = table, this.act = {}, this.keys = { ...more };
    for (const { id, words, keys = [], does, told } of table) {
      this.act[id] = does;
      for (const key of keys) this.keys[key] = does;
      for (const button of all(`[data-do="${id}"]`)) button.title = `${words}  ${caps(told ?? keys).join(" or ")}`, button.setAttribute("aria-label", button.textContent.trim().length > 1 ? button.textContent.trim() : words);
    }
    document.addEventListener("click", event => this.click(event));
    document.addEventListener("keydown", event => this.key(event));
    $("help_find").addEventListener("input", () => this.list());
    $("help_find").addEventListener("keydown", event => { if (event.key === "Enter") $("help_list").querySelector("button")?.click(); });
  }

  help() { $("help_find").value = "", this.list(), $("help").showModal(); }
  list() {
    const wanted = $("help_find").value.trim().toLowerCase();
    const found = this.table.filter(each => each.words ? each.words.toLowerCase().includes(wanted) : !wanted);
    $("help_list").replaceChildren(...found.map(({ heading, id, words, keys, told }) => {
      if (heading) return make("li", { class: "group", text: heading });
      const keyCaps = caps(told ?? keys).map(text => make("kbd", { text }));
      return make("li", {}, make(id ? "button" : "div", { "data-do": id, class: "command" }, make("span", { text: words }), make("span", {}, ...keyCaps)));
    }));
    if (wanted) $("help_list").querySelector("button")?.classList.add("first");
  }

  click(event) {
    if (event.target.tagName === "DIALOG") return event.target.close();
    const button = event.target.closest("[data-do], input[type=checkbox], input[type=radio]");
    if (!button) return;
    if (event.detail) button.blur(); // by a mouse: the next space is a command again
    if ($("help").contains(button)) $("help").close();
    this.act[button.dataset.do]?.(event);
  }
  key(event) {
    const { target, key } = event, isMeta = event.ctrlKey || event.metaKey;
    if (isMeta && key === "k") return event.preventDefault(), this.help();
    if (isMeta && key === "z" && !target.closest("input")) return event.preventDefault(), this.act.undo();
    if (isMeta || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (target.closest("input:not([type=range], [type=checkbox], [type=radio]), select")) return;
    if (key === " " && target.closest("button, [type=checkbox], [type=radio]")) return; // presses that
    if (/^(Arrow|Page)/.test(key) && target.closest("input, aside, [role=tab]")) return; // moves that
    const does = this.keys[key] ?? this.keys[key.toLowerCase()];
    if (does) event.preventDefault(), does(event);
  }
}

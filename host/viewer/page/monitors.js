// The newest value of each curve and its change.
import { $, make, say } from "./dom.js";
import { number, whole } from "./numbers.js";
import { readable } from "./colours.js";

let rows = [];

export function beginMonitors(series) {
  rows = series.curves.map(curve => {
    const mark = make("i"), value = make("span"), change = make("small");
    const row = make("div", {}, make("dt", { title: curve.plot ? `${curve.plot}: ${curve.name}` : curve.name }, mark, make("span", { text: curve.name })), make("dd", {}, value, change));
    return { row, mark, value, change };
  });
  $("monitors").replaceChildren(...rows.map(each => each.row));
}

export function showMonitors(series) {
  const style = getComputedStyle(document.documentElement);
  rows.forEach((each, i) => {
    const newest = series.newest(i), { change } = newest ?? {};
    each.mark.style.background = readable(series.curves[i].colour, i, style);
    say(each.value, newest ? number(newest.value, 5) : "–");
    say(each.change, series.changeOver && Number.isFinite(change) ? (change > 0 ? "+" : "") + number(change, 3) : "");
  });
  const over = series.changeOver;
  say($("change_note"), rows.length && over ? `and the change in ${over === 1 ? "1 step" : whole(over) + " steps"}` : "");
}

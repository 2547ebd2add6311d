// A run of Tessera in the browser: what the run says goes to the parts of the page, and what somebody does goes to the run.
import { $, all, atMostEvery, make, say, typed } from "./dom.js";
import { Commands } from "./commands.js";
import { Follow } from "./follow.js";
import { Foot, Speed, words } from "./foot.js";
import { readFrame } from "./frame.js";
import { Layers } from "./layers.js";
import * as messages from "./messages.js";
import { beginMonitors, showMonitors } from "./monitors.js";
import { number, whole } from "./numbers.js";
import { Parameters } from "./parameters.js";
import { Place } from "./place.js";
import { Plots } from "./plot.js";
import { Series } from "./series.js";
import { Socket } from "./socket.js";
import { showHover, showRuler } from "./strips.js";
import { beginTheme } from "./theme.js";
import { Tools } from "./tools.js";
import { Video } from "./video.js";
import { View } from "./view.js";

let about = null, built = "", told = "", looked = "", series = new Series([]);
const send = what => socket.send(what);
const plots = new Plots($("plots")), foot = new Foot(), speed = new Speed(send);
const parameters = new Parameters({ send: (name, value) => send({ do: "set", name, value }), tell: messages.tell });
let looks = 0;
const everything = { x: 0, y: 0, across: 1, width: 1, height: 1 }; // of a volume, from whatever side
const look = atMostEvery(100, () => {
  const inSight = layers.shown && (layers.isVolume ? everything : view.camera.inSight());
  const asks = inSight && !document.hidden ? { do: "look", ...layers.asked, ...inSight, fine: layers.fine(view.camera) } : null, is = JSON.stringify(asks);
  if (asks && is !== looked) looked = is, send({ ...asks, look: ++looks });
});
const layers = new Layers({
  looked(isElsewhere) {
    if (isElsewhere) view.frame = null;
    view.since = looks + 1, looked = "";
    view.grid(layers.size, layers.axes, layers.isVolume, layers.whole, layers.isClear), mark(place.asked), look(), tools.show();
  },
  coloured: () => { view.isCategorical = layers.isCategorical, view.colour(layers.colours, layers.isCategorical), view.colourAgents(layers.agents, layers.shades, layers.shapes); },
  ranged: ({ layer, element }, low, high) => send({ do: "range", layer, element, low, high }),
  refused: messages.tell,
});
const view = new View($("picture"), $("over"), {
  drawn(frames) {
    for (const frame of frames) send({ do: "shown", frame });
    showRuler(view.camera, view.frame), video.take();
  },
  moved: look, hover: (at, meant) => showHover(at, view.at(at), view.frame, layers, meant), inspect,
});
const video = new Video(view, { keep: (blob, ending, pictures) => download(blob, ending, `, ${pictures === 1 ? "1 picture" : `${whole(pictures)} pictures`}`), tell: messages.tell, changed: showVideo });
const tools = view.painter = new Tools(layers, { send, refused: messages.tell, asked: () => view.ask() });
const mark = asked => { view.marked = asked && asked.places === layers.shown?.places ? layers.toPicture(asked) : null, view.ask(); };
const numberOf = collection => layers.agents.findIndex(each => each.name === collection) + 1;
const follow = new Follow({ send, dead: messages.tell, follows: who => { view.follows = who && { number: numberOf(who.collection), id: who.id }, view.ask(); }, moved: at => view.follow(at && at.places === layers.shown?.places ? layers.toPicture(at) : null) });
const place = new Place({ send, marked: mark, picked: who => { view.picked = who && { number: numberOf(who.collection), id: who.id }; }, follow: (collection, id) => follow.ask(collection, id) });
const again = ["Try again", () => socket.again()];
const socket = new Socket({
  opened() { messages.drop("line"), view.waiting = [], foot.become("connecting"); },
  words(said) { for (const [kind, what] of Object.entries(said)) hears[kind]?.(what); },
  picture(buffer) {
    const frame = readFrame(buffer);
    if (frame) return view.show(frame) ? layers.take(frame) : undefined;
    messages.put("frame", { level: "error", title: "A picture came that this page cannot read.", text: "Load the page again: it may be of another version than the run." });
  },
  lost(seconds) {
    foot.become("lost");
    const text = about ? "The run goes on where it is, unless it has ended. This is the last state that came." : "Nothing answers there. Has the run ended?";
    messages.put("line", { level: "error", title: `The line to the run is lost. Trying again in ${number(seconds)} s.`, text, isKept: true, action: again });
  },
  refused(why, isToken) {
    foot.become("refused");
    const text = isToken ? "Open the whole address that the run has printed, with all that stands behind #. Each run has another one." : "Close another page of this run, then try again.";
    messages.put("line", { level: "error", title: `The run does not let this page in: ${why}.`, text, isKept: true, action: again });
  },
});

// What the run says, by the key of its message.
const hears = {
  rights({ steers }) { foot.allow(steers), layers.allow(steers); },
  about(now) {
    about = now;
    const is = JSON.stringify({ ...now, seed: 0, results: "", parameters: now.parameters.map(({ value, ...rest }) => rest) });
    for (const [id, text] of [["title", now.name || now.model], ["doc", now.doc], ["device", now.device]]) say($(id), text), $(id).title = text;
    document.title = `${now.name || now.model}, Tessera`;
    if (document.activeElement !== $("seed")) $("seed").value = now.seed;
    if (is === built) parameters.settle(now.parameters);
    else build(now);
    built = is, looked = "", look.now(), speed.again(), place.again(), follow.again(), showEvery();
  },
  painted({ layer, step, undone }) {
    const text = undone ? `undone, kept with step ${whole(step)}` : `${layer} painted, kept with step ${whole(step)}`;
    tools.settle(), foot.edited(step, undone ? "undone" : layer), messages.tell(text, true);
  },
  state(state) { tools.steers = foot.maySteer && !["finished", "stopped", "failed"].includes(state.status), $("undo_button").disabled = !state.undo || !tools.steers; foot.show(state, about?.steps ?? null), speed.told(state.speed ?? 0), showEnd(state); },
  plots({ curves, points, reset }) {
    if (reset || (curves && JSON.stringify(curves) !== JSON.stringify(series.curves)))
      series = new Series(curves ?? series.curves), plots.begin(series), beginMonitors(series);
    series.add(points ?? []), showMonitors(series), plots.draw();
  },
  place: known => place.hear(known),
  followed: known => follow.hear(known),
  shades: list => layers.takeShades(list),
  edits(list) { for (const { step, name } of list) foot.edited(step, name); }, // those before this page
  message({ level, text }) {
    tools.settle();
    if (level === "info") messages.tell(text);
    else messages.put("said " + text, { level, title: level === "error" ? "Error" : "Warning", text });
  },
  parameters(list) {
    for (const { name, value, step } of list) {
      const known = parameters.list.find(each => each.name === name), isNew = known && !known.same(value, known.value);
      parameters.taken(name, value);
      if (isNew) foot.edited(step, name), messages.tell(`${name} = ${known.words(value)}, kept with step ${whole(step)}`, true);
    }
  },
};
function build(now) {
  view.forget(), parameters.begin(now.parameters), layers.begin(now), place.begin(now), follow.begin(now.agents);
  document.body.toggleAttribute("data-unseen", !layers.shown), $("nothing").hidden = !!layers.shown, say($("nothing"), now.unseen.join(" ") || "The model has no places to draw.");
}
// The message of a failure stands over the last state; so does the word that a run is at its end.
function showEnd({ status, step, message }) {
  const is = status + step;
  if (is === told) return;
  told = is;
  if (status === "failed") messages.put("end", { level: "error", title: `The run failed at step ${whole(step)}. Its last state stays.`, text: message });
  else if (status === "finished" || status === "stopped")
    messages.put("end", { level: "info", title: `${words[status]} after ${whole(step)} steps.`, text: about?.results ? `Results are in ${about.results}` : "" });
  else messages.drop("end");
}

// What somebody does.
// meant: an agent that was clicked, or a place of a volume.
function inspect(at, meant) {
  const [nx, ny] = layers.size, within = (value, size) => Math.max(0, Math.min(size - 1, value));
  if ((!at && !meant) || !layers.places) return;
  const here = meant ? meant.at : layers.toGrid({ x: within(at.x, nx), y: within(at.y, ny) });
  place.ask({ places: layers.shown.places, ...here, ...(meant?.number && { collection: layers.agents[meant.number - 1].name, id: meant.id }) }, layers.isDeep), tab("observe");
}
function inspectHere() {
  const { camera, pointer } = view, middle = layers.isVolume ? null : camera.placeAt(camera.width / 2, camera.height / 2);
  if (layers.isVolume || view.meant) return inspect(null, view.meant);
  inspect(pointer ? camera.placeAt(...pointer) ?? middle : middle);
}
function followOrEnd() {
  const first = place.known?.agents[0];
  if (follow.asked || follow.known) follow.end();
  else if (first) follow.ask(first.collection, first.id);
  else messages.tell("inspect a place with an agent first");
}
function paintHere() {
  const { camera, pointer } = view, middle = camera.placeAt(camera.width / 2, camera.height / 2);
  if (tools.isPainting) tools.here(pointer ? camera.placeAt(...pointer) ?? middle : middle);
  else messages.tell("choose what to paint with first");
}
const arrow = (x, y) => event => {
  if (!event.shiftKey || layers.isVolume) view.move(-40 * x, -40 * y, event.shiftKey);
  else if (view.marked) inspect({ x: view.marked.x + x, y: view.marked.y + y });
  else inspectHere();
};
function goOrPause() {
  const goes = foot.status === "running" || (foot.status === "compiling" && foot.goes);
  if (foot.steers) send({ do: goes ? "pause" : "play" }), say($("pill"), goes ? "Pausing" : "Starting");
}
const step = steps => { if (foot.steers) send({ do: "step", steps }); };
// A number of steps, or a condition as `stop` of a run file has it, until which the run goes on.
function steps() {
  const text = $("many").value.trim(), many = Number(typed($("many")));
  if (Number.isSafeInteger(many) && many > 0) step(many);
  else if (/[<>=!]|\b(and|or|not)\b/.test(text)) { if (foot.steers) send({ do: "until", condition: text }); }
  else messages.tell("how many steps: a whole number above 0, or a condition such as count(sheep) < 10");
}
function setUp() {
  if (!foot.maySteer) return;
  const seed = typed($("seed"));
  if (!/^\d*$/.test(seed)) return messages.tell("the seed: a whole number from 0 on is needed");
  send({ do: "again", ...(seed && { seed }) }), messages.tell(`set up with ${seed ? "seed " + seed : "the same seed"}`);
}
// Every so-manieth step, or nothing.
function showEvery() {
  send({ do: "show", every: Number($("every").value) }), document.body.dataset.shows = $("every").value;
}
// Asks before: it cannot be undone.
function end() {
  const yes = () => { messages.drop("sure"), send({ do: "end" }); };
  if (foot.steers) messages.put("sure", { level: "warning", title: "End the run?", text: "It cannot go on afterwards. Its results stay.", action: ["End the run", yes] });
}
function keepPicture() {
  view.keep(blob => {
    if (!blob) return messages.tell("there is no picture yet");
    download(blob, "png");
  });
}
function download(blob, ending, more = "") {
  const href = URL.createObjectURL(blob), name = `${about.name || about.model}-${foot.step}.${ending}`;
  make("a", { href, download: name }).click(), setTimeout(() => URL.revokeObjectURL(href), 10000), messages.tell(`${name} is among your downloads${more}`);
}
function showVideo(isOn) {
  const [button] = all("[data-do=video]");
  button.setAttribute("aria-pressed", isOn), say(button.querySelector("span"), isOn ? "End video" : "Video");
}
function tab(which) {
  document.body.dataset.tab = which;
  for (const each of all("[role=tab]")) each.setAttribute("aria-selected", each.dataset.tab === which);
}
const otherTab = () => tab(document.body.dataset.tab === "observe" ? "control" : "observe");
const toggleTheme = beginTheme(() => { plots.draw(), showMonitors(series), view.ask(); });

const commands = new Commands([
  { heading: "Run" },
  { id: "play", words: "Play, pause", keys: [" "], does: goOrPause },
  { id: "step", words: "One step", keys: ["."], does: () => step(1) },
  { id: "steps", words: "As many steps as stand beside the button, or until that holds", keys: [">"], does: steps },
  { id: "slower", words: "Slower", keys: ["["], does: () => speed.set(-5) },
  { id: "faster", words: "Faster", keys: ["]"], does: () => speed.set(5) },
  { id: "every", words: "Show each step, every 10th, 100th, 1000th, or nothing", keys: ["n"], does: () => { $("every").selectedIndex = ($("every").selectedIndex + 1) % $("every").length, showEvery(); } },
  { id: "again", words: "Set up: a new run from its beginning", keys: ["s"], does: setUp },
  { id: "reset", words: "All parameters back to their defaults", keys: ["d"], does: () => { if (foot.maySteer) parameters.reset(); } },
  { id: "end", words: "End the run", keys: ["e"], does: end },
  { heading: "World" },
  { id: "zoom_in", words: "Zoom in", keys: ["+", "="], told: ["+"], does: () => view.zoomBy(1.5) },
  { id: "zoom_out", words: "Zoom out", keys: ["-"], told: ["−"], does: () => view.zoomBy(1 / 1.5) },
  { id: "fit", words: "Fit the world", keys: ["0", "f"], does: () => view.fit() },
  { words: "Move, or turn a volume; with Shift, inspect the place beside, or move a volume", told: ["←", "→", "↑", "↓"] },
  { id: "inspect", words: "Inspect the place under the mouse, or in the middle", keys: ["i"], does: inspectHere },
  { id: "inspect_none", words: "End the inspection", keys: ["Escape"], told: ["Esc"], does: () => place.end() },
  { id: "follow", words: "Follow the agent that was clicked, or the first at the inspected place, or end that", keys: ["l"], does: followOrEnd },
  { id: "axis", words: "Planes across another axis of three dimensions", keys: ["a"], does: () => layers.setAxis((layers.axis + 1) % 3) },
  { id: "through", words: "One plane, the mean or the largest through all, or all from any side: points, or translucent", keys: ["h"], does: () => layers.nextThrough() },
  { id: "plane_up", words: "The next plane of three dimensions", keys: ["PageUp"], told: ["Page ↑"], does: () => layers.setPlane(layers.plane + 1) },
  { id: "plane_down", words: "The plane before", keys: ["PageDown"], told: ["Page ↓"], does: () => layers.setPlane(layers.plane - 1) },
  { words: "The layer, or the agents, of that number", told: ["1", "…", "9"] },
  { id: "range", words: "Fit the colours to the values", keys: ["r"], does: () => layers.fit() },
  { heading: "Paint" },
  { id: "look", words: "Look, and move the world", keys: ["v"], does: () => tools.choose("look") },
  { id: "brush", words: "Paint with a brush", keys: ["b"], does: () => tools.choose("brush") },
  { id: "box", words: "Paint a box", keys: ["m"], does: () => tools.choose("box") },
  { id: "fill", words: "Fill what hangs together", keys: ["g"], does: () => tools.choose("fill") },
  { id: "smaller", words: "A smaller brush", keys: ["{"], does: () => tools.setSize(tools.size - 2) },
  { id: "larger", words: "A larger brush", keys: ["}"], does: () => tools.setSize(tools.size + 2) },
  { id: "paint", words: "Paint where the mouse is, or in the middle", keys: ["j"], does: paintHere },
  { id: "undo", words: "Undo what was painted last", keys: ["z"], does: () => { if (tools.steers) send({ do: "undo" }); } },
  { heading: "Page" },
  { id: "picture", words: "Save the view as a picture", keys: ["p"], does: keepPicture },
  { id: "video", words: "Record a video, a picture each shown step; end it", keys: ["c"], does: () => video.toggle() },
  { id: "dismiss", words: "Dismiss the messages", keys: ["x"], does: messages.dismissAll },
  { id: "panel", words: "The other panel, where one stands at a time", keys: ["o"], does: otherTab },
  { id: "theme", words: "Light or dark", keys: ["t"], does: toggleTheme },
  { id: "help", words: "Commands and keys", keys: ["?"], does: () => commands.help() },
], { ArrowLeft: arrow(-1, 0), ArrowRight: arrow(1, 0), ArrowUp: arrow(0, -1), ArrowDown: arrow(0, 1) });
$("every").addEventListener("change", showEvery);
for (let i = 1; i <= 9; i++) commands.keys[i] = () => layers.press(i);
for (const each of all("[role=tab]")) each.addEventListener("click", () => tab(each.dataset.tab));
$("many").addEventListener("input", () => $("many").classList.toggle("long", !/^[\d\s]*$/.test($("many").value)));
$("many").addEventListener("keydown", event => { if (event.key === "Enter") steps(); });
$("axis").addEventListener("change", () => layers.setAxis(Number($("axis").value)));
$("through").addEventListener("change", () => layers.setThrough($("through").value));
$("plane_at").addEventListener("input", () => layers.setPlane($("plane_at").valueAsNumber));
document.addEventListener("visibilitychange", look);
socket.open();

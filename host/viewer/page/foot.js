// The foot of the page: how far the run is, what was changed on the way, how fast it may go. And its state, at the head.
import { $, all, atMostEvery, icon, knob, make, say } from "./dom.js";
import { number, whole } from "./numbers.js";

export const words = { connecting: "Connecting", running: "Running", paused: "Paused", compiling: "Compiling", finished: "Finished", stopped: "Stopped",
  failed: "Failed", lost: "Line lost", refused: "Not let in" };
const most_edits = 200;
const over = ["finished", "stopped", "failed"], away = ["connecting", "lost", "refused"];

export class Foot {
  step = "0"; end = null; status = ""; goes = false; edits = []; maySteer = true;

  show(state, end) {
    if (Number(state.step) < Number(this.step)) this.edits = []; // a new run
    this.step = state.step, this.end = state.end ?? end;
    say($("count"), whole(state.step)), say($("rate"), state.status === "running" ? number(state.steps_per_second ?? 0, 3) : "0");
    const of = this.end === null ? "step" : `step of ${whole(this.end)}`;
    say($("of"), state.until ? `until ${state.until}` : of), $("of").title = state.until ?? "";
    $("track").hidden = this.end === null, $("done").style.width = this.share(this.step);
    this.become(state.status), this.showEdits();
  }
  share(step) { return `${Math.min(1, Number(step) / Math.max(1, Number(this.end))) * 100}%`; }

  // Whether this page may do more than look.
  allow(steers) {
    this.maySteer = steers, $("guest").hidden = steers, document.body.toggleAttribute("data-guest", !steers);
    for (const id of ["parameters", "speed", "many", "seed"]) $(id).inert = $(id).disabled = !steers;
    this.status = "";
  }
  become(status) {
    if (status === "running" || status === "paused") this.goes = status === "running";
    say($("pill"), words[status] ?? status);
    if (status === this.status) return;
    this.status = document.body.dataset.status = status;
    const isAway = away.includes(status), isRunning = status === "running";
    for (const button of all("#go, [data-steers]")) button.disabled = isAway || over.includes(status) || !this.maySteer;
    for (const button of all("[data-do=again]")) button.disabled = isAway || !this.maySteer;
    for (const aside of all("aside")) aside.inert = isAway;
    $("go").replaceChildren(icon(isRunning ? "pause" : "play")), $("go").setAttribute("aria-label", isRunning ? "Pause" : "Play");
  }
  get steers() { return !$("go").disabled; }

  edited(step, name) {
    if (!this.edits.some(each => each.step === step && each.name === name)) this.edits.push({ step, name }), this.edits.splice(0, this.edits.length - most_edits);
    this.showEdits();
  }
  showEdits() {
    const key = `${this.edits.length} ${this.end}`;
    if (key === this.shown) return;
    this.shown = key;
    $("edits").replaceChildren(...this.edits.map(({ step, name }) => make("span", { title: `${name}, step ${step}`, style: { left: this.share(step) } })));
  }
}

// A tenth to a thousand steps a second, each as far from the next; at the far end (0) as fast as it goes.
export class Speed {
  asked = null;

  constructor(send) {
    this.send = atMostEvery(100, () => send({ do: "speed", steps_per_second: this.asked }));
    $("speed").addEventListener("input", () => this.set(0)), this.show();
  }
  get now() {
    const at = $("speed").valueAsNumber;
    return at >= 100 ? 0 : +(10 ** (-1 + 4 * at / 99)).toPrecision(at < 25 ? 1 : 2);
  }
  set(more) { $("speed").value = $("speed").valueAsNumber + more, this.asked = this.now, this.show(), this.send(); }
  // What the run has, as long as nobody asked for another one here.
  told(now) {
    if (this.asked !== null || now === this.now) return;
    $("speed").value = now > 0 ? Math.round(99 * (Math.log10(now) + 1) / 4) : 100, this.show();
  }
  again() { if (this.asked !== null) this.send(); }
  show() {
    const { now } = this;
    say($("pace"), now ? `${number(now)} / s` : "as it goes"), $("speed").style.setProperty("--at", knob($("speed").value / 100));
    $("speed").setAttribute("aria-valuetext", now ? `${number(now)} steps a second` : "as fast as it goes");
  }
}

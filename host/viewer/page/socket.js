// The line to the run: the token, words and pictures, and trying again when the line is lost.
import { keep, kept } from "./dom.js";

const place = "tessera token of " + location.pathname;

// The token stands behind # in the address. It is taken out of there, so that nobody copies it with the address by mistake.
function takeToken() {
  const found = decodeURIComponent(location.hash.slice(1));
  if (!found) return kept("sessionStorage", place);
  keep("sessionStorage", place, found);
  history.replaceState(null, "", location.pathname + location.search);
  return found;
}

export class Socket {
  // hear: opened(), words(object), picture(buffer), lost(seconds until the next try), refused(why, is it the token).
  constructor(hear) {
    this.hear = hear, this.tries = 0, this.timer = 0, this.line = null, this.token = takeToken();
    addEventListener("hashchange", () => { if (location.hash.length > 1) this.token = takeToken(), this.again(); });
  }

  open() {
    clearTimeout(this.timer);
    if (!this.token) return this.hear.refused("the address has no token", true);
    const address = new URL("ws", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:", address.hash = "";
    const line = this.line = new WebSocket(address);
    line.binaryType = "arraybuffer";
    line.addEventListener("open", () => { line.send(JSON.stringify({ token: this.token })), this.hear.opened(); });
    line.addEventListener("message", event => this.line === line && this.receive(event.data));
    line.addEventListener("close", event => this.line === line && this.closed(event));
  }
  again() {
    const old = this.line;
    this.line = null, this.tries = 0;
    old?.close();
    this.open();
  }
  send(words) {
    if (this.line?.readyState === WebSocket.OPEN) this.line.send(JSON.stringify(words));
  }

  receive(data) {
    this.tries = 0; // the run has taken the token
    if (typeof data === "string") this.hear.words(JSON.parse(data));
    else this.hear.picture(data);
  }
  closed(event) {
    this.line = null;
    if (event.code === 1008) return this.hear.refused(event.reason || "the run refused this page", !/pages/.test(event.reason));
    const wait = Math.min(15, 0.5 * 2 ** this.tries++);
    this.timer = setTimeout(() => this.open(), wait * 1000);
    this.hear.lost(wait);
  }
}

// Light or dark: as the system has it, until somebody chooses.
import { keep, kept } from "./dom.js";

const dark = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement;
const name = "tessera theme";

// changed: what is drawn in the page's colours must be drawn anew.
export function beginTheme(changed) {
  const show = () => { root.dataset.theme = kept("localStorage", name) ?? (dark.matches ? "dark" : "light"), changed(); };
  dark.addEventListener("change", show), show();
  return function toggle() {
    const other = root.dataset.theme === "dark" ? "light" : "dark", system = dark.matches ? "dark" : "light";
    if (other === system) try { localStorage.removeItem(name); } catch { /* nothing is kept */ }
    else keep("localStorage", name, other);
    root.dataset.theme = other, changed();
  };
}

// Light or dark: as the system has it, until somebody chooses.
import { keep, kept } from "./dom.js";

const dark = matchMedia("(prefers-color-scheme: dark)"), root = document.documentElement;
const name = "tessera theme";

// changed: what is drawn in the page's colours must be drawn anew.
export function beginTheme(changed) {
  const show = () => { root.dataset.theme = kept("localStorage", name) ?? (dark.matches ? "dark" : "light"), changed(); };
  dark.addEventListener("change", show), show();
  return () => { keep("localStorage", name, root.dataset.theme === "dark" ? "light" : "dark"), show(); };
}

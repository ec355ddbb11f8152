/** Dark or light: as the system has it, or as a person chose; the exported page keeps its choice the same way. */
const NAMES = ["", "dark", "light"];
const KEY = "inarch-theme";

export function restoreTheme() {
  let kept = "";
  try {
    kept = localStorage.getItem(KEY) ?? "";
  } catch { /* a browser that keeps nothing */ }
  if (kept && NAMES.includes(kept)) document.documentElement.dataset.theme = kept;
}

/** Takes the next theme and returns what it is called. */
export function nextTheme() {
  const root = document.documentElement;
  const next = NAMES[(NAMES.indexOf(root.dataset.theme ?? "") + 1) % NAMES.length] ?? "";
  if (next) root.dataset.theme = next;
  else delete root.dataset.theme;
  try {
    localStorage.setItem(KEY, next);
  } catch { /* as above */ }
  return next || "as the system has it";
}

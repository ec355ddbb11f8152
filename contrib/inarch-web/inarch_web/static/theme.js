/** Dark or light: the system's theme or the user's choice. The exported page stores the choice under the same key. */
const NAMES = ["", "dark", "light"];
const KEY = "inarch-theme";

export function restoreTheme() {
  let kept = "";
  try {
    kept = localStorage.getItem(KEY) ?? "";
  } catch { /* the browser stores nothing */ }
  if (kept && NAMES.includes(kept)) document.documentElement.dataset.theme = kept;
}

/** Switches to the next theme and returns its name. */
export function nextTheme() {
  const root = document.documentElement;
  const next = NAMES[(NAMES.indexOf(root.dataset.theme ?? "") + 1) % NAMES.length] ?? "";
  if (next) root.dataset.theme = next;
  else delete root.dataset.theme;
  try {
    localStorage.setItem(KEY, next);
  } catch { /* as above */ }
  return next || "system";
}

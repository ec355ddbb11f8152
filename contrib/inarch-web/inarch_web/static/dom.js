/** Elements, created without parsing text as HTML. */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} given
 *   Attributes. A function is the listener for the event of that name.
 * @param {...(Node | string | null | undefined)} inside
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, given = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, String(value));
  }
  for (const part of inside) if (part !== null && part !== undefined) made.append(part);
  return made;
}

/**
 * A fragment of the exporter, which has escaped the session's text.
 * @param {string} html
 */
export function fragment(html) {
  const held = document.createElement("template");
  held.innerHTML = html;
  return held.content;
}

/** @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {E[]}
 */
export const each = (selector, within = document) =>
  /** @type {E[]} */ (/** @type {unknown} */ ([...within.querySelectorAll(selector)]));

/** Whether the focus is in a field for text. */
export const isTyping = () => {
  const at = document.activeElement;
  return at instanceof HTMLElement && (at.matches("input, textarea, select") || at.isContentEditable);
};

/** @param {string} words  announced by a screen reader when it is idle */
export const announce = (words) => say("polite", words);
/** @param {string} words  announced by a screen reader at once */
export const alertOf = (words) => say("urgent", words);

/** @param {string} id @param {string} words */
function say(id, words) {
  const place = byId(id);
  place.textContent = "";
  requestAnimationFrame(() => { place.textContent = words; });
}

/** @param {string | number | null | undefined} amount */
export function money(amount) {
  const usd = Number(amount ?? 0);
  if (usd === 0) return "$0";
  if (usd < 0.0001) return "<$0.0001";
  return usd >= 1 ? `$${usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}` : `$${usd.toFixed(4)}`;
}

/** @param {import("./wire.js").Spent} spent */
export function cost({ cost_usd = 0, unknown = 0 }) {
  if (!unknown) return money(cost_usd);
  return Number(cost_usd) ? `${money(cost_usd)} + ${unknown} unknown` : "unknown";
}

/** @param {string} time @returns {string} */
export function ago(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  if (!Number.isFinite(seconds)) return "";
  const names = /** @type {[number, Intl.RelativeTimeFormatUnit][]} */ ([[86400, "day"], [3600, "hour"], [60, "minute"]]);
  const told = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
  if (seconds > 30 * 86400) return new Date(time).toLocaleDateString("en", { dateStyle: "medium" });
  for (const [size, name] of names) if (seconds >= size) return told.format(-Math.floor(seconds / size), name);
  return "now";
}

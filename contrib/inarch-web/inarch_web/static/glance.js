/** At a glance: cost, plan, files and turns. */
import { byId, cost, each, make, money } from "./dom.js";
/** @import { State } from "./wire.js" */

const LISTS = ["items", "todos", "steps", "plan", "tasks"];
const TEXTS = ["text", "title", "content", "step", "task", "name", "description"];

export class Glance {
  #place = byId("glance");
  #plans = make("div", { class: "plans" });
  #figures = make("dl", { class: "glance-figures" });
  #files = make("ul", { class: "glance-files" });
  #turns = make("ol", { class: "glance-turns" });

  /** @param {{blame: (path: string) => void}} asks */
  constructor(asks) {
    this.asks = asks;
    this.#place.append(
      part("Spent", this.#figures), this.#plans, part("Files", this.#files), part("Turns", this.#turns));
  }

  clear() {
    this.#plans.replaceChildren();
  }

  /** @param {State} state */
  show(state) {
    const { requests = 0, input_tokens = 0, output_tokens = 0, estimated = 0 } = state.spent; // empty until it is summed
    const rows = [["Cost", cost(state.spent)], ["Requests", requests.toLocaleString("en")],
      ["Tokens in", (estimated ? "about " : "") + input_tokens.toLocaleString("en")], ["Tokens out", output_tokens.toLocaleString("en")]];
    if (state.max_cost_usd) rows.unshift(["Budget", money(state.max_cost_usd)]);
    this.#figures.replaceChildren(...rows.map(([name, value]) => make("div", {}, make("dt", {}, name ?? ""), make("dd", {}, value ?? ""))));
  }

  /** @param {HTMLElement} conversation  whose turns and files are listed, as far as they are shown */
  list(conversation) {
    const paths = new Set(each("code[data-path]", conversation).map((code) => code.dataset.path ?? ""));
    const rows = [...paths].filter(Boolean).sort().map((path) => make("li", {},
      make("button", { type: "button", class: "plain", title: "Author of each line", click: () => this.asks.blame(path) }, path)));
    this.#files.replaceChildren(...(rows.length ? rows : [make("li", { class: "quiet" }, "No files yet")]));
    const turns = each("section.chapter", conversation).filter((section) => section.id !== "t0").map((section) => make("li", {},
      make("button", { type: "button", class: "plain", click: () => { section.focus({ preventScroll: true }); section.scrollIntoView(); } },
        make("span", { class: "number" }, section.id.slice(1)), " ", section.querySelector(".prompt > pre")?.textContent?.slice(0, 90) ?? "")));
    this.#turns.replaceChildren(...turns);
  }

  /** @param {{kind: string, data: any}} event  of a plugin; a list of steps is shown as a todo list */
  event(event) {
    const name = LISTS.find((key) => Array.isArray(event.data?.[key]));
    if (!name) return;
    const rows = event.data[name].slice(0, 200).map((/** @type {any} */ item) => todo(item));
    const made = part(event.kind.replace(/[._]/g, " "), make("ul", { class: "todos" }, ...rows));
    made.dataset.kind = event.kind;
    const old = each(".glance-part", this.#plans).find((there) => there.dataset.kind === event.kind);
    if (old) old.replaceWith(made);
    else this.#plans.append(made);
  }
}

/** @param {any} item */
function todo(item) {
  const text = typeof item === "string" ? item : String(TEXTS.map((key) => item?.[key]).find((found) => typeof found === "string") ?? JSON.stringify(item));
  const status = String(item?.status ?? item?.state ?? (item?.done ? "done" : "")).toLowerCase();
  const kind = /^(done|completed?|finished|success)$/.test(status) ? "done" : /progress|active|running|doing|current/.test(status) ? "doing" : "open";
  const sign = { done: "✓", doing: "▸", open: "○" }[kind];
  return make("li", { class: `todo is-${kind}` }, make("span", { class: "todo-sign", "aria-hidden": "true" }, sign),
    make("span", { class: "unseen" }, `${kind}: `), make("span", {}, text));
}

/** @param {string} title @param {Node} inside */
function part(title, inside) {
  return make("section", { class: "glance-part" }, make("h2", {}, title), inside);
}

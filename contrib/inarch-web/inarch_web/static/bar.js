/** The line above the conversation: session, model, approval mode, cost. */
import { byId, make, money } from "./dom.js";
import { drawer, menu } from "./dialogs.js";
import { icon } from "./icons.js";
/** @import { Hello, State } from "./wire.js" */

export class Bar {
  /** @type {Hello | null} */
  #hello = null;
  #title = "Inarch";
  /** Ids of the sessions that wait for an answer. */
  #waiting = new Set();

  /** @param {{set: (given: Record<string, string>) => void, name: () => void, items: () => {words: string, keys?: string, act: () => void}[]}} asks */
  constructor(asks) {
    this.asks = asks;
    this.title = make("button", { type: "button", class: "plain title", title: "Name this session", click: asks.name });
    this.heading = make("h1", { class: "unseen" }, "Inarch");
    this.model = make("select", { class: "model", "aria-label": "Model", change: () => asks.set({ model: this.model.value }) });
    this.approve = make("select", { class: "approve", "aria-label": "Approval mode", change: () => asks.set({ approve: this.approve.value }) });
    this.spent = make("span", { class: "spent" });
    this.meter = make("meter", { class: "budget", min: "0", hidden: true, "aria-label": "Budget" });
    this.pages = make("span", { class: "pages quiet", hidden: true });
    this.line = make("p", { class: "line-state", role: "status", hidden: true });
    byId("bar").append(
      make("button", { type: "button", class: "plain only-narrow to-side", "aria-label": "Sessions", click: () => drawer("side") }, icon("sessions")),
      this.heading, this.title, make("span", { class: "running-dot", hidden: true, id: "running" }),
      make("div", { class: "bar-right" }, this.pages, make("span", { class: "money" }, this.meter, this.spent), this.model, this.approve,
        make("button", { type: "button", class: "plain only-no-glance to-glance", "aria-label": "At a glance", "aria-keyshortcuts": "g", click: () => drawer("glance") }, icon("glance")),
        menu("More", icon("more"), asks.items)),
      this.line);
  }

  /** @param {Hello} hello */
  offer(hello) {
    this.#hello = hello;
    if (!this.model.options.length) this.show(null); // before a session is open, which may take longer
  }

  /** @param {State | null} state */
  show(state) {
    const shown = state?.name || state?.title || "New session";
    this.title.textContent = shown;
    this.title.setAttribute("aria-label", `${shown}: name this session`);
    this.heading.textContent = shown;
    this.#title = `${state?.running != null ? "● " : ""}${shown} · Inarch`;
    this.#mark();
    byId("running").hidden = state?.running == null;
    const { models = [], modes = [], approve = "" } = this.#hello ?? {};
    fill(this.model, models.map((name) => ({ name, title: name.split("/").slice(1).join("/") || name, help: name })), state?.model ?? models[0] ?? "");
    fill(this.approve, modes, state?.approve ?? approve);
    this.spent.textContent = state && Number(state.spent.cost_usd ?? 0) ? money(state.spent.cost_usd) : "";
    const most = Number(state?.max_cost_usd ?? 0);
    this.meter.hidden = !most;
    if (most) {
      this.meter.max = most;
      this.meter.high = most * 0.8;
      this.meter.value = Number(state?.spent.cost_usd ?? 0);
      this.spent.textContent = `${money(state?.spent.cost_usd)} of ${money(most)}`;
    }
    this.pages.hidden = (state?.pages ?? 1) < 2;
    this.pages.textContent = `${state?.pages} pages`;
  }

  /**
   * Marks tab and icon while sessions wait for an answer, in whichever window they are open.
   * @param {{id: string, title: string, asks: boolean}[]} rows
   * @returns {{id: string, title: string}[]}  those that wait since this call
   */
  waits(rows) {
    const asking = rows.filter((row) => row.asks);
    const begun = asking.filter((row) => !this.#waiting.has(row.id));
    this.#waiting = new Set(asking.map((row) => row.id));
    this.#mark();
    return begun;
  }

  #mark() {
    const count = this.#waiting.size;
    document.title = `${count ? `(${count}) ` : ""}${this.#title}`;
    const icon = document.querySelector("link[rel=icon]");
    const place = `/static/icon${count ? "-waits" : ""}.svg`;
    if (icon?.getAttribute("href") !== place) icon?.setAttribute("href", place);
  }

  /** @param {string} words  the state of the connection; empty if it is open */
  connection(words) {
    this.line.textContent = words;
    this.line.hidden = !words;
  }
}

/** @param {HTMLSelectElement} select @param {import("./wire.js").Choice[]} rows @param {string} chosen */
function fill(select, rows, chosen) {
  const all = chosen && !rows.some(({ name }) => name === chosen) ? [{ name: chosen, title: chosen, help: "" }, ...rows] : rows;
  if ([...select.options].map((option) => option.value).join("\n") !== all.map(({ name }) => name).join("\n"))
    select.replaceChildren(...all.map(({ name, title, help }) => make("option", { value: name, title: help }, title)));
  select.value = chosen;
}

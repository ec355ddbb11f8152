/** The sessions of this directory: search, open and start them. */
import { ago, byId, make } from "./dom.js";
/** @import { SessionLine } from "./wire.js" */

export class Sessions {
  #open = "";
  #round = 0;
  #timer = 0;
  #isSoon = false;
  /** @type {SessionLine[]} */
  #shown = [];

  /** @param {{list: (words: string, from: number) => Promise<{sessions: SessionLine[], more: boolean | number}>, begin: () => void}} asks */
  constructor(asks) {
    this.asks = asks;
    this.search = make("input", { type: "search", id: "find-session", placeholder: "Search sessions", "aria-label": "Search sessions",
      autocomplete: "off", spellcheck: "false" });
    this.list = make("ol", { class: "session-list" });
    this.more = make("button", { type: "button", class: "plain", hidden: true, click: () => this.refresh(this.#shown.length) }, "More");
    this.none = make("p", { class: "quiet none", hidden: true });
    const begin = make("button", { type: "button", class: "wide", "aria-keyshortcuts": "n", click: () => this.asks.begin() }, "New session");
    byId("side").append(make("div", { class: "side-head" }, make("a", { class: "brand", href: "#/" }, mark(), "Inarch"), begin,
      make("button", { type: "button", class: "wide", id: "review", hidden: true }), this.search),
      make("div", { class: "side-list" }, this.list, this.none, this.more));
    this.search.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.refresh(), 150);
    });
    this.list.addEventListener("keydown", (event) => this.#walk(event));
  }

  /** @param {string} id */
  mark(id) {
    this.#open = id;
    for (const link of this.list.querySelectorAll("a")) link.toggleAttribute("aria-current", link.hash === `#/${id}`);
  }

  /** Requests the list soon, once for several calls. */
  soon() {
    if (this.#isSoon) return;
    this.#isSoon = true;
    setTimeout(() => {
      this.#isSoon = false;
      this.refresh();
    }, 400);
  }

  async refresh(from = 0) {
    const mine = ++this.#round;
    let found;
    try {
      found = await this.asks.list(this.search.value.trim(), from);
    } catch {
      return;
    }
    if (mine !== this.#round) return;
    this.#shown = from ? [...this.#shown, ...found.sessions] : found.sessions;
    const focused = document.activeElement instanceof HTMLAnchorElement && this.list.contains(document.activeElement) ? document.activeElement.hash : "";
    this.list.replaceChildren(...this.#shown.map((session) => this.#line(session)));
    if (focused) /** @type {HTMLElement | null} */ (this.list.querySelector(`a[href="${CSS.escape(focused)}"]`))?.focus();
    this.more.hidden = !found.more;
    this.none.hidden = this.#shown.length > 0;
    this.none.textContent = this.search.value ? "No session matches." : "No sessions yet in this folder.";
  }

  /** @param {SessionLine} session */
  #line(session) {
    const state = session.asks ? make("span", { class: "badge asks" }, "waits for you")
      : session.running ? make("span", { class: "badge runs" }, "runs") : null;
    const when = make("time", { datetime: session.updated }, ago(session.updated));
    return make("li", {}, make("a", { href: `#/${session.id}`, "aria-current": session.id === this.#open ? "true" : null },
      make("span", { class: "session-title" }, session.name || session.title || "No prompts yet"),
      make("span", { class: "session-more" }, when, state)));
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !(event.target instanceof HTMLAnchorElement)) return;
    const links = [...this.list.querySelectorAll("a")];
    const next = links[links.indexOf(event.target) + step];
    (next ?? (step < 0 ? this.search : event.target)).focus();
    event.preventDefault();
  }
}

function mark() {
  return make("img", { src: "/static/icon.svg", alt: "", width: "24", height: "24" });
}

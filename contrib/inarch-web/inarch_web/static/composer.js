/** The prompt: several lines, earlier prompts, completion of `/` and `@`, steering, stopping. */
import { announce, byId, make } from "./dom.js";
import { icon } from "./icons.js";
/** @import { State } from "./wire.js" */
/** @typedef {{from: number, items: {text: string, help: string}[]}} Completions */

export class Composer {
  /** @type {string[]} */
  #past = [];
  #at = 0;
  #draft = "";
  #round = 0;
  /** @type {Completions} */
  #offered = { from: 0, items: [] };
  #chosen = -1;
  #isRunning = false;

  /**
   * @param {{say: (text: string) => Promise<{as: string}>, cancel: () => void, unqueue: (place: number) => Promise<{text: string}>,
   *   complete: (text: string) => Promise<Completions>, failed: (error: Error) => void}} asks
   */
  constructor(asks) {
    this.asks = asks;
    this.text = make("textarea", { id: "say", rows: "1", placeholder: "Ask, or type / for commands and @ for files", "aria-label": "Prompt",
      role: "combobox", "aria-expanded": "false", "aria-controls": "completions", "aria-autocomplete": "list", autocomplete: "off",
      enterkeyhint: "send" });
    this.list = make("ul", { id: "completions", class: "completions", role: "listbox", "aria-label": "Completions", hidden: true });
    this.queue = make("ul", { class: "queue", "aria-label": "Waiting prompts" });
    this.extra = make("div", { class: "composer-extra" });
    this.stop = make("button", { type: "button", class: "stop", hidden: true, "aria-keyshortcuts": "Escape", click: () => this.asks.cancel() }, "Stop");
    this.send = make("button", { type: "submit", class: "primary send" }, "Send");
    const form = make("form", { class: "composer", submit: (/** @type {Event} */ event) => { event.preventDefault(); this.#send(); } },
      this.queue, this.list, this.text, make("div", { class: "composer-row" }, this.extra, this.stop, this.send));
    byId("composer").append(form);
    this.text.addEventListener("keydown", (event) => this.#key(event));
    this.text.addEventListener("input", () => this.#complete());
    this.text.addEventListener("blur", () => setTimeout(() => this.#offer({ from: 0, items: [] }), 150));
  }

  /** @param {string[]} prompts  earlier prompts, for the arrow keys */
  remember(prompts) {
    this.#past = prompts.filter(Boolean);
    this.#at = this.#past.length;
  }

  /** @param {State} state */
  show(state) {
    this.#isRunning = state.running !== null;
    this.stop.hidden = !this.#isRunning;
    this.send.textContent = this.#isRunning ? "Steer" : "Send";
    this.text.placeholder = this.#isRunning ? "Add to the prompt while it works" : "Ask, or type / for commands and @ for files";
    this.queue.replaceChildren(...state.queued.map((text, place) => make("li", {},
      make("span", { class: "queued-text" }, text),
      make("button", { type: "button", class: "plain", "aria-label": `Remove: ${text}`, click: () => this.#unqueue(place) }, icon("close")))));
  }

  focus() {
    this.text.focus();
  }

  /** @param {string} text */
  put(text) {
    this.text.value = text;
    this.text.focus();
    this.#complete();
  }

  async #send() {
    const text = this.text.value;
    if (!text.trim()) return;
    this.text.value = "";
    this.#offer({ from: 0, items: [] });
    try {
      const { as } = await this.asks.say(text);
      this.#past.push(text);
      this.#at = this.#past.length;
      if (as === "steer") announce("The model reads it before the next step.");
      if (as === "queued") announce("It becomes the next prompt.");
    } catch (error) {
      this.text.value = text;
      this.asks.failed(/** @type {Error} */ (error));
    }
  }

  /** @param {number} place */
  async #unqueue(place) {
    try {
      const { text } = await this.asks.unqueue(place);
      this.put([text, this.text.value].filter(Boolean).join("\n"));
    } catch (error) {
      this.asks.failed(/** @type {Error} */ (error));
    }
  }

  async #complete() {
    const before = this.text.value.slice(0, this.text.selectionStart);
    const mine = ++this.#round;
    if (!/^\/\S*$|(^|\s)@\S*$|^\/\S+ \S*$/.test(before)) {
      this.#offer({ from: 0, items: [] });
      return;
    }
    try {
      const found = await this.asks.complete(before);
      if (mine === this.#round) this.#offer(found);
    } catch { /* without completion it is typed in full */ }
  }

  /** @param {Completions} found */
  #offer(found) {
    this.#offered = found;
    this.#chosen = found.items.length ? 0 : -1;
    this.list.replaceChildren(...found.items.slice(0, 50).map((item, at) => make("li", { role: "option", id: `completion-${at}`,
      mousedown: (/** @type {Event} */ event) => { event.preventDefault(); this.#take(at); } },
      make("span", { class: "completion" }, item.text), make("span", { class: "quiet" }, item.help))));
    this.list.hidden = !found.items.length;
    this.text.setAttribute("aria-expanded", String(!this.list.hidden));
    this.#mark();
  }

  #mark() {
    [...this.list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === this.#chosen)));
    if (this.#chosen < 0) this.text.removeAttribute("aria-activedescendant");
    else this.text.setAttribute("aria-activedescendant", `completion-${this.#chosen}`);
    this.list.children[this.#chosen]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} at */
  #take(at) {
    const item = this.#offered.items[at];
    if (!item) return;
    const end = this.text.selectionStart;
    const ending = item.text.endsWith("/") ? "" : " ";
    this.text.setRangeText(item.text + ending, this.#offered.from, end, "end");
    this.#offer({ from: 0, items: [] });
    if (!ending) this.#complete();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing) return;
    if (!this.list.hidden && this.#keyInList(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#send();
    } else if (event.key === "Escape" && this.#isRunning) {
      event.preventDefault();
      this.asks.cancel();
    } else if (event.key === "ArrowUp" && !this.text.value.slice(0, this.text.selectionStart).includes("\n")) this.#walk(-1, event);
    else if (event.key === "ArrowDown" && !this.text.value.slice(this.text.selectionEnd).includes("\n")) this.#walk(1, event);
  }

  /** @param {KeyboardEvent} event */
  #keyInList(event) {
    const count = this.list.children.length;
    const typed = this.text.value.slice(this.#offered.from, this.text.selectionStart);
    const isWhole = this.#offered.items[this.#chosen]?.text === typed;
    if (event.key === "ArrowDown") this.#chosen = (this.#chosen + 1) % count;
    else if (event.key === "ArrowUp") this.#chosen = (this.#chosen + count - 1) % count;
    else if (event.key === "Escape") this.#offer({ from: 0, items: [] });
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && !isWhole)) this.#take(this.#chosen);
    else return false;
    event.preventDefault();
    this.#mark();
    return true;
  }

  /** @param {number} step @param {KeyboardEvent} event */
  #walk(step, event) {
    const next = this.#at + step;
    if (next < 0 || next > this.#past.length) return;
    if (this.#at === this.#past.length) this.#draft = this.text.value;
    this.#at = next;
    this.text.value = next === this.#past.length ? this.#draft : this.#past[next] ?? "";
    event.preventDefault();
  }
}

/** The turns of a session in one column, with their steps and streaming text. */
import { byId, each, fragment, make } from "./dom.js";
import { Growing } from "./streams.js";
/** @import { Delta, Entry, Step, Steps } from "./wire.js" */

const NEAR_END_PX = 120;
const OPEN_STEPS = 40;

/** @param {Element} found @returns {HTMLElement} */
const html = (found) => /** @type {HTMLElement} */ (found);

export class Conversation {
  /** @type {Map<string, Growing>} */
  #outputs = new Map();
  /** @type {{of: string, text: Growing, place: HTMLElement} | null} */
  #live = null;
  #following = true;
  #earlier = 0;

  /**
   * @param {HTMLElement} place
   * @param {{earlier: (before: number) => Promise<{turns: Entry[], earlier: number}>,
   *   steps: (turn: number, before: number) => Promise<Steps>,
   *   path: (part: ParentNode, turn: number) => void, placed: (part: ParentNode) => void}} asks
   */
  constructor(place, asks) {
    this.place = place;
    this.asks = asks;
    this.latest = byId("latest");
    this.latest.addEventListener("click", () => this.toEnd());
    addEventListener("scroll", () => this.#scrolled(), { passive: true });
    const grows = new ResizeObserver(() => this.#resized());
    for (const part of [place, byId("asked"), byId("dock"), byId("bar")]) grows.observe(part);
    setInterval(() => this.#tick(), 1000);
  }

  /** @param {Entry[]} turns @param {number} earlier */
  show(turns, earlier) {
    this.#forget();
    this.place.replaceChildren();
    this.#earlier = earlier;
    this.#offerEarlier();
    turns.forEach((entry, at) => this.#append(entry, at === turns.length - 1));
    this.toEnd();
  }

  /** @param {HTMLElement} words  shown while there are no turns */
  welcome(words) {
    if (!this.place.querySelector("section.chapter")) this.place.replaceChildren(words);
  }

  /** @param {Entry} entry  a turn that begins or ends: it replaces the section that was there */
  putTurn(entry) {
    this.place.querySelector(".welcome")?.remove();
    const old = this.section(entry.number);
    if (!old) this.#append(entry, true);
    else {
      const open = new Set(each("li[data-call] > details[open]", old).map((at) => at.parentElement?.dataset.call));
      const work = old.matches(".is-running") ? null : old.querySelector("details.work");
      const made = this.#made(entry, work instanceof HTMLDetailsElement ? work.open : null);
      for (const call of each("li[data-call]", made)) {
        const body = call.querySelector(":scope > details");
        if (body instanceof HTMLDetailsElement && open.has(call.dataset.call)) body.open = true;
      }
      const hadFocus = old.contains(document.activeElement);
      old.replaceWith(made);
      if (hadFocus) this.section(entry.number)?.focus({ preventScroll: true });
    }
    if (!entry.running) this.#forget();
    this.#follow();
  }

  /** @param {Step} step  a new or changed step: it replaces the one at its place */
  putStep(step) {
    const section = this.section(step.turn);
    if (!section) return;
    const list = step.later ? this.#later(section) : section.querySelector(".work ol.steps");
    if (!list) return;
    const item = fragment(step.html).querySelector("li");
    const old = each(":scope > li[data-place]", list).findLast((at) => at.dataset.place === String(step.place));
    if (item instanceof HTMLElement) {
      item.dataset.place = String(step.place);
      item.dataset.begun = old?.dataset.begun ?? String(Date.now());
      if (item.matches(".request:not(.is-open)")) this.#endLive();
      this.#insert(list, item, old);
      this.asks.placed(item);
    } else old?.remove();
    this.#count(section);
    this.#follow();
  }

  /** @param {Delta} delta  more of a streaming text */
  delta(delta) {
    if (delta.of === "output") this.#output(delta);
    else this.#reply(delta);
  }

  /** @param {number} number @returns {HTMLElement | null} */
  section(number) {
    return this.place.querySelector(`#t${number}`);
  }

  sections() {
    return each("section.chapter", this.place);
  }

  prompts() {
    return each(".prompt > pre", this.place).map((prompt) => prompt.textContent ?? "");
  }

  /** Whether the end is in sight, and stays so. */
  get isFollowing() {
    return this.#following;
  }

  toEnd() {
    this.#following = true;
    this.latest.hidden = true;
    this.#follow();
  }

  /** @param {Element} list @param {HTMLElement} item @param {HTMLElement | undefined} old */
  #insert(list, item, old) {
    const isOpen = old?.querySelector(":scope > details") instanceof HTMLDetailsElement && old.querySelector("details[open]");
    const body = item.querySelector(":scope > details");
    if (isOpen && body instanceof HTMLDetailsElement) body.open = true;
    const output = old?.querySelector(":scope > .live-output");
    if (output && item.matches(".is-open")) item.append(output);
    else if (old?.dataset.call) this.#outputs.delete(old.dataset.call);
    if (old) {
      const hadFocus = old.contains(document.activeElement);
      old.replaceWith(item);
      if (hadFocus) html(item.querySelector("summary") ?? item).focus({ preventScroll: true });
      return;
    }
    const after = each(":scope > li[data-place]", list).findLast((at) => Number(at.dataset.place) < Number(item.dataset.place));
    if (after) after.after(item);
    else list.append(item);
  }

  /** @param {HTMLElement} section */
  #later(section) {
    const there = section.querySelector("ol.later");
    if (there) return there;
    const made = make("ol", { class: "steps later" });
    section.append(made);
    return made;
  }

  /** @param {Entry} entry @param {boolean} isLast */
  #append(entry, isLast) {
    this.place.append(this.#made(entry, isLast ? null : false));
  }

  /** @param {Entry} entry @param {boolean | null} isOpen  null: unless it has its answer */
  #made(entry, isOpen) {
    const made = fragment(entry.html);
    if (entry.path) this.asks.path(made, entry.number);
    const work = made.querySelector("details.work");
    const list = made.querySelector(".work ol.steps");
    if (entry.steps && list) this.#fill(list, entry.number, entry.steps);
    else for (const some of each("ol.steps", made)) [...some.children].forEach((item, at) => { html(item).dataset.place = String(at); });
    const isLong = made.querySelectorAll("ol.steps > li").length > OPEN_STEPS && !entry.running;
    if (work instanceof HTMLDetailsElement) {
      work.open = (isOpen ?? (entry.running || !made.querySelector(".answer"))) && !isLong;
      const notes = entry.running ? [] : each(".note", work);
      if (notes.length) work.after(make("ol", { class: "steps notes" }, ...notes.map((note) => note.cloneNode(true))));
    }
    this.asks.placed(made);
    return made;
  }

  /** @param {Element} list @param {number} turn @param {Steps} steps */
  #fill(list, turn, steps) {
    const made = document.createDocumentFragment();
    steps.html.forEach((text, at) => {
      const item = fragment(text).querySelector("li");
      if (!(item instanceof HTMLElement)) return;
      item.dataset.place = String(steps.before + at);
      made.append(item);
    });
    this.asks.placed(made);
    list.querySelector(":scope > .more-steps")?.remove();
    list.prepend(made);
    if (steps.before > 0) {
      const button = make("button", { type: "button", class: "plain" }, `Show ${steps.before.toLocaleString("en")} earlier steps`);
      button.addEventListener("click", () => {
        button.disabled = true;
        this.asks.steps(turn, steps.before).then((more) => this.#fill(list, turn, more), () => { button.disabled = false; });
      });
      list.prepend(make("li", { class: "more-steps" }, button));
    }
  }

  #offerEarlier() {
    this.place.querySelector(".more-turns")?.remove();
    if (this.#earlier <= 0) return;
    const button = make("button", { type: "button", class: "plain" });
    button.textContent = `Show earlier turns (${this.#earlier.toLocaleString("en")} more)`;
    button.addEventListener("click", () => this.#getEarlier(button));
    this.place.prepend(make("p", { class: "more-turns" }, button));
    new IntersectionObserver(([seen], watcher) => {
      if (!seen?.isIntersecting || this.#following) return;
      watcher.disconnect();
      this.#getEarlier(button);
    }).observe(button);
  }

  /** @param {HTMLButtonElement} button */
  async #getEarlier(button) {
    const first = this.sections()[0];
    if (!first || button.disabled) return;
    button.disabled = true;
    try {
      const got = await this.asks.earlier(Number(first.id.slice(1)));
      const made = document.createDocumentFragment();
      for (const entry of got.turns) made.append(this.#made(entry, false));
      const top = first.getBoundingClientRect().top;
      first.before(made);
      this.#earlier = got.earlier;
      this.#offerEarlier();
      scrollBy({ top: first.getBoundingClientRect().top - top, behavior: "instant" });
    } catch {
      button.disabled = false;
    }
  }

  /** @param {Delta} delta */
  #output(delta) {
    let growing = this.#outputs.get(delta.call);
    if (!growing?.place.isConnected) {
      const item = each(`li[data-call="${CSS.escape(delta.call)}"]`, this.place).at(-1);
      if (!item) return;
      const place = make("pre", { class: "live-output", tabindex: "0", role: "log", "aria-live": "off",
        "aria-label": "Output so far" });
      item.append(place);
      growing = new Growing(place, () => this.#follow());
      this.#outputs.set(delta.call, growing);
    }
    growing.add(delta.text);
  }

  /** @param {Delta} delta */
  #reply(delta) {
    if (this.#live?.of !== delta.of) {
      if (this.#live?.of === "text") this.#endLive();
      const section = this.section(delta.turn);
      if (!section) return;
      const text = make("div", { class: delta.of === "reasoning" ? "live-text is-reasoning" : "live-text", dir: "auto" });
      const place = this.#live?.place ?? make("div", { class: "live" });
      place.append(text);
      if (!place.isConnected) (section.querySelector(".work") ?? section.lastElementChild ?? section).after(place);
      this.#live = { of: delta.of, text: new Growing(text, () => this.#follow()), place };
    }
    this.#live?.text.add(delta.text);
  }

  #endLive() {
    this.#live?.place.remove();
    this.#live = null;
  }

  #forget() {
    this.#endLive();
    this.#outputs.clear();
  }

  /** @param {HTMLElement} section  its summary counts the calls so far */
  #count(section) {
    const said = section.querySelector(".work > summary > .first");
    if (!said || !section.matches(".is-running")) return;
    const calls = section.querySelectorAll(".steps > .call").length;
    const failed = section.querySelectorAll(".steps > .call.is-failed").length;
    const more = section.querySelector(".more-steps") ? "+" : "";
    said.textContent = `${calls}${more} ${calls === 1 ? "call" : "calls"}${failed ? ` · ${failed} failed` : ""}`;
  }

  #tick() {
    for (const item of each(".is-running li.is-open[data-begun]", this.place)) {
      const seconds = Math.round((Date.now() - Number(item.dataset.begun)) / 1000);
      const row = item.querySelector(".row");
      let told = row?.querySelector(":scope > .so-far");
      if (row && !told) row.append(told = make("span", { class: "figures so-far" }));
      if (told) told.textContent = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    }
  }

  #scrolled() {
    const root = document.documentElement;
    this.#following = root.scrollHeight - root.clientHeight - root.scrollTop < NEAR_END_PX;
    this.latest.hidden = this.#following;
  }

  /** The focus is never scrolled behind the bar or the dock. */
  #resized() {
    document.documentElement.style.scrollPadding = `${byId("bar").offsetHeight + 16}px 0 ${byId("dock").offsetHeight + 8}px`;
    this.#follow();
  }

  #follow() {
    if (this.#following) scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  }
}

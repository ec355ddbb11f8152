/** Streaming text. It is added once a frame, in blocks, so that the browser lays out only the visible ones. */
import { make } from "./dom.js";

const LINES_A_BLOCK = 100;
const MOST_BLOCKS = 60;

/**
 * A text that grows at its end. A very long one keeps only its last blocks and counts the rest.
 * Removed blocks leave their height behind, because otherwise the visible text would jump.
 */
export class Growing {
  #blocks = 0;
  #dropped = 0;
  #droppedHeight = 0;
  #lines = 0;
  #waiting = "";
  #frame = 0;
  /** @type {HTMLElement | null} */
  #last = null;
  /** @type {HTMLElement} */
  #note;

  /**
   * @param {HTMLElement} place
   * @param {() => void} [shown]  called when text was added
   */
  constructor(place, shown = () => {}) {
    this.place = place;
    this.shown = shown;
    this.#note = make("p", { class: "left-out", hidden: true });
    place.append(this.#note);
  }

  /** @param {string} text */
  add(text) {
    this.#waiting += text;
    this.#frame ||= requestAnimationFrame(() => this.#put());
  }

  /** Removes the text. */
  remove() {
    cancelAnimationFrame(this.#frame);
    this.place.remove();
  }

  #put() {
    this.#frame = 0;
    const lines = this.#waiting.split(/(?<=\n)/);
    this.#waiting = "";
    const atEnd = this.place.scrollTop + this.place.clientHeight >= this.place.scrollHeight - 24;
    let some = "";
    for (const line of lines) {
      some += line;
      if (!line.endsWith("\n")) continue;
      if (++this.#lines % LINES_A_BLOCK === 0) {
        this.#append(some);
        some = "";
        this.#settle();
      }
    }
    if (some) this.#append(some);
    if (atEnd) this.place.scrollTop = this.place.scrollHeight;
    this.shown();
  }

  /** @param {string} text */
  #append(text) {
    if (!this.#last) {
      this.#last = make("span", { class: "block" });
      this.place.append(this.#last);
      this.#blocks += 1;
      if (this.#blocks > MOST_BLOCKS) this.#dropFirst();
    }
    const kept = this.#last.lastChild;
    if (kept instanceof Text && kept.length < 4_000) kept.appendData(text);
    else this.#last.append(text);
  }

  /** Ends a block. It keeps its height while it is out of sight, because a guess would move the text below it. */
  #settle() {
    if (this.#last) this.#last.style.containIntrinsicBlockSize = `${this.#last.getBoundingClientRect().height}px`;
    this.#last = null;
  }

  #dropFirst() {
    const first = this.#note.nextElementSibling;
    if (!first) return;
    this.#droppedHeight += first.getBoundingClientRect().height;
    first.remove();
    this.#blocks -= 1;
    this.#dropped += LINES_A_BLOCK;
    this.#note.hidden = false;
    this.#note.style.height = `${this.#droppedHeight}px`;
    this.#note.textContent = `${this.#dropped.toLocaleString("en")} earlier lines are hidden until the text is complete`;
  }
}

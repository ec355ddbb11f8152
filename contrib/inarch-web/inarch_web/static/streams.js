/** Text that still comes. It is put in place once a frame, in blocks of which the browser lays out only those in sight. */
import { make } from "./dom.js";

const LINES_A_BLOCK = 100;
const MOST_BLOCKS = 60;

/**
 * A text that grows at its end; of a very long one only the last blocks stay, and the rest is counted.
 * What goes leaves its height behind: otherwise all that is read would jump up by it.
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
   * @param {() => void} [shown]  is called when more is in place
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

  /** Takes it all away. */
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

  /** Ends a block. Out of sight it keeps the height that it has now: a guess would move all that stands below it. */
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
    this.#note.textContent = `${this.#dropped.toLocaleString("en")} earlier lines are not shown while more comes`;
  }
}

/** Keys that work unless you type; Alt with a letter always works. */
import { isTyping, make } from "./dom.js";
import { dialog } from "./dialogs.js";

/** @typedef {{keys: string[], words: string, act?: () => void}} Key */

export class Keys {
  /** @param {Key[]} keys */
  constructor(keys) {
    this.keys = keys;
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** Shows all of them. */
  sheet() {
    const rows = this.keys.filter(({ words }) => words).map(({ keys, words }) => make("div", {}, make("dt", {}, ...keys.flatMap((key) => [make("kbd", {}, key), " "])), make("dd", {}, words)));
    dialog("Keys", [make("dl", { class: "key-list" }, ...rows)]);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (!event.altKey && isTyping()) return;
    const name = event.altKey ? `Alt ${event.code.replace("Key", "")}` : event.key;
    const found = this.keys.find(({ keys, act }) => act && keys.includes(name));
    if (!found?.act) return;
    event.preventDefault();
    found.act();
  }
}

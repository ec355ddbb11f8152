/** Optional parts: the user's own page in a frame, the selection in it, and voice. */
import { byId, make } from "./dom.js";
import { dialog, told } from "./dialogs.js";
import { icon } from "./icons.js";
/** @import { Hello } from "./wire.js" */

export class Extras {
  /** @type {any} */
  #pointing = null;
  /** @type {any} */
  #voice = null;
  #missing = "";

  /**
   * @param {(what: string, given?: Record<string, unknown>) => Promise<any>} ask
   * @param {(data: Uint8Array<ArrayBuffer>) => void} sendBytes
   * @param {HTMLElement} place  beside the prompt
   */
  constructor(ask, sendBytes, place) {
    this.ask = ask;
    this.sendBytes = sendBytes;
    this.chip = make("span", { class: "selection-chip", hidden: true });
    this.microphone = make("button", { type: "button", class: "plain microphone", "aria-label": "Talk", "aria-pressed": "false", "aria-keyshortcuts": "m",
      click: () => this.talk() }, icon("talk"));
    this.captions = make("div", { class: "voice-host", hidden: true });
    place.append(this.microphone, this.chip);
    place.before(this.captions);
  }

  /** @param {Hello} hello */
  async offer(hello) {
    this.#missing = hello.voice;
    const page = hello.proxy;
    if (!page || this.#pointing) return;
    const frame = byId("frame");
    frame.hidden = false;
    document.body.classList.add("has-frame");
    const module = await import("./pointing.js");
    this.#pointing = module.mount(frame, page, { select: (selection) => this.ask("select", { selection }) });
  }

  /** @param {any} selection  the selection for every tool from now on */
  selected(selection) {
    this.#pointing?.shows(selection);
    this.chip.hidden = !selection;
    if (!selection) return;
    const words = String(selection.words ?? `<${selection.tag ?? "element"}>`);
    const clear = make("button", { type: "button", class: "plain small", "aria-label": `Clear the selection: ${words}`,
      click: () => { this.ask("select", { selection: null }).catch(told); } }, icon("close"));
    this.chip.replaceChildren(make("span", { class: "selection-words" }, words), clear);
  }

  /** @param {string[]} paths  files of the workspace that have changed */
  edited(paths) {
    this.#pointing?.edited(paths);
  }

  /** @param {any} message */
  async answer(message) {
    if (this.#pointing) return this.#pointing.asked(message);
    throw Object.assign(new Error("no page is shown in a frame"), { remedy: "inarch web --page http://localhost:3000" });
  }

  pick() {
    const button = document.querySelector(".pointing-pick");
    if (button instanceof HTMLElement) button.click();
  }

  async talk() {
    if (this.#missing) {
      dialog("Talk", [make("p", {}, this.#missing)]);
      return;
    }
    try {
      if (!this.#voice) {
        const address = "./voice.js"; // imported only if voice is used
        const module = await import(address);
        this.captions.hidden = false;
        this.#voice = module.mount({ host: this.captions, send: (/** @type {any} */ given) => this.ask("voice", given), sendBytes: this.sendBytes });
      } else {
        this.#voice.close();
        this.#voice = null;
        this.captions.hidden = true;
      }
      this.microphone.setAttribute("aria-pressed", String(this.#voice !== null));
    } catch (error) {
      told(error);
    }
  }

  /** @param {any} message */
  voice(message) {
    this.#voice?.received(message);
  }

  /** @param {ArrayBuffer} data */
  sound(data) {
    this.#voice?.receivedBytes(data);
  }
}

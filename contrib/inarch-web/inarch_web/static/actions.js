/** What can be done with turns and files by a click: undo, redo, blame, fork, export. */
import { announce, each, make } from "./dom.js";
import { confirmed, dialog, notice, told } from "./dialogs.js";
/** @import { Undone } from "./wire.js" */
/** @typedef {(what: string, given?: Record<string, unknown>, part?: (part: any) => void) => Promise<any>} Ask  asks the server about the open session */

export class Actions {
  /** @param {Ask} ask @param {(session: string) => void} open */
  constructor(ask, open) {
    this.ask = ask;
    this.open = open;
  }

  /** @param {ParentNode} made  what is about to be placed: its turns and files get their buttons */
  equip(made) {
    const sections = made instanceof HTMLElement && made.matches("section.chapter") ? [made] : each("section.chapter", made);
    for (const section of sections) {
      const number = Number(section.id.slice(1));
      if (number < 1 || section.matches(".is-running")) continue;
      section.querySelector(".turn-head")?.append(make("span", { class: "turn-tools" },
        button("Undo", `Undo turn ${number}`, () => this.undo("undo", String(number))),
        button("Fork", `Fork after turn ${number}`, () => this.fork(number))));
    }
    for (const code of each(".files code[data-path]", made)) {
      const path = code.dataset.path ?? "";
      const call = code.closest("li[data-call]");
      code.after(make("span", { class: "file-tools" }, button("Blame", `Who wrote the lines of ${path}`, () => this.blame(path)),
        call instanceof HTMLElement ? button("Undo", `Undo what this call did to ${path}`, () => this.undo("undo", call.dataset.call ?? "")) : null));
    }
  }

  /** @param {"undo" | "redo"} what @param {string} [target] */
  async undo(what, target = "") {
    try {
      const plan = await this.ask(what, { target, dry_run: true });
      if (!plan.files.length) {
        notice(plan.notes[0] ?? `There is nothing to ${what}.`);
        return;
      }
      const word = what === "undo" ? "Undo" : "Redo";
      if (!(await confirmed(`${word} ${plan.what}?`, shown(plan), word))) return;
      const done = await this.ask(what, { target, dry_run: false });
      notice(done.done ? `${what === "undo" ? "Undone" : "Done again"}: ${done.what}` : done.notes.join(" ") || "Nothing was changed.");
    } catch (error) {
      told(error);
    }
  }

  /** @param {string} path */
  async blame(path) {
    try {
      const found = await this.ask("blame", { path });
      const rows = found.lines.map((/** @type {{line: number, text: string, turn: number | null, call: string}} */ line) => make("tr", {},
        make("td", { class: "right" }, String(line.line)),
        make("td", {}, line.turn ? make("button", { type: "button", class: "plain turn-link", click: () => goTo(line.turn ?? 0) }, `turn ${line.turn}`)
          : make("span", { class: "quiet" }, "before")),
        make("td", {}, make("code", {}, line.text || " "))));
      const head = make("thead", {}, make("tr", {}, ...["Line", "Written in", "Text"].map((name) => make("th", { scope: "col" }, name))));
      dialog(found.path, [make("div", { class: "scrolls" }, make("table", { class: "blame" }, head, make("tbody", {}, ...rows)))], "is-wide");
    } catch (error) {
      told(error);
    }
  }

  /** @param {number | null} at */
  async fork(at) {
    try {
      const { session } = await this.ask("fork", { at });
      this.open(session);
      announce("This is the fork.");
    } catch (error) {
      told(error);
    }
  }

  /** @param {string} form */
  async export(form) {
    try {
      /** @type {string[]} */
      const parts = [];
      const made = await this.ask("export", { form }, (part) => { parts[part.part] = part.text; });
      const address = URL.createObjectURL(new Blob(parts, { type: made.type }));
      const link = make("a", { href: address, download: made.name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      notice(`Exported: ${made.name}`);
    } catch (error) {
      told(error);
    }
  }
}

/** @param {number} turn */
function goTo(turn) {
  document.querySelector("dialog")?.close();
  const section = document.getElementById(`t${turn}`);
  section?.scrollIntoView();
  section?.focus({ preventScroll: true });
}

/** @param {string} words @param {string} label @param {() => void} act */
function button(words, label, act) {
  return make("button", { type: "button", class: "plain small", "aria-label": label, title: label, click: act }, words);
}

/** @param {Undone} plan */
function shown(plan) {
  const files = plan.files.map((file) => make("li", {}, make("span", { class: "verb" }, file.action), " ", make("code", {}, file.path),
    file.note ? make("span", { class: "quiet" }, ` ${file.note}`) : null));
  const conflicts = plan.conflicts.map((one) => make("li", {}, make("code", {}, one.path), " ", one.text));
  const notes = plan.notes.map((note) => make("p", { class: "quiet" }, note));
  return [make("ul", { class: "files" }, ...files), ...(conflicts.length ? [make("h3", { class: "bad" }, "In the way"), make("ul", { class: "files" }, ...conflicts)] : []), ...notes];
}

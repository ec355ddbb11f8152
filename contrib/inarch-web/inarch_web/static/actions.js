/** Buttons of turns and files: undo, redo, blame, fork, export. */
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

  /** @param {ParentNode} made  a part before it is placed: its turns and files get their buttons */
  equip(made) {
    const sections = made instanceof HTMLElement && made.matches("section.chapter") ? [made] : each("section.chapter", made);
    for (const section of sections) {
      const number = Number(section.id.slice(1));
      if (number < 1 || section.matches(".is-running")) continue;
      section.querySelector(".turn-head")?.append(make("span", { class: "turn-tools" },
        button("Undo", `Undo turn ${number}`, () => this.undo(String(number))),
        button("Fork", `Fork after turn ${number}`, () => this.fork(number))));
    }
    for (const code of each(".files code[data-path]", made)) {
      const path = code.dataset.path ?? "";
      const call = code.closest("li[data-call]");
      code.after(make("span", { class: "file-tools" }, button("Blame", `Blame: who wrote the lines of ${path}`, () => this.blame(path)),
        call instanceof HTMLElement ? button("Undo", `Undo this call's changes to ${path}`, () => this.undo(call.dataset.call ?? "")) : null));
    }
  }

  /** @param {string} [target]  a turn or a call; by default the last turn that changed files */
  async undo(target = "") {
    try {
      const plan = await this.ask("undo", { target, dry_run: true });
      if (!plan.files.length && !plan.conflicts.length) {
        notice(plan.notes[0] ?? "There is nothing to undo.");
        return;
      }
      if (!(await confirmed(`Undo ${plan.what.join(", ")}?`, shown(plan), "Undo"))) return;
      report("Undone", await this.ask("undo", { target }));
    } catch (error) {
      told(error);
    }
  }

  /** Reapplies the last reverted change. */
  async redo() {
    try {
      report("Redone", await this.ask("redo"));
    } catch (error) {
      told(error);
    }
  }

  /** @param {string} path @param {number} [line]  to begin at */
  async blame(path, line) {
    const session = location.hash.slice(2);
    try {
      const found = await this.ask("blame", { path });
      const rows = found.lines.map((/** @type {any} */ line) => make("tr", {}, make("td", { class: "right" }, String(line.line)),
        make("td", {}, writer(line, session)), make("td", {}, make("code", {}, line.text || " "))));
      const head = make("thead", {}, make("tr", {}, ...["Line", "Written in", "Text"].map((name) => make("th", { scope: "col" }, name))));
      dialog(found.path, [make("div", { class: "scrolls" }, make("table", { class: "blame" }, head, make("tbody", {}, ...rows)))], "is-wide");
      const here = line ? rows[line - 1] : null;
      here?.classList.add("is-here");
      here?.scrollIntoView({ block: "center" });
    } catch (error) {
      told(error);
    }
  }

  /** @param {number | null} at */
  async fork(at) {
    try {
      const { session } = await this.ask("fork", { at });
      this.open(session);
      announce("This is the new fork.");
    } catch (error) {
      told(error);
    }
  }

  /** @param {string} form */
  async export(form) {
    try {
      /** @type {Uint8Array<ArrayBuffer>[]} */
      const parts = [];
      const made = await this.ask("export", { form }, (part) => { parts[part.part] = bytesOf(part.base64); });
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

/** @param {any} line  of a file @param {string} session  the one that is open */
function writer(line, session) {
  if (!line.turn) return make("span", { class: "quiet" }, "before");
  const title = String(line.prompt ?? "");
  if (line.session_id === session)
    return make("button", { type: "button", class: "plain turn-link", title, click: () => goTo(line.turn) }, `turn ${line.turn}`);
  return make("a", { class: "turn-link", title, href: `#/${line.session_id}` }, `turn ${line.turn} of another session`);
}

/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));

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

/** @param {string} word @param {Undone} done */
function report(word, done) {
  if (done.done) notice(`${word}: ${done.what.join(", ")}`, done.notes.join(" "));
  else dialog("Some of it failed", shown(done));
}

/** @param {Undone} plan */
function shown(plan) {
  const files = plan.files.map((file) => make("li", {}, make("span", { class: "verb" }, file.action), " ", make("code", {}, file.path),
    file.note ? make("span", { class: "quiet" }, ` ${file.note}`) : null));
  const conflicts = plan.conflicts.map((one) => make("li", {}, make("code", {}, one.path), " ", one.text));
  const notes = plan.notes.map((note) => make("p", { class: "quiet" }, note));
  return [make("ul", { class: "files" }, ...files), ...(conflicts.length ? [make("h3", { class: "bad" }, "Conflicts"), make("ul", { class: "files" }, ...conflicts)] : []), ...notes];
}

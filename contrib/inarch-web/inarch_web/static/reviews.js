/** Changes that a session made in a copy of the workspace: their files, what of them to apply. */
import { ago, byId, each, make } from "./dom.js";
import { confirmed, dialog, notice, told } from "./dialogs.js";
/** @import { Change, ChangedFile } from "./wire.js" */

export class Reviews {
  /** @param {(given: Record<string, unknown>) => Promise<any>} ask */
  constructor(ask) {
    this.ask = ask;
    byId("review").addEventListener("click", () => this.open());
  }

  /** Shows the button if changes wait. */
  async refresh() {
    /** @type {{changes: Change[]}} */
    const { changes } = await this.ask({}).catch(() => ({ changes: [] })); // without the commands nothing waits
    byId("review").hidden = !changes.length;
    byId("review").textContent = changes.length > 1 ? `Review ${changes.length} changes` : "Review a change";
    return changes;
  }

  async open() {
    const changes = await this.refresh();
    if (!changes.length) notice("No change waits for a review.", "inarch --approve review works in a copy and leaves one.");
    else if (changes.length === 1) this.#show(changes[0]?.id ?? "");
    else dialog("Changes to review", changes.map(({ id, began }) => make("button", { type: "button", class: "wide", click: () => this.#show(id) }, `${ago(began)} · ${id}`)));
  }

  /** @param {string} id */
  async #show(id) {
    try {
      /** @type {Change} */
      const change = await this.ask({ change: id });
      const apply = make("button", { type: "button", class: "primary", click: () => this.#apply(change, made) });
      const discard = make("button", { type: "button", click: () => this.#discard(change) }, "Discard all");
      const made = dialog(`Review ${count(change.files.length)}`, [make("p", { class: "quiet" }, "Nothing of it is in your workspace yet. inarch undo takes back what you apply."),
        ...change.files.map(row), make("div", { class: "dialog-buttons" }, discard, apply)], "is-wide");
      const mark = () => {
        const { length } = chosen(made);
        apply.textContent = `Apply ${length === change.files.length && length > 1 ? "all " : ""}${count(length)}`;
        apply.disabled = !length;
      };
      made.addEventListener("change", mark);
      mark();
    } catch (error) {
      told(error);
    }
  }

  /** @param {Change} change @param {HTMLDialogElement} made */
  async #apply(change, made) {
    const paths = chosen(made).map((box) => box.value);
    const usual = change.files.filter(isUsual).map((file) => file.path);
    made.close();
    try { // all of the usual ones: the commits of the copy come along
      notice((await this.ask({ change: change.id, words: ["apply", ...(paths.join("\n") === usual.join("\n") ? [] : paths)] })).text);
      if ((await this.refresh()).some(({ id }) => id === change.id)) this.#show(change.id);
    } catch (error) {
      told(error);
    }
  }

  /** @param {Change} change */
  async #discard(change) {
    if (!(await confirmed("Discard this change?", [make("p", {}, `${count(change.files.length)} will be lost.`)], "Discard"))) return;
    await this.ask({ change: change.id, words: ["discard"] }).then(({ text }) => notice(text), told);
    this.refresh();
  }
}

/** @param {HTMLElement} made */
const chosen = (made) => /** @type {HTMLInputElement[]} */ (each("input[type=checkbox]:checked", made));

/** @param {ChangedFile} file  one that steers other programs is applied only if it is chosen */
const isUsual = (file) => !file.look_at.length && !file.problem;

/** @param {number} files */
const count = (files) => `${files.toLocaleString("en")} ${files === 1 ? "file" : "files"}`;

/** @param {ChangedFile} file */
function row(file) {
  const lines = file.diff.slice(2).map((line) => make(line.startsWith("+") ? "ins" : line.startsWith("-") ? "del" : "span", { class: line.startsWith("@") ? "gap" : null }, `${line}\n`));
  const box = make("input", { type: "checkbox", value: file.path, checked: isUsual(file), disabled: Boolean(file.problem) });
  const about = [file.added === null ? file.change : `+${file.added} −${file.removed}`, file.problem && `can't be applied: ${file.problem}`, ...file.look_at, file.ignored && "not in Git"];
  return make("div", { class: "review-file" }, make("label", {}, box, make("code", {}, file.name), make("span", { class: "quiet" }, about.filter(Boolean).join(" · "))),
    lines.length ? make("details", {}, make("summary", {}, "Changed lines"), make("pre", { class: "diff", tabindex: "0" }, make("code", {}, ...lines))) : null);
}

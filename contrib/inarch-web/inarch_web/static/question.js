/** An approval question: the calls with previews end the conversation, the title and the answers are in the dock. */
import { alertOf, announce, byId, each, fragment, make } from "./dom.js";
/** @import { Answer, AskedCall, Question } from "./wire.js" */

const WORDS = /** @type {Record<string, string>} */ ({ approve: "approved", deny: "denied", modify: "changed" });

export class Asking {
  /** @type {Question | null} */
  #question = null;
  #place = byId("question");
  #calls = byId("asked");

  /**
   * @param {(question: number, answers: Answer[]) => Promise<{counts: boolean, by?: unknown}>} answer
   * @param {(question: number) => Promise<{call: string, text: string}>} trial
   */
  constructor(answer, trial) {
    this.answer = answer;
    this.trial = trial;
    for (const place of [this.#place, this.#calls]) place.addEventListener("keydown", (event) => this.#key(event));
    for (const name of ["scroll", "resize"]) addEventListener(name, () => this.#count(), { passive: true });
  }

  get isOpen() {
    return this.#question !== null;
  }

  /** @param {Question | null} question */
  show(question) {
    this.#question = question;
    this.#place.hidden = this.#calls.hidden = !question;
    this.#calls.replaceChildren(...(question?.calls ?? []).map((call) => this.#card(call)));
    if (!question) {
      this.#place.replaceChildren();
      return;
    }
    const [first, ...more] = question.calls;
    const head = more.length ? `Run these ${question.calls.length} calls?` : heading(first);
    const about = more.length ? [] : aboutOf(first);
    const keys = make("p", { class: "question-keys" }, make("kbd", {}, "Alt Q"), " then ", make("kbd", {}, "A"), " yes  ", make("kbd", {}, "D"), " no");
    this.#place.replaceChildren(make("header", { class: "question-head" }, make("h2", {}, head), keys),
      ...about, this.#buttons(question));
    if (more.length) each(".asked", this.#calls).forEach((card, at) => card.prepend(make("h3", {}, heading(question.calls[at])), ...aboutOf(question.calls[at])));
    this.#count();
    alertOf([head, ...about.map((line) => line.textContent), "Alt Q focuses the question."].join(" "));
  }

  /** Scrolls to the begin of calls that are longer than the window. */
  toStart() {
    if (this.#calls.offsetHeight > innerHeight - byId("dock").offsetHeight - byId("bar").offsetHeight) this.#calls.scrollIntoView({ block: "start" });
    this.#count();
  }

  /** The answer says how many lines of a change are below the part in sight. */
  #count() {
    const yes = this.#place.querySelector("[data-answer=approve]");
    if (!yes) return;
    const end = this.#place.getBoundingClientRect().top;
    const below = each(".diff", this.#calls).reduce((sum, diff) => {
      const { bottom, height } = diff.getBoundingClientRect();
      return sum + Math.round(Math.min(Math.max((bottom - end) / height, 0), 1) * diff.querySelectorAll("ins, del, [data-line]").length);
    }, 0);
    yes.textContent = `${this.#question?.calls.every((call) => call.asks) ? "Answer" : "Yes"}${below > 1 ? `, with ${below.toLocaleString("en")} lines below` : ""}`;
  }

  /** @param {{id: number, by: number, outcomes: {call: string, outcome: string}[]}} told @returns {boolean}  whether it was the shown one */
  settled(told) {
    if (this.#question?.id !== told.id) return false;
    const hadFocus = [this.#place, this.#calls].some((place) => place.contains(document.activeElement));
    this.show(null);
    if (hadFocus) byId("say").focus();
    announce(`Answered: ${[...new Set(told.outcomes.map((one) => WORDS[one.outcome] ?? one.outcome))].join(", ")}`);
    return true;
  }

  focus() {
    const field = this.#question?.calls.every((call) => call.asks) ? this.#calls.querySelector("input.right-values") : null;
    if (this.#question) (field instanceof HTMLElement ? field : this.#place).focus();
  }

  /** @param {AskedCall} call */
  #card(call) {
    const card = make("article", { class: "asked sheet", "data-asked": call.call, "aria-label": heading(call) });
    if (!call.asks) card.append(make("div", { class: "asked-preview" }, fragment(call.html)));
    if (call.file) card.append(this.#editor(call.file));
    if (call.rights.length) card.append(this.#rights(call));
    return card;
  }

  /** @param {import("./wire.js").ProposedFile} file */
  #editor(file) {
    const text = make("textarea", { class: "asked-text", spellcheck: "false", "aria-label": `Proposed text of ${file.path}`,
      rows: Math.min(Math.max(file.after.split("\n").length + 1, 6), 22) });
    text.value = file.after;
    text.dataset.before = file.after;
    const body = make("details", { class: "asked-edit" }, make("summary", {}, "Edit the proposed file"), text,
      make("p", { class: "quiet" }, "Yes proposes this text instead. You see it once more before it runs, and the model learns of it."));
    body.addEventListener("toggle", () => { if (body.open) text.focus(); });
    return body;
  }

  /** @param {AskedCall} call */
  #rights(call) {
    const rows = call.rights.map((right) => {
      const chosen = call.chosen?.[right.name];
      const box = make("input", { type: "checkbox", value: right.name, checked: chosen !== undefined });
      const values = right.takes ? make("input", { type: "text", class: "right-values", placeholder: right.takes, "aria-label": `${right.words}: ${right.takes}`,
        value: (chosen ?? []).join(" "), autocomplete: "off", spellcheck: "false" }) : null;
      values?.addEventListener("input", () => { box.checked = values.value.trim() !== ""; });
      if (call.asks) return this.#asked(right, box, values);
      return make("div", { class: "right" }, make("label", { class: "right-box" }, box, " ", right.words), values);
    });
    const legend = call.asks ? "Your answers" : "Also allow for this call";
    return make("fieldset", { class: "asked-rights" }, make("legend", {}, legend), ...rows);
  }

  /**
   * A question with its choices: each is a button that fills the line. The user may type another answer.
   * @param {import("./wire.js").Right} right @param {HTMLElement} box @param {HTMLInputElement | null} values
   */
  #asked(right, box, values) {
    box.hidden = true;
    const choose = (/** @type {string} */ choice) => {
      if (!values) return;
      values.value = choice;
      values.dispatchEvent(new Event("input"));
    };
    const choices = right.choices.map((choice) => make("button", { type: "button", class: "choice", click: () => choose(choice) }, choice));
    return make("div", { class: "right" }, box, make("p", { class: "right-box" }, right.words), ...choices, values);
  }

  /** @param {Question} question */
  #buttons(question) {
    const scopes = question.calls[0]?.scopes ?? [];
    const shared = scopes.filter((scope) => question.calls.every((call) => call.scopes.some((one) => one.scope === scope.scope)));
    const reach = make("select", { class: "scope", "aria-label": "Scope of the approval" },
      ...shared.map((scope) => make("option", { value: scope.scope }, scope.label)));
    const likely = question.calls.length > 1 ? "" : Object.entries(question.calls[0]?.likely ?? {}).map(([name, values]) => `${name} to ${values.join(" and ")}`).join(" and ");
    const reason = make("input", { class: "why-not", placeholder: "Why not, or what else to do", "aria-label": "Why not, or what else to do",
      autocomplete: "off" });
    reason.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#send("deny");
    });
    return make("div", { class: "answers" },
      make("button", { type: "button", class: "primary", "data-answer": "approve", click: () => this.#send("approve") }, "Yes"),
      likely ? make("button", { type: "button", "data-answer": "likely", click: () => this.#send("approve", true) }, `Yes, with ${likely}`) : null,
      shared.length > 1 ? reach : null,
      question.calls.some((call) => call.tries)
        ? make("button", { type: "button", "data-answer": "try", title: "Run it in a copy and show what it would change", click: () => this.#try() }, "Try it") : null,
      make("span", { class: "apart" }),
      reason,
      make("button", { type: "button", "data-answer": "deny", click: () => this.#send("deny") }, "No"));
  }

  /** @param {"approve" | "deny"} outcome @param {boolean} [likely]  with the rights that the call plainly needs */
  async #send(outcome, likely = false) {
    const question = this.#question;
    if (!question) return;
    const answers = question.calls.map((call) => this.#answerOf(call, outcome));
    if (likely && answers[0]) answers[0].rights = { ...answers[0].rights, ...question.calls[0]?.likely };
    const buttons = /** @type {HTMLButtonElement[]} */ (each("[data-answer]", this.#place));
    buttons.forEach((button) => { button.disabled = true; });
    try {
      const told = await this.answer(question.id, answers);
      if (!told.counts) announce("Another page has already answered.");
    } catch {
      buttons.forEach((button) => { button.disabled = false; });
    }
  }

  async #try() {
    const question = this.#question;
    const button = /** @type {HTMLButtonElement | null} */ (this.#place.querySelector("[data-answer=try]"));
    if (!question || !button || button.disabled) return;
    button.disabled = true;
    try {
      const { call, text } = await this.trial(question.id);
      const shown = make("pre", { class: "asked-trial", tabindex: "0" }, text);
      const card = this.#question?.id === question.id ? this.#calls.querySelector(`[data-asked="${CSS.escape(call)}"]`) : null;
      card?.querySelector(".asked-trial")?.remove();
      card?.append(shown);
      announce(text);
    } catch { /* it is shown */ }
    button.disabled = false;
  }

  /** @param {AskedCall} call @param {"approve" | "deny"} outcome @returns {Answer} */
  #answerOf(call, outcome) {
    const card = this.#calls.querySelector(`[data-asked="${CSS.escape(call.call)}"]`);
    const why = /** @type {HTMLInputElement | null} */ (this.#place.querySelector(".why-not"));
    if (outcome === "deny") return { call: call.call, outcome, reason: why?.value.trim() ?? "" };
    const scope = /** @type {HTMLSelectElement | null} */ (this.#place.querySelector("select.scope"))?.value ?? "once";
    const text = card?.querySelector("textarea");
    const isEdited = text && text.value !== text.dataset.before;
    if (isEdited) return { call: call.call, outcome: "modify", content: text.value };
    return { call: call.call, outcome: "approve", scope, rights: call.rights.length && card ? chosenIn(card) : null };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || at.matches("input:not([type=checkbox]), textarea, select")) return;
    const likely = /** @type {HTMLElement | null} */ (this.#place.querySelector("[data-answer=likely]"));
    const act = { a: () => this.#send("approve"), i: () => likely?.click(), d: () => this.#send("deny"), e: () => this.#edit(), t: () => this.#try(),
      Escape: () => byId("say").focus() }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  #edit() {
    const details = this.#calls.querySelector(".asked-edit");
    if (details instanceof HTMLDetailsElement) details.open = true;
  }
}

/** @param {AskedCall | undefined} call */
const heading = (call) => call?.asks ? "A question" : `${call?.title}?`;

/** @param {AskedCall | undefined} call  its remark leads: it says what the change reaches */
const aboutOf = (call) => [["asked-remark", call?.remark], ["asked-why", call?.why], ...(call?.beyond ?? []).map((line) => ["asked-beyond", line])]
  .flatMap(([name, words]) => words ? [make("p", { class: name }, ...words.split("`").map((part, at) => at % 2 ? make("code", {}, part) : part))] : []);

/** @param {Element} card @returns {Record<string, string[]>} */
function chosenIn(card) {
  const chosen = /** @type {Record<string, string[]>} */ ({});
  for (const row of each(".right", card)) {
    const box = row.querySelector("input[type=checkbox]");
    const values = row.querySelector("input.right-values");
    if (!(box instanceof HTMLInputElement) || !box.checked) continue;
    const words = values instanceof HTMLInputElement ? values.value : "";
    chosen[box.value] = box.hidden ? [words.trim()] : words.split(/\s+/).filter(Boolean);
  }
  return chosen;
}

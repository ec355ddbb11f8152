/** Dialogs: one at a time, closed by Esc. Closing restores the focus. */
import { byId, make } from "./dom.js";
import { icon } from "./icons.js";

/**
 * @param {string} title
 * @param {(Node | string)[]} inside
 * @param {string} [kind]
 */
export function dialog(title, inside, kind = "") {
  document.querySelector("dialog")?.remove();
  const before = document.activeElement;
  const close = make("button", { type: "button", class: "plain close", "aria-label": "Close", click: () => made.close() }, icon("close"));
  const head = make("header", { class: "dialog-head" }, make("h2", { id: "dialog-title" }, title), close);
  const made = make("dialog", { class: `dialog ${kind}`.trim(), "aria-labelledby": "dialog-title",
    click: (/** @type {Event} */ event) => { if (event.target === made) made.close(); },
    close: () => { made.remove(); if (before instanceof HTMLElement && before.isConnected) before.focus(); } },
    head, make("div", { class: "dialog-body", tabindex: "0", role: "group", "aria-labelledby": "dialog-title" }, ...inside));
  document.body.append(made);
  made.showModal();
  return made;
}

/** @param {string} title @param {(Node | string)[]} inside @param {string} yes @returns {Promise<boolean>} */
export function confirmed(title, inside, yes) {
  return new Promise((done) => {
    let said = false;
    const agree = make("button", { type: "button", class: "primary", click: () => { said = true; made.close(); } }, yes);
    const cancel = make("button", { type: "button", click: () => made.close() }, "Cancel");
    const made = dialog(title, [...inside, make("div", { class: "dialog-buttons" }, cancel, agree)]);
    made.addEventListener("close", () => done(said));
    agree.focus();
  });
}

/** @param {string} title @param {string} label @param {string} value @returns {Promise<string | null>} */
export function asked(title, label, value) {
  return new Promise((done) => {
    /** @type {string | null} */
    let said = null;
    const text = make("input", { type: "text", value, "aria-label": label, autocomplete: "off" });
    const form = make("form", { class: "asked-text-form", submit: (/** @type {Event} */ event) => { event.preventDefault(); said = text.value; made.close(); } },
      make("label", {}, label, text), make("div", { class: "dialog-buttons" }, make("button", { type: "submit", class: "primary" }, "Save")));
    const made = dialog(title, [form]);
    made.addEventListener("close", () => done(said));
    text.select();
  });
}

/**
 * A line above the prompt that disappears by itself, except while it has the focus or the pointer.
 * @param {string} text
 * @param {string} [remedy]
 * @param {boolean} [isError]
 */
export function notice(text, remedy = "", isError = false) {
  const there = document.getElementById("notices") ?? make("div", { id: "notices", class: "notices" });
  if (!there.isConnected) byId("dock").prepend(there); // it takes room, so that nothing lies below it
  const close = make("button", { type: "button", class: "plain close", "aria-label": "Close this note", click: () => made.remove() }, icon("close"));
  const made = make("div", { class: isError ? "notice is-error" : "notice", role: isError ? "alert" : "status" },
    make("p", {}, text, remedy ? make("span", { class: "quiet" }, ` ${remedy}`) : null), close);
  there.append(made);
  const fade = () => { if (made.matches(":hover, :focus-within")) setTimeout(fade, 4_000); else made.remove(); };
  setTimeout(fade, isError ? 12_000 : 6_000);
}

/** @param {unknown} error */
export function told(error) {
  const refused = /** @type {{message: string, remedy?: string}} */ (error);
  notice(refused.message, refused.remedy ?? "", true);
}

/**
 * A button with a menu below it, walked by the arrow keys.
 * @param {string} label
 * @param {Node} sign
 * @param {() => {words: string, keys?: string, act: () => void}[]} items
 */
export function menu(label, sign, items) {
  const list = make("div", { class: "menu", role: "menu", "aria-label": label, hidden: true });
  const button = make("button", { type: "button", class: "plain menu-button", "aria-label": label, "aria-haspopup": "menu", "aria-expanded": "false",
    click: () => show(list.hidden !== false) }, sign);
  /** @param {boolean} open */
  const show = (open) => {
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    if (!open) return;
    list.replaceChildren(...items().map(({ words, keys, act }) => make("button", { type: "button", role: "menuitem", class: "plain",
      click: () => { show(false); button.focus(); act(); } }, words, keys ? make("kbd", {}, keys) : null)));
    /** @type {HTMLElement | null} */ (list.firstElementChild)?.focus();
  };
  list.addEventListener("keydown", (event) => {
    const rows = [...list.children];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) /** @type {HTMLElement} */ (rows[(rows.indexOf(/** @type {Element} */ (document.activeElement)) + step + rows.length) % rows.length])?.focus();
    else if (event.key === "Escape") { show(false); button.focus(); } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const box = make("div", { class: "menu-box", focusout: (/** @type {FocusEvent} */ event) => {
    if (!(event.relatedTarget instanceof Node && box.contains(event.relatedTarget))) show(false);
  } }, button, list);
  return box;
}

/** @param {string} id  a column that is a drawer on a narrow page */
export function drawer(id) {
  const side = byId(id);
  const open = !document.body.classList.contains(`shows-${id}`);
  document.body.classList.remove("shows-side", "shows-glance");
  document.body.classList.toggle(`shows-${id}`, open);
  if (!open) return;
  const first = side.querySelector("input, a, button");
  if (first instanceof HTMLElement) first.focus();
}

// @ts-check
/**
 * The user's own page in a frame beside the conversation, and the selection in it.
 *
 * The frame has another origin and is not trusted. It gets one port for JSON texts of a bounded size, and each text is
 * checked before it is used.
 *
 * While the user points, a cover of this page lies above the frame and takes clicks and keys. The framed page shares a
 * realm with the picker, so only an event of this page proves that the user chose.
 */

/** @typedef {{origin: string, address: string, path: string}} Page Address of the page in the frame, and its real one. */
/** @typedef {Record<string, unknown>} Data */
/** @typedef {{words?: string, selector?: string, tag?: string}} Selection */
/**
 * @typedef {object} Pointing
 * @property {(message: {what: string} & Data) => Promise<Data>} asked Answers a question of the server about the page.
 * @property {(selection: Selection | null) => void} shows Shows the selection.
 * @property {(paths: string[]) => void} edited Reloads the page if one of these files is its own.
 * @property {() => void} close Ends it.
 */

const LONGEST = 2_000_000; // characters of one message: a picture
const A_SECOND = 200; // messages of the frame that are read each second
const PATIENCE_MS = 14_000;

/** An error with its remedy. */
export class PointingError extends Error {
  /** @param {string} text @param {string} [remedy] */
  constructor(text, remedy = "") {
    super(text);
    this.text = text;
    this.remedy = remedy;
  }
}

/**
 * Make frame and controls.
 * @param {HTMLElement} host their parent
 * @param {Page} page the page in the frame
 * @param {{select: (selection: Data | null) => Promise<unknown>}} session receives the selection
 * @returns {Pointing}
 */
export function mount(host, page, session) {
  const parts = build(host, page);
  /** @type {MessagePort | null} */
  let port = null;
  let isNew = false, isPicking = false, next = 1, budget = A_SECOND;
  /** @type {Selection | null} */
  let selection = null;
  /** @type {Map<number, {resolve: (ok: Data) => void, reject: (error: PointingError) => void}>} */
  const open = new Map();
  const refill = setInterval(() => { budget = A_SECOND; }, 1000);

  /** @param {string} text */
  const say = (text) => { parts.status.textContent = text; };
  /** @param {Data} message */
  const tell = (message) => port?.postMessage(JSON.stringify(message));

  /** @param {MessageEvent} event */
  function greeted(event) {
    if (event.origin !== page.origin || event.source !== parts.frame.contentWindow) return;
    const data = event.data;
    if (typeof data !== "object" || data === null || data.inarch !== "ready" || typeof data.nonce !== "string" || data.nonce.length > 64) return;
    if (budget-- <= 0) return;
    drop("the page was reloaded");
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = (message) => heard(message.data);
    parts.frame.contentWindow?.postMessage({ inarch: "port", nonce: data.nonce }, page.origin, [channel.port2]);
    isNew = true;
    if (selection?.selector) tell({ do: "show", selector: selection.selector });
    parts.pick.disabled = false;
    say("");
  }

  /** @param {string} why */
  function drop(why) {
    port?.close();
    port = null;
    picking(false);
    for (const waiting of open.values()) waiting.reject(new PointingError(why, "try again"));
    open.clear();
  }

  /** @param {unknown} text */
  function heard(text) {
    if (typeof text !== "string" || text.length > LONGEST || budget-- <= 0) return;
    /** @type {Data} */
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (typeof message !== "object" || message === null) return;
    if (typeof message.answer === "number") answered(message.answer, message);
    else if (message.picking === false && isPicking) picking(false);
    else if (typeof message.at === "string") parts.address.value = message.at.slice(0, 2000);
    if (typeof message.label === "string" && isPicking) say(message.label.slice(0, 100));
  }

  /** @param {number} id @param {Data} message */
  function answered(id, message) {
    const waiting = open.get(id);
    if (!waiting) return;
    open.delete(id);
    if (isData(message.ok)) waiting.resolve(message.ok);
    else waiting.reject(new PointingError(String(message.error ?? "the page did not answer").slice(0, 500)));
  }

  /** Select the element under a click, or the one that the keys reached. @param {{x?: number, y?: number}} [place] */
  function choose(place = {}) {
    const withPicture = parts.picture.checked;
    asked({ what: "choose", ...place })
      .then((told) => session.select(withPicture ? { ...told, picture: true } : told))
      .catch((error) => say(String(error?.text ?? error?.message ?? error)));
    picking(false);
    parts.pick.focus();
  }

  /** @param {boolean} on */
  function picking(on) {
    isPicking = on;
    parts.pick.setAttribute("aria-pressed", String(on));
    parts.cover.hidden = !on;
    if (!on) say("");
  }

  function leave() {
    tell({ do: "pick", on: false });
    picking(false);
    parts.pick.focus();
  }

  /** @param {{what: string} & Data} message @returns {Promise<Data>} */
  function asked(message) {
    if (!port) return Promise.reject(new PointingError(`the page at ${page.address} is missing, or you cannot point at it`, "start its server, and check that the frame shows it"));
    const id = next++;
    return new Promise((resolve, reject) => {
      open.set(id, { resolve, reject });
      setTimeout(() => {
        if (open.delete(id)) reject(new PointingError("the page did not answer", "check that it still runs"));
      }, PATIENCE_MS);
      tell({ ...message, do: message.what, id });
    });
  }

  parts.frame.addEventListener("load", () => {
    if (!isNew) {
      drop("you cannot point at this page");
      parts.pick.disabled = true;
      say("You cannot point at this document.");
    }
    isNew = false;
  });
  parts.pick.addEventListener("click", () => {
    if (!port) return;
    if (isPicking) return leave();
    tell({ do: "pick", on: true });
    picking(true);
    parts.cover.focus({ preventScroll: true }); // for arrow keys, Enter and Esc
  });
  parts.cover.addEventListener("pointermove", (event) => tell({ do: "hover", x: event.offsetX, y: event.offsetY }));
  parts.cover.addEventListener("wheel", (event) => {
    event.preventDefault();
    tell({ do: "scroll", x: event.offsetX, y: event.offsetY, by: [event.deltaX, event.deltaY] });
  }, { passive: false });
  parts.cover.addEventListener("click", (event) => {
    if (event.isTrusted) choose({ x: event.offsetX, y: event.offsetY });
  });
  parts.cover.addEventListener("keydown", (event) => {
    if (!event.isTrusted) return;
    if (event.key === "Enter" || event.key === " ") choose();
    else if (event.key.startsWith("Arrow")) tell({ do: "move", key: event.key });
    else return;
    event.preventDefault();
  });
  parts.form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(parts.address.value);
  });
  parts.reload.addEventListener("click", () => go(parts.address.value));
  parts.clear.addEventListener("click", () => { session.select(null).catch(() => {}); });
  /** @param {KeyboardEvent} event */
  function escaped(event) {
    if (event.key === "Escape" && isPicking) {
      event.stopPropagation();
      leave();
    }
  }
  document.addEventListener("keydown", escaped, true);

  /** @param {string} path */
  function go(path) {
    const given = path.startsWith("/") ? page.origin + path : path;
    const target = URL.canParse(given, page.origin) ? new URL(given, page.origin) : null;
    if (target?.origin === page.address) parts.frame.src = page.origin + target.pathname + target.search + target.hash;
    else if (target?.origin === page.origin) parts.frame.src = target.href;
    else say(`The frame shows only pages of ${page.address}.`);
  }

  addEventListener("message", greeted);
  parts.frame.src = page.origin + page.path;
  return {
    asked,
    shows(now) {
      selection = now;
      parts.selected.hidden = !now;
      parts.words.textContent = now?.words ?? "";
      tell({ do: "show", selector: now?.selector ?? "" });
    },
    edited(paths) {
      tell({ do: "edited", paths });
    },
    close() {
      clearInterval(refill);
      removeEventListener("message", greeted);
      document.removeEventListener("keydown", escaped, true);
      drop("closed");
      host.replaceChildren();
    },
  };
}

/** @param {HTMLElement} host @param {Page} page */
function build(host, page) {
  const form = made("form", "pointing-bar"), address = made("input", "pointing-address"), pick = made("button", "pointing-pick");
  const reload = made("button", "pointing-reload"), status = made("p", "pointing-status"), selected = made("p", "pointing-selected");
  const words = made("span", "pointing-words"), clear = made("button", "pointing-clear"), frame = made("iframe", "pointing-frame");
  Object.assign(pick, { type: "button", textContent: "Point", title: "Select an element: click, or arrow keys and Enter", disabled: true });
  pick.setAttribute("aria-pressed", "false");
  Object.assign(address, { type: "text", spellcheck: false, autocomplete: "off", value: page.path });
  address.setAttribute("aria-label", `Path on ${page.address}`);
  Object.assign(reload, { type: "button", textContent: "Reload" });
  Object.assign(clear, { type: "button", textContent: "×", title: "Clear the selection" });
  clear.setAttribute("aria-label", "Clear the selection");
  status.setAttribute("role", "status");
  selected.hidden = true;
  selected.append(words, clear);
  frame.title = `The page at ${page.address}`;
  frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-modals allow-downloads"); // it cannot navigate Inarch's page
  frame.referrerPolicy = "no-referrer";
  frame.allow = "";
  const stage = made("div", "pointing-stage"), cover = made("div", "pointing-cover");
  Object.assign(cover, { tabIndex: 0, hidden: true });
  cover.setAttribute("role", "application");
  cover.setAttribute("aria-label", "Choose an element: click, or arrow keys and Enter; Esc cancels");
  stage.append(frame, cover);
  const picture = made("input", "pointing-picture"), seen = made("label", "pointing-seen");
  picture.type = "checkbox";
  seen.title = "Send a picture of the selection, for models that see";
  seen.append(picture, " with picture");
  form.append(pick, seen, address, reload);
  const told = made("div", "pointing-told");
  told.append(selected, status);
  host.replaceChildren(form, told, stage);
  return { form, address, pick, picture, reload, status, selected, words, clear, frame, cover };
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {string} className
 * @returns {HTMLElementTagNameMap[Name]}
 */
function made(name, className) {
  return Object.assign(document.createElement(name), { className });
}

/** @param {unknown} value @returns {value is Data} */
function isData(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

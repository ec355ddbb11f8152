/** Start of the page: the token, the connection, and the part of the page for each message. */
import { Actions } from "./actions.js";
import { Bar } from "./bar.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { asked, drawer, notice, told } from "./dialogs.js";
import { alertOf, announce, byId, make } from "./dom.js";
import { Extras } from "./extras.js";
import { Glance } from "./glance.js";
import { Keys } from "./keys.js";
import { drawPath } from "./path_picture.js";
import { Asking } from "./question.js";
import { Reviews } from "./reviews.js";
import { Sessions } from "./sessions.js";
import { Socket } from "./socket.js";
import { nextTheme, restoreTheme } from "./theme.js";
/** @import { Hello, Opened, State } from "./wire.js" */

restoreTheme();
const KEY = "inarch-token";
const isToken = location.hash.length > 1 && !location.hash.startsWith("#/");
if (isToken) {
  sessionStorage.setItem(KEY, location.hash.slice(1));
  history.replaceState(null, "", "#/"); // others see or copy the address bar
}

/** @type {Hello | null} */
let hello = null;
/** @type {State | null} */
let state = null;
let session = "", room = "", seen = 0, opening = 0;
let listing = 0;

const socket = new Socket(sessionStorage.getItem(KEY) ?? "", {
  ready: (said) => begun(said),
  lost: (seconds) => bar.connection(seconds > 1 ? "The connection is lost. The page reconnects. Turns continue meanwhile." : ""),
  ended: (words) => ended(words),
  message: (message) => received(message),
  sound: (data) => extras.sound(data),
});
/** @param {string} what @param {Record<string, unknown>} [given] @param {(part: any) => void} [part] */
const ask = (what, given = {}, part) => socket.ask(what, { session, ...given }, part);
const open = (/** @type {string} */ id) => { location.hash = `#/${id}`; };

const actions = new Actions(ask, open);
const bar = new Bar({
  set: (given) => { inSession("set", given).catch((error) => { told(error); bar.show(state); }); },
  name: () => rename(),
  items: () => [
    { words: "Undo the last change", keys: "u", act: () => actions.undo() },
    { words: "Redo the last undo", act: () => actions.redo() },
    { words: "Review changes", keys: "r", act: () => reviews.open() },
    { words: "Fork this session", act: () => actions.fork(null) },
    ...(hello?.exports ?? []).map((form) => ({ words: `Export as ${form}`, act: () => actions.export(form) })),
    { words: "Theme", keys: "t", act: () => theme() },
    { words: "Keys", keys: "?", act: () => keys.sheet() },
  ],
});
const conversation = new Conversation(byId("turns"), {
  earlier: (before) => ask("earlier", { before }),
  steps: (turn, before) => ask("steps", { turn, before }),
  path: (made, turn) => drawPath(made, () => ask("path", { turn }), (path, line) => actions.blame(path, line)),
  placed: (made) => { actions.equip(made); listSoon(); },
});
/** @param {string} what @param {Record<string, unknown>} given */
const answering = (what, given) => ask(what, given).catch((error) => { told(error); throw error; });
const question = new Asking((id, answers) => answering("answer", { question: id, answers }), (id) => answering("try", { question: id }));
const composer = new Composer({
  say: (text) => say(text),
  cancel: () => stop(),
  unqueue: (place) => ask("unqueue", { place }),
  complete: (text) => ask("complete", { text }),
  failed: told,
});
const sessions = new Sessions({
  list: (words, from) => socket.ask("sessions", { words, from }),
  begin: () => begin(),
});
const reviews = new Reviews((given) => socket.ask("review", given));
const glance = new Glance({ blame: (path) => actions.blame(path) });
const extras = new Extras(inSession, (data) => socket.sendBytes(data), composer.extra);
const keys = new Keys([
  { keys: ["c", "/"], words: "write a prompt; / begins a command", act: () => composer.focus() },
  { keys: ["Enter"], words: "send the prompt, or steer the turn that runs; Shift Enter is a new line" },
  { keys: ["↑", "↓"], words: "in the prompt: earlier prompts" },
  { keys: ["@", "Tab"], words: "in the prompt: complete a file" },
  { keys: ["Escape"], words: "stop the turn, or close an open column", act: () => escape() },
  { keys: ["Alt Q", "q"], words: "go to the question", act: () => question.focus() },
  { keys: ["a", "i", "d", "e", "t"], words: "in the question: yes, yes with what it needs, no, edit the file, try the command" },
  { keys: ["j", "k"], words: "go to the next or the previous turn" },
  { keys: ["j"], words: "", act: () => walk(1) },
  { keys: ["k"], words: "", act: () => walk(-1) },
  { keys: ["o"], words: "open or close the work of the turn", act: () => fold() },
  { keys: ["l"], words: "go to the latest turn", act: () => conversation.toEnd() },
  { keys: ["s"], words: "search sessions", act: () => { if (!byId("side").checkVisibility()) drawer("side"); sessions.search.focus(); } },
  { keys: ["n"], words: "start a new session", act: () => begin() },
  { keys: ["g"], words: "show plan, costs, files and turns", act: () => drawer("glance") },
  { keys: ["u"], words: "undo the last change", act: () => actions.undo() },
  { keys: ["r"], words: "review changes that a session made in a copy", act: () => reviews.open() },
  { keys: ["p"], words: "point at an element of your page", act: () => extras.pick() },
  { keys: ["m"], words: "turn the microphone on or off", act: () => extras.talk() },
  { keys: ["t"], words: "switch the theme: dark, light, system", act: () => theme() },
  { keys: ["?"], words: "show the keys", act: () => keys.sheet() },
]);

/** @param {Hello} said */
async function begun(said) {
  hello = said;
  socket.token = said.token;
  sessionStorage.setItem(KEY, said.token); // it may have come with a ticket, which is used up
  bar.offer(said);
  bar.connection("");
  extras.offer(said);
  sessions.refresh();
  reviews.refresh();
  if (session) await show(session, true);
  else await route();
}

async function route() {
  const wanted = location.hash.startsWith("#/") ? decodeURIComponent(location.hash.slice(2)) : "";
  document.body.classList.remove("shows-side", "shows-glance");
  if (wanted && wanted === session) return;
  if (wanted) await show(wanted, false);
  else blank();
}

/** @param {string} id @param {boolean} again  whether the page had it open and missed only some messages */
async function show(id, again) {
  const mine = ++opening;
  const left = session;
  try {
    /** @type {Opened} */
    const opened = await socket.ask("open", { session: id || null, ...(again && room ? { since: seen, room } : {}) });
    if (mine !== opening) return;
    if (left && left !== opened.session) socket.ask("leave", { session: left }).catch(() => {});
    take(opened);
  } catch (error) {
    if (mine !== opening) return;
    told(error);
    if (!session) blank();
  }
}

/** @param {Opened} opened */
function take(opened) {
  session = opened.session;
  room = opened.room;
  if (opened.missed) {
    opened.missed.forEach(received);
    seen = opened.n;
    return;
  }
  seen = opened.n;
  glance.clear();
  conversation.show(opened.turns ?? [], opened.earlier ?? 0);
  if (opened.state) shown(opened.state);
  if (!opened.turns?.length) conversation.welcome(welcome());
  asks(opened.question ?? null);
  for (const part of opened.live ?? []) conversation.delta({ turn: state?.running ?? 0, ...part });
  composer.remember(conversation.prompts());
  sessions.mark(session);
  if (location.hash !== `#/${session}`) history.replaceState(null, "", `#/${session}`);
  document.documentElement.dataset.ready = session;
}

function blank() {
  if (session) socket.ask("leave", { session }).catch(() => {});
  session = room = "";
  state = null;
  conversation.show([], 0);
  conversation.welcome(welcome());
  question.show(null);
  bar.show(null);
  sessions.mark("");
  composer.focus();
  document.documentElement.dataset.ready = "new";
}

function begin() {
  document.body.classList.remove("shows-side");
  if (location.hash === "#/") blank();
  else location.hash = "#/";
  composer.focus();
}

/** @param {string} text */
async function say(text) {
  if (!session) await show("", false);
  conversation.toEnd();
  return ask("say", { text });
}

/**
 * Ask about the shown session, or about a new one if none is shown.
 * @param {string} what @param {Record<string, unknown>} [given]
 */
async function inSession(what, given) {
  if (!session) await show("", false);
  return ask(what, given);
}

/** @param {any} message */
function received(message) {
  if ("ask" in message) {
    extras.answer(message).then((ok) => socket.ask("replied", { ask: message.ask, ok }),
      (error) => socket.ask("replied", { ask: message.ask, error: { text: error.text ?? error.message, remedy: error.remedy ?? "" } })).catch(() => {});
    return;
  }
  if ("sessions" in message) {
    sessions.soon();
    for (const row of bar.waits(message.sessions))
      if (row.id !== session) notice(`Another session waits for your answer: ${row.title || row.id.slice(0, 8)}`);
  }
  if ("voice" in message) extras.voice(message.voice);
  if (message.session !== session) return;
  if (message.edited) extras.edited(message.edited);
  if (typeof message.n === "number") seen = message.n;
  if (message.turn && typeof message.turn === "object") turn(message.turn);
  if (message.step) conversation.putStep(message.step);
  if (message.delta) conversation.delta(message.delta);
  if (message.question) asks(message.question);
  if (message.settled && question.settled(message.settled)) conversation.toEnd();
  if (message.state) shown(message.state);
  if (message.event) glance.event(message.event);
  if (message.shown) notice(message.shown.text);
  if (message.failed) told({ message: message.failed.text, remedy: message.failed.remedy });
}

/** @param {import("./wire.js").Question | null} asked */
function asks(asked) {
  const follows = conversation.isFollowing;
  question.show(asked);
  if (!asked || !follows) return;
  conversation.toEnd();
  question.toStart();
}

/** @param {import("./wire.js").Entry} entry */
function turn(entry) {
  conversation.putTurn(entry);
  if (entry.running) announce("The turn has started.");
  else {
    const failed = conversation.section(entry.number)?.querySelector(".ending");
    announce(failed?.textContent ?? "The answer is complete.");
    composer.remember(conversation.prompts());
  }
  sessions.soon();
}

/** @param {State} now */
function shown(now) {
  const before = state;
  state = now;
  bar.show(now);
  composer.show(now);
  glance.show(now);
  extras.selected(now.selection);
  if (before?.title !== now.title || before?.name !== now.name) sessions.soon();
}

/** @param {string} words */
function ended(words) {
  bar.connection(words);
  alertOf(words);
}

async function rename() {
  if (!session) return;
  const name = await asked("Name this session", "Name", state?.name ?? "");
  if (name !== null) ask("name", { name }).catch(told);
}

function theme() {
  notice(`Theme: ${nextTheme()}`);
}

function escape() {
  if (document.body.matches(".shows-side, .shows-glance")) document.body.classList.remove("shows-side", "shows-glance");
  else if (state?.running != null) stop();
}

async function stop() {
  try {
    const { unsaid } = await ask("cancel");
    announce("Stopped.");
    if (unsaid?.length) composer.put([...unsaid, composer.text.value].filter(Boolean).join("\n"));
  } catch (error) {
    told(error);
  }
}

/** @param {number} step */
function walk(step) {
  const turns = conversation.sections();
  const here = turns.findIndex((section) => section.contains(document.activeElement));
  const seenAt = turns.findIndex((section) => section.getBoundingClientRect().bottom > 100);
  const next = turns[Math.min(Math.max(here < 0 ? seenAt : here + step, 0), turns.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}

function fold() {
  const work = document.activeElement?.closest("section.chapter")?.querySelector("details.work");
  if (work instanceof HTMLDetailsElement) work.open = !work.open;
}

function listSoon() {
  listing ||= setTimeout(() => { listing = 0; glance.list(conversation.place); }, 300);
}

function welcome() {
  const tips = [["@", "a file or a folder of this project"], ["/", "commands"], ["?", "all keys"]];
  return make("div", { class: "welcome" },
    make("img", { src: "/static/icon.svg", alt: "", width: "48", height: "48" }),
    make("h2", {}, "What should Inarch do?"),
    make("p", { class: "quiet" }, "In ", make("code", {}, hello?.root ?? "")),
    make("dl", { class: "tips" }, ...tips.map(([key, words]) => make("div", {}, make("dt", {}, make("kbd", {}, key ?? "")), make("dd", {}, words ?? "")))));
}

addEventListener("hashchange", () => { route(); });
socket.connect();

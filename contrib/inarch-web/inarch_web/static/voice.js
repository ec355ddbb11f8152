// @ts-check
/** Voice: the microphone and the speaker of this page, with captions. */

/** @typedef {{state?: string, heard?: string, told?: string, drop?: boolean}} Said Message of the server about the voice. */
/** @typedef {{text?: string, message?: string, remedy?: string}} Wrong */

const SOUND = 1; // the first byte of a binary message
const PLAYED_AT = 24000;
const STATES = /** @type {Record<string, string>} */ ({
  listening: "Listening", speaking: "Speaking", waiting: "Working", silent: "Microphone off",
  "not connected": "Connecting…", over: "Ended",
});

/**
 * Begin to talk.
 * @param {{host: HTMLElement, send: (given: Record<string, unknown>) => Promise<unknown>, sendBytes: (data: Uint8Array<ArrayBuffer>) => void}} given
 * @returns {{received: (message: Said) => void, receivedBytes: (data: ArrayBuffer) => void, close: () => void}}
 */
export function mount({ host, send, sendBytes }) {
  const { state, caption, push, hold, hush } = build(host);
  /** @type {MediaStream | null} */
  let stream = null;
  /** @type {AudioContext | null} */
  let ear = null;
  /** @type {AudioContext | null} */
  let mouth = null;
  /** @type {AudioWorkletNode | null} */
  let speaker = null;
  let isOpen = true, isSpeaking = false;

  /** @param {Wrong} error */
  const wrong = (error) => {
    state.textContent = [error.text ?? error.message ?? "Voice failed", error.remedy].filter(Boolean).join(": ");
  };

  async function begin() {
    if (!navigator.mediaDevices?.getUserMedia) throw { text: "this browser has no access to a microphone" };
    stream = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
    });
    if (!isOpen) return release();
    ear = new AudioContext();
    mouth = new AudioContext({ sampleRate: PLAYED_AT });
    const here = import.meta.url;
    await Promise.all([
      ear.audioWorklet.addModule(new URL("./worklets/capture.js", here)),
      mouth.audioWorklet.addModule(new URL("./worklets/playback.js", here)),
    ]);
    if (!isOpen) return release();
    const capture = new AudioWorkletNode(ear, "inarch-capture", { numberOfOutputs: 0 });
    capture.port.onmessage = ({ data }) => sound(data);
    ear.createMediaStreamSource(stream).connect(capture);
    speaker = new AudioWorkletNode(mouth, "inarch-playback", { numberOfInputs: 0, outputChannelCount: [1] });
    speaker.port.onmessage = ({ data }) => { host.dataset.played = String(data); };
    speaker.connect(mouth.destination);
    await Promise.all([ear.resume(), mouth.resume()]);
    await send({ what: "on", hearing: push.checked ? "push" : "open" });
    if (!push.checked) await speaks(true);
  }

  /** @param {ArrayBuffer} pcm */
  function sound(pcm) {
    if (!isSpeaking) return;
    const data = new Uint8Array(pcm.byteLength + 1);
    data[0] = SOUND;
    data.set(new Uint8Array(pcm), 1);
    sendBytes(data);
  }

  /** @param {boolean} on */
  async function speaks(on) {
    if (on === isSpeaking) return;
    isSpeaking = on;
    hold.setAttribute("aria-pressed", String(on));
    if (on) speaker?.port.postMessage("drop"); // do not talk over the user
    await send({ what: on ? "begin" : "end" });
  }

  function release() {
    for (const track of stream?.getTracks() ?? []) track.stop();
    ear?.close();
    mouth?.close();
    stream = ear = mouth = speaker = null;
  }

  async function again() {
    isSpeaking = false;
    hold.hidden = !push.checked;
    await send({ what: "on", hearing: push.checked ? "push" : "open" });
    if (!push.checked) await speaks(true);
  }

  push.addEventListener("change", () => { again().catch(wrong); });
  hush.addEventListener("click", () => {
    speaker?.port.postMessage("drop");
    send({ what: "hush" }).catch(wrong);
  });
  for (const [kind, on] of /** @type {[string, boolean][]} */ ([["pointerdown", true], ["pointerup", false], ["pointerleave", false], ["blur", false]]))
    hold.addEventListener(kind, () => { speaks(on).catch(wrong); });
  for (const [kind, on] of /** @type {["keydown" | "keyup", boolean][]} */ ([["keydown", true], ["keyup", false]]))
    hold.addEventListener(kind, (event) => {
      if (event.key !== " " && event.key !== "Enter") return;
      event.preventDefault();
      if (!event.repeat) speaks(on).catch(wrong);
    });

  begin().catch((error) => {
    release();
    wrong(error);
  });
  return {
    received(message) {
      if (message.drop) speaker?.port.postMessage("drop");
      if (message.state !== undefined) {
        state.textContent = STATES[message.state] ?? message.state;
        host.dataset.state = message.state;
      }
      if (message.heard !== undefined) caption.textContent = message.heard;
      if (message.told !== undefined) state.textContent = message.told;
    },
    receivedBytes(data) {
      if (new Uint8Array(data, 0, 1)[0] !== SOUND || !speaker) return;
      const pcm = data.slice(1);
      host.dataset.received = String(Number(host.dataset.received ?? 0) + pcm.byteLength / 2);
      speaker.port.postMessage(pcm, [pcm]);
    },
    close() {
      isOpen = false;
      release();
      send({ what: "off" }).catch(() => {});
      host.replaceChildren();
    },
  };
}

/** @param {HTMLElement} host */
function build(host) {
  const state = made("p", "voice-state"), caption = made("p", "voice-caption"), label = made("label", "voice-push");
  const push = made("input", ""), hold = made("button", "voice-hold"), hush = made("button", "voice-hush");
  state.setAttribute("role", "status");
  state.textContent = "Asking for the microphone…";
  caption.setAttribute("aria-label", "What Inarch understood");
  push.type = "checkbox";
  label.append(push, " push to talk");
  Object.assign(hold, { type: "button", textContent: "Hold to talk", hidden: true });
  hold.setAttribute("aria-pressed", "false");
  Object.assign(hush, { type: "button", textContent: "Interrupt" });
  host.replaceChildren(state, caption, label, hold, hush);
  return { state, caption, push, hold, hush };
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name @param {string} className
 * @returns {HTMLElementTagNameMap[Name]}
 */
function made(name, className) {
  return Object.assign(document.createElement(name), { className });
}

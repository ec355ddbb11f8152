/** The connection: requests and answers, messages of the server, and reconnecting. */

/** An error of the server: what is wrong, and what to do. */
export class Refused extends Error {
  /** @param {{text: string, remedy?: string}} told */
  constructor(told) {
    super(told.text);
    this.remedy = told.remedy || "";
  }
}

const LONGEST_WAIT_MS = 8_000;

export class Socket {
  /** @type {WebSocket | null} */
  #line = null;
  /** @type {Map<number, {done: (ok: any) => void, failed: (error: Error) => void, part?: (part: any) => void}>} */
  #asked = new Map();
  #count = 0;
  #tries = 0;
  #over = false;

  /**
   * @param {string} token
   * @param {{ready: (hello: any) => void, lost: (seconds: number) => void, ended: (words: string) => void,
   *   message: (message: any) => void, sound: (data: ArrayBuffer) => void}} told
   */
  constructor(token, told) {
    this.token = token;
    this.told = told;
  }

  connect() {
    const line = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    line.binaryType = "arraybuffer";
    this.#line = line;
    line.addEventListener("open", () => {
      this.ask("hello", { token: this.token }).then(
        (hello) => { this.#tries = 0; this.told.ready(hello); },
        (error) => { if (error instanceof Refused) this.#end(error.message); },
      );
    });
    line.addEventListener("message", (event) => this.#received(event.data));
    line.addEventListener("close", () => this.#closed(line));
  }

  /**
   * Sends a request and resolves with its answer.
   * @param {string} what
   * @param {Record<string, unknown>} [given]
   * @param {(part: any) => void} [part]  receives each part of an answer in parts
   * @returns {Promise<any>}
   */
  ask(what, given = {}, part) {
    return new Promise((done, failed) => {
      if (!this.#line || this.#line.readyState !== WebSocket.OPEN) {
        failed(new Refused({ text: "The connection is lost.", remedy: "The page reconnects. Repeat this afterwards." }));
        return;
      }
      const id = ++this.#count;
      this.#asked.set(id, { done, failed, part });
      this.#line.send(JSON.stringify({ id, do: what, ...given }));
    });
  }

  /** @param {ArrayBuffer | Uint8Array<ArrayBuffer>} data */
  sendBytes(data) {
    if (this.#line?.readyState === WebSocket.OPEN) this.#line.send(data);
  }

  /** @param {string | ArrayBuffer} data */
  #received(data) {
    if (typeof data !== "string") {
      this.told.sound(data);
      return;
    }
    const message = JSON.parse(data);
    if ("bye" in message) {
      if (!message.bye.again) this.#end(message.bye.text);
      return;
    }
    const asked = "re" in message ? this.#asked.get(message.re) : undefined;
    if (!("re" in message)) this.told.message(message);
    else if (asked && "part" in message) asked.part?.(message);
    else if (asked) {
      this.#asked.delete(message.re);
      if ("error" in message) asked.failed(new Refused(message.error));
      else asked.done(message.ok);
    }
  }

  /** @param {WebSocket} line */
  #closed(line) {
    if (line !== this.#line) return;
    this.#line = null;
    const left = [...this.#asked.values()];
    this.#asked.clear();
    for (const asked of left) asked.failed(new Refused({ text: "The connection is lost.", remedy: "" }));
    if (this.#over) return;
    const wait = Math.min(250 * 2 ** this.#tries++, LONGEST_WAIT_MS);
    this.told.lost(wait / 1000);
    setTimeout(() => this.connect(), wait);
  }

  /** @param {string} words */
  #end(words) {
    this.#over = true;
    this.told.ended(words);
    this.#line?.close();
  }
}

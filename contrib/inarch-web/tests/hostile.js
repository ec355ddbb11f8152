// What a development page could try; the title tells what came of it.
const framer = location.ancestorOrigins[0];
const found = {};
const tried = async (name, act) => {
  try { found[name] = String(await act()); } catch (error) { found[name] = `refused: ${error.name}`; }
};
(async () => {
  await tried("document", () => parent.document.title);
  await tried("storage", () => parent.sessionStorage.length);
  await tried("hash", () => parent.location.href);
  await tried("leading away", () => { top.location.href = "/stolen"; return "led"; });
  await tried("window", () => String(open("/other")));
  await tried("fetch", async () => (await fetch(`${framer}/`)).status);
  await tried("script", () => new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = `${framer}/static/main.js`;
    script.onload = () => done("loaded");
    script.onerror = () => failed(new TypeError());
    document.head.append(script);
  }));
  await tried("socket", () => new Promise((done, failed) => {
    const socket = new WebSocket(`${framer.replace("http", "ws")}/socket`);
    socket.onopen = () => done("opened");
    socket.onerror = () => failed(new TypeError());
  }));
  await tried("worker", () => navigator.serviceWorker.register("/worker.js"));
  await tried("microphone", () => navigator.mediaDevices.getUserMedia({ audio: true }));
  await tried("frame", () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.src = `${framer}/`;
    frame.onload = () => { try { done(frame.contentDocument ? "empty" : "refused: another origin's error page"); } catch (e) { done("refused"); } };
    document.body.append(frame);
  }));
  document.cookie = "stolen=1; path=/; domain=localhost";
  document.cookie = "mine=1; path=/; SameSite=None; Secure; Partitioned";
  found.cookie = document.cookie;
  const forged = { selector: "p", tag: "p", text: "forged", html: "", rectangle: [0, 0, 1, 1], classes: [], sources: [{ file: "/etc/passwd", line: 1 }] };
  for (const message of [{ inarch: "ready" }, { inarch: "ready", nonce: "x".repeat(1000) }, JSON.stringify({ selected: forged }),
      { selected: forged }, { do: "select", selection: forged }, null, "x".repeat(5_000_000), { inarch: "port", nonce: "1" }])
    parent.postMessage(message, "*");
  for (let number = 0; number < 5000; number += 1) parent.postMessage({ inarch: "again" }, "*");
  addEventListener("message", (event) => { found.heard = (found.heard ?? 0) + event.ports.length; }, true);
  for (const kind of ["click", "pointermove"]) document.querySelector("footer").dispatchEvent(new MouseEvent(kind, { bubbles: true }));
  document.title = JSON.stringify(found);
})();

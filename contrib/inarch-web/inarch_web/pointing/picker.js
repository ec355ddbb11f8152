// The picker: runs in the person's page, in a frame, before anything of the page's own. It talks over one port that
// Inarch's page gave it, in JSON texts. The page's scripts share its realm, so whatever it says is data, not truth.
(() => {
  "use strict";
  document.currentScript?.remove(); // frameworks that compare the head with their own find nothing foreign there
  const FRAMER = "INARCH_ORIGIN";
  if (window.parent === window || window.parent !== window.top) return; // a frame within the page
  const MOST = { text: 1000, html: 4000, selector: 1000, name: 200, list: 200, depth: 60, update: 100000 };
  const PICTURE = { side: 1024, nodes: 1500, bytes: 1500000 };
  const nonce = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  // taken before the page can put others in their place
  const stringify = JSON.stringify.bind(JSON), parse = JSON.parse.bind(JSON);
  const post = Function.prototype.call.bind(MessagePort.prototype.postMessage);
  let port = null, picking = false, current = null, chosen = null;

  // The handshake: this document says a nonce to Inarch's page alone, and takes one port from it alone, with that nonce.
  addEventListener("message", (event) => {
    if (event.origin !== FRAMER || event.source !== window.parent) return;
    event.stopImmediatePropagation(); // no script of the page sees the port
    const data = event.data;
    if (port || !data || data.inarch !== "port" || data.nonce !== nonce || event.ports.length !== 1) return;
    port = event.ports[0];
    port.onmessage = (message) => void heard(message.data);
    tell({ at: location.pathname + location.search + location.hash, title: cut(document.title, MOST.name) });
  }, true);
  window.parent.postMessage({ inarch: "ready", nonce }, FRAMER);

  const tell = (message) => port && post(port, stringify(message));
  const cut = (text, most) => (text = String(text ?? "")).length > most ? text.slice(0, most) + "…" : text;

  async function heard(text) {
    let message;
    try { message = parse(text); } catch { return; }
    if (message.do === "pick") return setPicking(Boolean(message.on));
    if (message.do === "show") return show(message.selector);
    if (message.do === "hover") return hover(at(message));
    if (message.do === "move") return hover(MOVES[message.key]?.(current) ?? current);
    if (message.do === "scroll") return scroll(message);
    if (message.do === "edited") return edited(message.paths);
    try {
      tell({ answer: message.id, ok: await ACTS[message.do](message) });
    } catch (error) {
      tell({ answer: message.id, error: cut(error?.message ?? error, 500) });
    }
  }

  // What is drawn above the page: one element with a closed shadow tree, styled through the object model, which no
  // policy of the page forbids.
  let host = null, box = null, label = null;
  function draw(element, isChosen) {
    if (!host) {
      host = document.createElement("inarch-picker");
      const root = host.attachShadow({ mode: "closed" });
      box = document.createElement("div");
      label = document.createElement("div");
      root.append(box, label);
      const common = { position: "fixed", pointerEvents: "none", zIndex: "2147483647", boxSizing: "border-box" };
      Object.assign(box.style, common);
      Object.assign(label.style, common, { font: "12px/1.5 ui-monospace, monospace", background: "#1d4ed8", color: "#fff",
        padding: "1px 6px", borderRadius: "3px", maxWidth: "90vw", whiteSpace: "nowrap", overflow: "hidden" });
    }
    if (!element) return host.remove();
    if (!host.isConnected) document.documentElement.append(host);
    const rect = element.getBoundingClientRect();
    Object.assign(box.style, { left: `${rect.left}px`, top: `${rect.top}px`, width: `${rect.width}px`, height: `${rect.height}px`,
      outline: `2px ${isChosen ? "solid" : "dashed"} #1d4ed8`, background: "rgba(29, 78, 216, .12)" });
    label.textContent = name(element);
    label.style.left = `${Math.max(0, rect.left)}px`;
    label.style.top = `${rect.top > 24 ? rect.top - 22 : Math.min(innerHeight - 22, rect.bottom + 2)}px`;
  }
  const redraw = () => draw(picking ? current : (chosen?.isConnected ? chosen : null), !picking);
  addEventListener("scroll", () => host?.isConnected && redraw(), { capture: true, passive: true });
  addEventListener("resize", () => host?.isConnected && redraw());

  function name(element) {
    const classes = [...element.classList].slice(0, 3).map((one) => `.${one}`).join("");
    return cut(`<${element.localName}>${element.id ? `#${element.id}` : ""}${classes}`, 80);
  }

  // The person's clicks and keys stay in Inarch's page, whose cover lies above this document while they choose.
  function setPicking(on) {
    picking = on;
    current = on ? chosen ?? current : null;
    if (on && !current?.isConnected) current = document.body;
    redraw();
    tell({ picking: on, label: on && current ? name(current) : "" });
  }
  const at = ({ x, y }) => document.elementFromPoint(x, y) ?? document.body;
  const MOVES = {
    ArrowUp: (element) => element.parentElement, ArrowDown: (element) => element.firstElementChild,
    ArrowLeft: (element) => element.previousElementSibling, ArrowRight: (element) => element.nextElementSibling,
  };

  function hover(element) {
    if (!picking || element === current || element === host) return;
    current = element;
    redraw();
    tell({ label: name(element) });
  }

  function scroll({ x, y, by: [left, top] }) {
    let one = at({ x, y });
    const before = (element) => element.scrollTop + element.scrollLeft;
    for (; one; one = one.parentElement) {
      const was = before(one);
      one.scrollBy({ left, top, behavior: "instant" });
      if (before(one) !== was) return;
    }
  }

  // A page without a builder loads anew if an edited file is HTML or has the name of a file that it has loaded.
  const last_of = (path) => path.split("/").pop();
  async function edited(paths) {
    const own = performance.getEntriesByType("resource").map((one) => one.name).filter((one) => one.startsWith(`${location.origin}/`));
    const stale = own.filter((one) => paths.some((path) => last_of(path) === decodeURIComponent(last_of(new URL(one).pathname))));
    if (!stale.length && !paths.some((path) => /\.(x?html?|php|jinja2?|j2|erb|ejs|hbs|njk|twig)$/i.test(path))) return;
    // A reload alone may take them from the cache.
    await Promise.allSettled(stale.map((one) => fetch(one, { cache: "reload" })));
    location.reload();
  }

  function show(selector) {
    try { chosen = selector ? document.querySelector(selector) : null; } catch { chosen = null; }
    redraw();
  }

  function described(element) {
    const rect = element.getBoundingClientRect();
    return {
      selector: cut(selectorOf(element), MOST.selector), tag: element.localName, text: cut(textOf(element), MOST.text),
      html: cut(element.outerHTML, MOST.html), id: cut(element.id, MOST.name),
      classes: [...element.classList].slice(0, 20).map((one) => cut(one, MOST.name)),
      rectangle: [rect.left, rect.top, rect.width, rect.height].map((one) => Math.round(one)),
      address: cut(location.pathname + location.search, MOST.selector), sources: sourcesOf(element),
    };
  }
  const textOf = (element) => (element.innerText ?? element.textContent ?? "").replace(/\s+/g, " ").trim();

  function selectorOf(element) {
    const steps = [];
    for (let one = element; one && steps.length < MOST.depth; one = one.parentElement) {
      if (one.id && document.querySelectorAll(`#${CSS.escape(one.id)}`).length === 1) {
        steps.unshift(`#${CSS.escape(one.id)}`);
        break;
      }
      const alike = one.parentElement ? [...one.parentElement.children].filter((two) => two.localName === one.localName) : [];
      steps.unshift(CSS.escape(one.localName) + (alike.length > 1 ? `:nth-of-type(${alike.indexOf(one) + 1})` : ""));
      const found = document.querySelectorAll(steps.join(" > "));
      if (found.length === 1 && found[0] === element) break;
    }
    return steps.join(" > ");
  }

  // Where the development build says the element stands: of itself, else of the nearest one above it.
  function sourcesOf(element) {
    const found = [];
    let up = 0;
    for (let one = element; one && up < MOST.depth && found.length < 4; one = one.parentElement, up += 1)
      for (const read of SOURCES) {
        let source = null;
        try { source = read(one); } catch { /* a build that keeps something else there */ }
        if (source?.file || source?.stack) found.push({ ...source, file: cut(source.file, MOST.selector), up });
      }
    return found.slice(0, 4);
  }
  const placed = (text, by) => {
    const found = /^(.*?):(\d+)(?::(\d+))?(?::[\w.-]+)?$/.exec(text ?? "");
    return text && { file: found ? found[1] : text, line: Number(found?.[2] ?? 0), column: Number(found?.[3] ?? 0), by };
  };
  const ATTRIBUTES = ["data-source", "data-source-loc", "data-insp-path", "data-v-inspector", "data-sourceloc", "data-locator", "data-loc"];
  const SOURCES = [
    (one) => { const key = ATTRIBUTES.find((key) => one.hasAttribute(key)); return key && placed(one.getAttribute(key), key); },
    (one) => placed(one.dataset.inspectorRelativePath && `${one.dataset.inspectorRelativePath}:${one.dataset.inspectorLine}:${one.dataset.inspectorColumn}`, "data-inspector"),
    (one) => placed(one.dataset.astroSourceFile && `${one.dataset.astroSourceFile}:${one.dataset.astroSourceLoc}`, "data-astro-source"),
    (one) => placed(one.dataset.componentPath && `${one.dataset.componentPath}:${one.dataset.componentLine}`, "data-component-path"),
    (one) => one.__svelte_meta?.loc && { file: one.__svelte_meta.loc.file, line: one.__svelte_meta.loc.line + 1, column: one.__svelte_meta.loc.column + 1, by: "svelte" },
    (one) => {
      const key = Object.keys(one).find((key) => key.startsWith("__reactFiber$"));
      const fiber = key && one[key];
      if (!fiber) return null;
      let owner = fiber._debugOwner;
      const component = cut(owner?.type?.displayName ?? owner?.type?.name ?? owner?.name ?? "", MOST.name);
      const told = fiber._debugSource ?? fiber.memoizedProps?.__source;
      if (told) return { file: told.fileName, line: told.lineNumber, column: told.columnNumber ?? 0, component, by: "react" };
      const stack = fiber._debugStack?.stack; // since React 19: places in the module as it was sent
      return stack && { stack: cut(stack, 4000), component, by: "react" };
    },
    (one) => {
      const type = one.__vueParentComponent?.type ?? one.__vue__?.$options;
      return type?.__file && { file: type.__file, line: 0, column: 0, component: cut(type.__name ?? type.name ?? "", MOST.name), by: "vue" };
    },
  ];

  const KINDS = {
    interactive: "a[href],button,input,select,textarea,summary,[role=button],[role=link],[role=tab],[role=menuitem],[onclick],[tabindex]",
    headings: "h1,h2,h3,h4,h5,h6,[role=heading]",
    landmarks: "header,nav,main,aside,footer,section,form,article,[role=banner],[role=navigation],[role=main],[role=contentinfo]",
    media: "img,svg,video,audio,canvas,picture,iframe",
    text: "p,li,td,th,label,blockquote,pre,span,strong,em,dt,dd,figcaption",
  };
  const visible = (element) => element.checkVisibility?.({ visibilityProperty: true }) ?? element.getClientRects().length > 0;
  const listed = (element) => {
    const rect = element.getBoundingClientRect();
    return {
      selector: cut(selectorOf(element), MOST.selector), tag: element.localName, text: cut(textOf(element), 120),
      role: cut(element.getAttribute("role") ?? "", 40), label: cut(element.getAttribute("aria-label") ?? element.getAttribute("alt") ?? element.getAttribute("placeholder") ?? "", 120),
      id: cut(element.id, 100), classes: [...element.classList].slice(0, 8).map((one) => cut(one, 60)),
      rectangle: [rect.left, rect.top, rect.width, rect.height].map((one) => Math.round(one)),
    };
  };
  const one = (selector) => {
    let found;
    try { found = document.querySelectorAll(selector); } catch { throw new Error(`not a CSS selector: ${cut(selector, 200)}`); }
    if (found.length === 0) throw new Error(`no element matches ${cut(selector, 200)}`);
    return [...found].find(visible) ?? found[0];
  };

  const ACTS = {
    elements({ category, selector, limit }) {
      let found;
      const wanted = selector || KINDS[category] || Object.values(KINDS).join(",");
      try { found = document.querySelectorAll(wanted); } catch { throw new Error(`not a CSS selector: ${cut(wanted, 200)}`); }
      const seen = [...found].filter((element) => element !== host && visible(element));
      const most = Math.min(limit || 60, MOST.list);
      return { elements: seen.slice(0, most).map(listed), more: Math.max(0, seen.length - most), title: cut(document.title, MOST.name), address: cut(location.pathname + location.search, MOST.selector) };
    },
    find({ selector }) {
      chosen = one(selector);
      chosen.scrollIntoView({ block: "nearest" });
      redraw();
      return described(chosen);
    },
    update({ selector, html, how }) {
      if (html.length > MOST.update) throw new Error(`more than ${MOST.update} characters`);
      const element = one(selector);
      const nodes = cleaned(html, element.namespaceURI);
      if (how === "outer") element.replaceWith(...nodes);
      else element.replaceChildren(...nodes);
      redraw();
      return described(how === "outer" && nodes.find((node) => node instanceof Element) || (element.isConnected ? element : document.body));
    },
    navigate({ path }) {
      const target = new URL(path, location.href);
      if (target.origin !== location.origin) throw new Error("not an address of this page");
      setTimeout(() => location.assign(target.href)); // after the answer
      return { going: target.pathname + target.search + target.hash };
    },
    picture: ({ selector }) => pictured(one(selector)),
    choose({ x, y }) {
      if (!picking) throw new Error("nothing is being chosen");
      if (typeof x === "number") hover(at({ x, y }));
      chosen = current;
      setPicking(false);
      return described(chosen);
    },
  };

  // HTML of a model is looked at in a document that runs nothing, and loses what could run in this one.
  const GONE = "script,iframe,frame,object,embed,link,meta,base,template,style,portal,fencedframe,foreignObject,animate,set";
  function cleaned(html) {
    const made = new DOMParser().parseFromString(`<!doctype html><body>${html}`, "text/html");
    made.querySelectorAll(GONE).forEach((element) => element.remove());
    for (const element of made.body.querySelectorAll("*"))
      for (const { name: key, value } of [...element.attributes])
        if (/^on|^(srcdoc|formaction|action|ping|autofocus)$/i.test(key) || (/^(href|src|xlink:href|poster|background|data)$/i.test(key) && !harmless(value)))
          element.removeAttribute(key);
    return [...made.body.childNodes].map((node) => document.importNode(node, true));
  }
  const harmless = (value) => {
    try { return ["http:", "https:", "mailto:", "tel:"].includes(new URL(value, location.href).protocol); } catch { return false; }
  };

  // A picture without a second browser: the element with its computed styles as an SVG, drawn on a canvas. What lies
  // behind the element, other origins' pictures, frames, video and loaded fonts are not in it.
  async function pictured(element) {
    const rect = element.getBoundingClientRect();
    if (rect.width < 1 || rect.height < 1) throw new Error("the element has no size");
    if (element.querySelectorAll("*").length > PICTURE.nodes) throw new Error(`more than ${PICTURE.nodes} elements: choose a smaller part`);
    const scale = Math.min(1, PICTURE.side / rect.width, PICTURE.side / rect.height);
    const [width, height] = [Math.max(1, Math.round(rect.width * scale)), Math.max(1, Math.round(rect.height * scale))];
    const missing = new Set(), copy = element.cloneNode(true);
    await styled(element, copy, missing);
    copy.style.margin = "0";
    copy.setAttribute("xmlns", "http://www.w3.org/1999/xhtml");
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${rect.width} ${rect.height}">`
      + `<foreignObject width="100%" height="100%">${new XMLSerializer().serializeToString(copy)}</foreignObject></svg>`;
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    try { await image.decode(); } catch { throw new Error("the element can't be drawn, or the page's policy forbids pictures of its own"); }
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const context = canvas.getContext("2d");
    context.fillStyle = backdrop(element);
    context.fillRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    let data;
    try { data = canvas.toDataURL("image/png"); } catch { throw new Error("this browser doesn't let such a picture be read"); }
    if (data.length > PICTURE.bytes) throw new Error("the picture is too large: choose a smaller part");
    return { png: data.slice("data:image/png;base64,".length), width, height, missing: [...missing].slice(0, 10) };
  }

  async function styled(from, to, missing) {
    const pairs = [[from, to]];
    for (const [real, copy] of pairs) {
      const computed = getComputedStyle(real);
      for (const key of ["script", "iframe", "video", "object", "embed"]) if (real.localName === key) missing.add(key);
      if (copy.style) for (const key of computed) copy.style.setProperty(key, computed.getPropertyValue(key));
      for (const attribute of [...copy.attributes]) if (/^on/i.test(attribute.name)) copy.removeAttribute(attribute.name);
      if (real.localName === "img") await inlined(real, copy, missing);
      if (real.localName === "canvas") missing.add("canvas");
      if (real.localName === "input" || real.localName === "textarea") copy.setAttribute("value", real.type === "password" ? "" : real.value);
      [...real.children].forEach((child, number) => pairs.push([child, copy.children[number]]));
    }
    to.querySelectorAll("script,iframe,video,object,embed,link,style,noscript").forEach((gone) => gone.remove());
  }

  async function inlined(real, copy, missing) {
    copy.removeAttribute("srcset");
    const canvas = Object.assign(document.createElement("canvas"), { width: real.naturalWidth || 1, height: real.naturalHeight || 1 });
    try {
      canvas.getContext("2d").drawImage(real, 0, 0);
      copy.setAttribute("src", canvas.toDataURL());
    } catch {
      copy.removeAttribute("src"); // another origin's: reading it would not be allowed
      missing.add("pictures of other sites");
    }
  }

  function backdrop(element) {
    for (let one = element; one; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      if (color && !/rgba\(.*, 0\)|transparent/.test(color)) return color;
    }
    return "#fff";
  }

  // The page moves on without loading: single-page routers.
  let last = location.href;
  setInterval(() => {
    if (location.href === last) return;
    last = location.href;
    tell({ at: location.pathname + location.search + location.hash, title: cut(document.title, MOST.name) });
    redraw();
  }, 500);
  addEventListener("load", () => tell({ loaded: true }));
})();


"use strict";
(() => {
  const root = document.documentElement;
  const each = (selector, within = document) => [...within.querySelectorAll(selector)];
  const turns = each("section.chapter");
  const links = new Map(each(".list a").map((link) => [link.hash.slice(1), link]));
  const filter = document.getElementById("filter");
  const found = document.getElementById("found");
  const narrow = matchMedia("(max-width: 62rem)");

  // The steps of long sessions come as one text each and become elements when they are opened.
  const build = (details) => {
    const held = details.querySelector(":scope > noscript");
    if (!held) return;
    const made = document.createElement("template");
    made.innerHTML = held.textContent;
    held.replaceWith(made.content);
  };
  const setOpen = (details, open) => {
    if (open) build(details);
    details.open = open;
  };
  document.addEventListener("toggle", (event) => event.target.open && build(event.target), true);

  // Theme: as the system has it, dark, light.
  const themes = ["", "dark", "light"];
  const theme = document.getElementById("theme");
  const show = (name) => {
    if (name) root.dataset.theme = name;
    else delete root.dataset.theme;
    theme.textContent = `Theme: ${name || "auto"}`;
    theme.setAttribute("aria-label", `Theme: ${name || "as the system has it"}`);
  };
  let kept = "";
  try {
    kept = localStorage.getItem("inarch-theme") || "";
  } catch { /* a browser that keeps nothing */ }
  show(themes.includes(kept) ? kept : "");
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "") + 1) % themes.length];
    show(next);
    try {
      localStorage.setItem("inarch-theme", next);
    } catch { /* as above */ }
  });

  // Expand and collapse everything, a turn at a time so that the page stays alive.
  const expand = document.getElementById("expand");
  let round = 0;
  expand.addEventListener("click", () => {
    const open = expand.dataset.open !== "true";
    expand.dataset.open = String(open);
    expand.textContent = open ? "Collapse all" : "Expand all";
    const mine = ++round;
    const waiting = turns.filter((turn) => !turn.hidden);
    const some = () => {
      const until = performance.now() + 30;
      while (waiting.length && mine === round && performance.now() < until) {
        const turn = waiting.shift();
        each("details.work", turn).forEach((work) => setOpen(work, true));
        each("details", turn).forEach((details) => setOpen(details, open));
      }
      if (waiting.length && mine === round) setTimeout(some);
      else root.dataset.expanded = String(open);
    };
    some();
  });

  // Filter: the turns whose text has the words, also in what was not built yet.
  const quoted = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const coded = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const matches = (turn, plain, held) => {
    if (plain.test(turn.textContent) && !turn.querySelector("noscript")) return true;
    const texts = each("noscript", turn).map((part) => part.textContent);
    if (texts.some((text) => held.test(text) && held.test(text.replace(/<[^>]*>/g, " ")))) return true;
    return each(".prompt, .answer, .later", turn).some((part) => plain.test(part.textContent));
  };
  const apply = () => {
    const words = filter.value.trim();
    const plain = new RegExp(quoted(words), "i");
    const held = new RegExp(quoted(coded(words)), "i");
    let count = 0;
    for (const turn of turns) {
      const fits = !words || matches(turn, plain, held);
      count += fits;
      turn.hidden = !fits;
      const link = links.get(turn.id);
      if (link) link.parentElement.hidden = !fits;
    }
    found.textContent = words ? `${count.toLocaleString("en")} of ${turns.length.toLocaleString("en")} turns` : "";
  };
  let timer = 0;
  filter.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 120);
  });
  filter.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    filter.value = "";
    apply();
    filter.blur();
  });
  addEventListener("hashchange", () => {
    const wanted = document.getElementById(location.hash.slice(1));
    if (!wanted || !wanted.hidden) return;
    filter.value = "";
    apply();
    wanted.scrollIntoView();
  });

  // Keys: between turns, between the lines of the outline, into the filter.
  const present = () => {
    const focused = document.activeElement.closest("section.chapter");
    return focused || turns.find((turn) => !turn.hidden && turn.getBoundingClientRect().bottom > 80);
  };
  const goTo = (step) => {
    const shown = turns.filter((turn) => !turn.hidden);
    const here = shown.indexOf(present());
    const isThere = here >= 0 && shown[here] === document.activeElement.closest("section.chapter");
    const next = shown[isThere || step < 0 ? Math.min(Math.max(here + step, 0), shown.length - 1) : Math.max(here, 0)];
    if (!next) return;
    next.focus({ preventScroll: true, focusVisible: true });
    next.scrollIntoView({ block: "start" });
  };
  const goAlong = (link, step) => {
    const shown = [...links.values()].filter((other) => !other.parentElement.hidden);
    const next = shown[shown.indexOf(link) + step];
    if (next) next.focus();
  };
  const steps = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || at.matches("input, textarea, select")) return;
    const isArrow = event.key.startsWith("Arrow");
    if (event.key in steps && at.matches(".list a")) goAlong(at, steps[event.key]);
    else if (event.key in steps && (!isArrow || at.matches("section.chapter"))) goTo(steps[event.key]);
    else if (event.key === "/") filter.focus();
    else if (event.key === "Enter" && at.matches("section.chapter")) {
      const work = at.querySelector("details.work");
      if (work) setOpen(work, !work.open);
    } else return;
    event.preventDefault();
  });

  // The outline follows the reader.
  const inSight = new Set();
  let current = null;
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) inSight.add(target);
      else inSight.delete(target);
    }
    const isAbove = turns.length && turns[0].getBoundingClientRect().top > 0;
    const first = turns.find((turn) => inSight.has(turn)) || (isAbove && turns[0]);
    const link = first && links.get(first.id);
    if (!link || link === current) return;
    if (current) current.removeAttribute("aria-current");
    current = link;
    link.setAttribute("aria-current", "true");
    if (!narrow.matches) {
      const box = link.closest("nav");
      const tools = box.querySelector(".tools").offsetHeight + 24;
      const [top, bottom] = [link.offsetTop - tools, link.offsetTop + 60 - box.clientHeight];
      if (box.scrollTop > top || box.scrollTop < bottom) box.scrollTop = top;
    }
  }, { rootMargin: "-10% 0px -60% 0px" });
  turns.forEach((turn) => watcher.observe(turn));

  each(".tools, .keys").forEach((part) => { part.hidden = false; });
  each(".list").forEach((list) => { list.open = !narrow.matches; });
  root.dataset.ready = "true";
})();

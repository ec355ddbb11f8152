/** The picture of a turn's execution path, drawn when it comes into view. */
import { each, fragment, make } from "./dom.js";

/**
 * @param {ParentNode} turn  a part before it is placed
 * @param {() => Promise<{svg: string}>} ask
 * @param {(path: string, line: number) => void} open
 */
export function drawPath(turn, ask, open) {
  const place = make("div", { class: "path-picture" });
  const box = make("details", { class: "path", open: true }, make("summary", {}, "Execution path"), place);
  turn.querySelector("section.chapter")?.append(box);
  const show = async () => {
    const { svg } = await ask();
    if (!svg) throw new Error("no path any more");
    place.append(fragment(svg)); // the server has left out everything but shapes, texts and places
    const target = place.querySelector(".target rect");
    if (target instanceof SVGRectElement) place.scrollLeft = target.x.baseVal.value + target.width.baseVal.value / 2 - place.clientWidth / 2;
    for (const link of each("[data-path]", place)) {
      const act = () => open(link.dataset.path ?? "", Number(link.dataset.line));
      link.addEventListener("click", act);
      link.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        act();
      });
    }
  };
  new IntersectionObserver(([seen], watcher) => {
    if (!seen?.isIntersecting) return;
    watcher.disconnect();
    show().catch(() => box.remove());
  }).observe(box);
}

/** Icons of buttons, drawn because fonts differ. */
const PATHS = {
  sessions: "M4 6h16M4 12h16M4 18h10",
  glance: "M4 5h16v14H4zM14.5 5v14",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  talk: "M12 4a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0v-5A2.5 2.5 0 0 1 12 4zM6 11.5a6 6 0 0 0 12 0M12 17.5V21",
  close: "M6 6l12 12M18 6L6 18",
  down: "M12 5v13M6 12.5l6 6 6-6",
};
const NAMESPACE = "http://www.w3.org/2000/svg";

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  const made = document.createElementNS(NAMESPACE, "svg");
  made.setAttribute("viewBox", "0 0 24 24");
  made.setAttribute("class", "icon");
  made.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(NAMESPACE, "path");
  path.setAttribute("d", PATHS[name]);
  made.append(path);
  return made;
}

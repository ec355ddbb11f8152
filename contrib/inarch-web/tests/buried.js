() => { // controls that something lies over, and those whose words are cut
  const parts = ["button", "input", "select", "textarea"].flatMap((name) => [`.dock ${name}`, `.bar ${name}`]).join();
  const seen = [...document.querySelectorAll(parts)].filter((one) => one.checkVisibility());
  const pen = document.createElement("canvas").getContext("2d");
  return document.querySelector("dialog[open]") ? [] : seen.flatMap((one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    const style = getComputedStyle(one);
    pen.font = style.font;
    const room = one.clientWidth - 2 * parseFloat(style.paddingLeft);
    const isCut = one.tagName === "TEXTAREA" ? one.scrollHeight > one.clientHeight
      : one.scrollWidth > one.clientWidth || pen.measureText(one.placeholder ?? "").width > room;
    return [...(one.contains(over) ? [] : [`below ${over?.className}: ${one.outerHTML}`]), ...(isCut ? [`cut: ${one.outerHTML}`] : [])];
  });
}

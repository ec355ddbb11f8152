"""Reads a page as Python's own parser does: which elements there are, which attributes, and what text."""

from __future__ import annotations

from html.parser import HTMLParser

_OWN = """
html head meta title style script body header main nav section figure figcaption div span p a i h1 h2 h3 h4 h5 h6
dl dt dd ol ul li table thead tbody tr th td pre code details summary noscript svg rect ins del strong input button kbd
"""
_OF_PROSE = "div p a em strong s code pre blockquote ol ul li h4 h5 h6 hr br table thead tbody tr th td"
_ATTRIBUTES = """
lang charset http-equiv content name class id href rel target dir tabindex open scope type placeholder role hidden
data-call data-path data-line data-old data-new
autocomplete spellcheck aria-label aria-labelledby aria-hidden viewbox height width x y preserveaspectratio start
"""
OWN = frozenset(_OWN.split())
"""The elements of our page. An answer's Markdown has a few more."""
OF_PROSE = frozenset(_OF_PROSE.split())
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_EMPTY = frozenset(("meta", "input", "br", "hr"))


class Reader(HTMLParser):
    """What was read: every element with its attributes, and the text in each class of element."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self.all_text: list[str] = []
        self.strange: list[str] = []
        self._open: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.elements.append((tag, found))
        if tag not in _EMPTY:
            key = (found.get("class") or "").split(" ")[0] or tag
            self._open.append((tag, key))
            self.texts.setdefault(key, []).append("")

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1][0] == tag:
            self._open.pop()
        elif tag not in _EMPTY:
            self.strange.append(f"</{tag}> in {self._open[-3:]}")

    def handle_data(self, data: str) -> None:
        self.all_text.append(data)
        for key in {key for _, key in self._open}:
            self.texts[key][-1] += data

    def handle_comment(self, data: str) -> None:
        self.strange.append(f"<!--{data}-->")

    def handle_pi(self, data: str) -> None:
        self.strange.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.strange.append(f"<![{data}]>")

    @property
    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    @property
    def attributes(self) -> set[str]:
        return {name for _, attributes in self.elements for name in attributes}

    @property
    def links(self) -> list[str]:
        return [attributes["href"] or "" for _, attributes in self.elements if "href" in attributes]

"""Which element of a page a person's words mean, such as "the footer" or "the save button"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_WORDS = re.compile(r"[^\W_]+")
_LITTLE = frozenset({
    "a", "an", "the", "of", "on", "in", "at", "to", "with", "that", "this", "which", "says", "for", "element", "is",
    "and",
})  # fmt: skip
_TAGS: Mapping[str, tuple[str, ...]] = {
    "button": ("button", "input", "summary"), "link": ("a",), "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "headline": ("h1", "h2"), "title": ("h1", "h2"), "image": ("img", "svg"), "picture": ("img", "svg"),
    "logo": ("img", "svg"), "icon": ("svg", "img"), "field": ("input", "textarea", "select"),
    "input": ("input", "textarea"), "box": ("input", "textarea", "select"), "dropdown": ("select",),
    "menu": ("nav", "select"), "navigation": ("nav",), "paragraph": ("p",), "text": ("p", "span"),
    "list": ("ul", "ol"), "item": ("li",), "sidebar": ("aside",), "row": ("tr",), "cell": ("td", "th"),
    "video": ("video",), "banner": ("header",), "copyright": ("footer",), "label": ("label",),
}  # fmt: skip


def best_match(description: str, elements: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the element that a description fits best, None where none of its words is said of any.

    A word counts for what says it: most for the element's own kind, label and id, less for its text and classes. Of
    elements that fit alike the smaller text wins, then the one that comes first.

    Args:
        description: What a person or a model says.
        elements: What the page lists: `tag`, `text`, `role`, `label`, `id` and `classes` of each.
    """
    wanted = [word for word in _split(description) if word not in _LITTLE]
    scored = [(_score(wanted, element), -len(str(element.get("text", ""))), -place, element)
              for place, element in enumerate(elements)]  # fmt: skip
    best = max(scored, key=lambda one: one[:3], default=None)
    return best[3] if best is not None and best[0] > 0 else None


def _score(wanted: Sequence[str], element: Mapping[str, Any]) -> float:
    tag = str(element.get("tag", ""))
    said = {
        6.0: [tag, *_split(element.get("role", ""))],
        5.0: [*_split(element.get("label", "")), *_split(element.get("id", ""))],
        4.0: _split(element.get("text", "")),
        2.0: [part for name in element.get("classes", ()) for part in _split(name)],
    }
    total = 0.0
    for word in wanted:
        worth = max((weight for weight, words in said.items() if word in words), default=0.0)
        total += max(worth, 3.0 if tag in _TAGS.get(word, ()) else 0.0)
    return total


def _split(text: object) -> list[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(text))
    return _WORDS.findall(spaced.lower())

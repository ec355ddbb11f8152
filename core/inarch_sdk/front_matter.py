"""Markdown with YAML between two lines of `---` at its top, as files that steer agents have it."""

from __future__ import annotations

import re
from typing import Any

import yaml

from inarch.contract.errors import ToolFailed

_FENCED = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_MOST, _MOST_NODES, _DEEPEST = 32_768, 10_000, 30
_REMEDY = "put the value between quotes, or write the text below a line that ends with >"


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the front matter between the lines of `---` at a text's top, and the text below.

    Only plain YAML is read: nothing in it makes objects.

    Raises:
        ToolFailed: It is no YAML, no mapping with texts as keys, or too much; with the line.
    """
    found = _FENCED.match(text)
    if found is None:
        if re.match(r"\ufeff?---[ \t]*\r?\n", text):
            raise ToolFailed("validation", "the front matter has no end", "end it with a line that is ---")
        return {}, text.removeprefix("\ufeff")
    head = found[1]
    if len(head) > _MOST:
        raise ToolFailed("validation", f"the front matter is more than {_MOST:,} characters")
    try:
        loader = _Shallow(head)  # the one in C is faster, and crashes on what is nested deeply
        node = loader.get_single_node()
        if node is not None and _size(node, {}) > _MOST_NODES:
            raise ToolFailed("validation", f"the front matter has more than {_MOST_NODES:,} values, with its aliases")
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 2}: " if mark is not None else ""
        raise ToolFailed("validation", f"{where}the front matter is no YAML: {error.problem}", _REMEDY) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ToolFailed("validation", f"the front matter is no YAML: {error}".split("\n")[0], _REMEDY) from None
    if data is None:
        data = {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ToolFailed("validation", "the front matter is no list of names with values", "write lines of NAME: VALUE")
    names = set[str]()
    for key, _ in node.value if node is not None else ():
        if key.value in names:
            where = f"line {key.start_mark.line + 2}: "
            raise ToolFailed("validation", f"{where}the front matter has {key.value:.80} twice", "keep one of them")
        names.add(key.value)
    return data, text[found.end() :]


class _Shallow(yaml.SafeLoader):  # type: ignore[misc]  # it has no types
    """A loader that lets brackets stand in a few others: reading one takes as long as there are others around it."""

    def fetch_flow_collection_start(self, TokenClass: type[yaml.Token]) -> None:
        if self.flow_level >= _DEEPEST:
            raise RecursionError("nested too deeply")
        super().fetch_flow_collection_start(TokenClass)


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Return how many values a node has if each alias is what it stands for; too many if it stands in itself."""
    if id(node) not in known:
        known[id(node)] = _MOST_NODES + 1
        inner = node.value if isinstance(node, yaml.CollectionNode) else ()
        parts = (part for one in inner for part in (one if isinstance(one, tuple) else (one,)))
        known[id(node)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(node)]

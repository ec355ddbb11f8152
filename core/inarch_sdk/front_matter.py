"""Parser of Markdown with YAML front matter between two lines of `---`."""

from __future__ import annotations

import re
from typing import Any

import yaml

from inarch.contract.errors import ToolFailed

_FENCED = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_MOST, _MOST_NODES, _DEEPEST = 32_768, 10_000, 30
_REMEDY = "put the value between quotes, or write the text below a line that ends with >"


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the front matter and the text below it; an empty mapping if there is none.

    Only plain YAML is read: it cannot create objects.

    Raises:
        ToolFailed: It is not YAML, not a mapping with text keys, or too large; the message has the line.
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
        loader = _Shallow(head)  # the C loader is faster, but crashes on deep nesting
        node = loader.get_single_node()
        if node is not None and _size(node, {}) > _MOST_NODES:
            raise ToolFailed("validation", f"the front matter has more than {_MOST_NODES:,} values, with its aliases")
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 2}: " if mark is not None else ""
        raise ToolFailed("validation", f"{where}the front matter is not YAML: {error.problem}", _REMEDY) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ToolFailed("validation", f"the front matter is not YAML: {error}".split("\n")[0], _REMEDY) from None
    if data is None:
        data = {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise ToolFailed("validation", "the front matter is not a list of names with values", "use NAME: VALUE lines")
    names = set[str]()
    for key, _ in node.value if node is not None else ():
        if key.value in names:
            where = f"line {key.start_mark.line + 2}: "
            raise ToolFailed("validation", f"{where}the front matter has {key.value:.80} twice", "keep one of them")
        names.add(key.value)
    return data, text[found.end() :]


class _Shallow(yaml.SafeLoader):  # type: ignore[misc]  # it has no types
    """Loader with a limit on nested brackets: reading time grows with the depth."""

    def fetch_flow_collection_start(self, TokenClass: type[yaml.Token]) -> None:
        if self.flow_level >= _DEEPEST:
            raise RecursionError("nested too deeply")
        super().fetch_flow_collection_start(TokenClass)


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Return the number of values with all aliases expanded; too many for recursive aliases."""
    if id(node) not in known:
        known[id(node)] = _MOST_NODES + 1
        inner = node.value if isinstance(node, yaml.CollectionNode) else ()
        parts = (part for one in inner for part in (one if isinstance(one, tuple) else (one,)))
        known[id(node)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(node)]

"""Parser of Markdown with YAML front matter between two lines of `---`."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import yaml

from inarch.contract.errors import ToolFailed

_FENCED = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_MOST, _MOST_NODES, _DEEPEST = 32_768, 10_000, 30
_MOST_NAMES = 200
_NAMED = re.compile(r"""(["']?)(\w[\w.-]*)\1[ \t]*:(?:[ \t]+(.*)|(?=$))""")
# PyYAML raises some of these for values that its tags do not fit, such as `!!int ""`.
_UNREAD = (yaml.YAMLError, ValueError, LookupError, ArithmeticError, AttributeError, TypeError, RecursionError)
_FEW = 3
_REMEDY = "put the value between quotes, or write the text below a line that ends with >"


def split_front_matter(text: str, bent: list[str] | None = None) -> tuple[dict[str, Any], str]:
    """Return the front matter and the text below it; an empty mapping if there is none.

    Only plain YAML is read: it cannot create objects.

    Args:
        text: The file's text.
        bent: If given, the part that is not YAML is read line by line, as `NAME: TEXT`. The last of equal names
            counts. The list receives a remark for each kind of such parts.

    Raises:
        ToolFailed: It has no end or is too large. Without `bent` also: it is not YAML, or not a mapping with text
            keys. The message has the line.
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
        return _mapping(head), text[found.end() :]
    except _Bent as error:
        if bent is None:
            raise ToolFailed("validation", error.message, error.remedy) from None
        before, data = len(bent), _by_lines(head, bent)
        bent += [error.message] if len(bent) == before else []
        return data, text[found.end() :]


class _Bent(ToolFailed):
    """The text is not YAML of the wanted form."""


def _mapping(head: str) -> dict[str, Any]:
    try:
        loader = _Shallow(head)  # the C loader is faster, but crashes on deep nesting
        node = loader.get_single_node()
        if node is not None and _size(node, {}) > _MOST_NODES:
            raise ToolFailed("validation", f"the front matter has more than {_MOST_NODES:,} values, with its aliases")
        data = loader.construct_document(node) if node is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 2}: " if mark is not None else ""
        raise _Bent("validation", f"{where}the front matter is not YAML: {error.problem}", _REMEDY) from None
    except _UNREAD as error:
        raise _Bent("validation", f"the front matter is not YAML: {error}".split("\n")[0], _REMEDY) from None
    if data is None:
        data = {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise _Bent("validation", "the front matter is not a list of names with values", "use NAME: VALUE lines")
    names = set[str]()
    for key, _ in node.value if node is not None else ():
        name = str(key.value)
        if name in names:
            where = f"line {key.start_mark.line + 2}: "
            raise _Bent("validation", f"{where}the front matter has {name:.80} twice", "keep one of them")
        names.add(name)
    return data


def _by_lines(head: str, bent: list[str]) -> dict[str, Any]:
    """Return the values by name. A line without a name belongs to the name above it."""
    parts: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(textwrap.dedent(head).splitlines(), 2):
        if found := _NAMED.match(line):
            parts.append((number, found[2], [found[3] or ""]))
        elif parts:
            parts[-1][2].append(line)
        elif line.strip() and not line.startswith("#"):
            bent.append(f"line {number}: has no name, so it is left out")
    if len(parts) > _MOST_NAMES:
        raise ToolFailed("validation", f"the front matter has more than {_MOST_NAMES} names")
    data: dict[str, Any] = {}
    twice, odd = dict[str, int](), dict[str, int]()
    for number, name, lines in parts:
        if name in data:
            twice.setdefault(name, number)
        try:
            data[name] = _value("\n".join(lines))
        except _Bent:
            odd.setdefault(name, number)
            data[name] = _as_text(lines)
    bent += [f"not YAML, so read as text: {_listed(odd)}"] if odd else []
    bent += [f"there more than once, so the last counts: {_listed(twice)}"] if twice else []
    return data


def _listed(lines: dict[str, int]) -> str:
    names = [f"{name:.80} (line {number})" for name, number in lines.items()]
    return ", ".join(names[:_FEW]) + (f" and {len(names) - _FEW} more" if len(names) > _FEW else "")


def _value(text: str) -> Any:
    return _mapping(f"value: {text}").get("value")


def _as_text(lines: list[str]) -> str | list[str]:
    first, *rest = (line.strip() for line in lines)
    if not first and re.match(r"-\s", " ".join(rest).lstrip()):
        items: list[list[str]] = []
        for line in filter(None, rest):
            if line.startswith("-"):
                items.append([line[1:].strip()])
            else:
                items[-1].append(line)
        return [_unquoted(" ".join(item)) for item in items]
    mark = first[:1] if re.fullmatch(r"[|>][+\d-]*", first) else ""
    if mark == "|":
        return "\n".join(rest).strip()
    return _unquoted(" ".join(filter(None, rest if mark else (first, *rest))))


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


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

"""Markdown with YAML between two lines of `---` at its top, as files that steer agents have it."""

from __future__ import annotations

import re
from typing import Any

import yaml

from inarch.contract.errors import ToolFailed

_FENCED = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_MOST = 32_768
_MOST_ANCHORS = 20
_REMEDY = "put the value between quotes, or write the text below a line that ends with >"


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return what stands between the lines of `---` at a text's top, and the text below; an empty mapping without them.

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
    if len(head) > _MOST or len(re.findall(r"(?:^|[\s\[{,])&\w", head)) > _MOST_ANCHORS:  # aliases of aliases grow
        raise ToolFailed("validation", f"the front matter is more than {_MOST:,} characters or {_MOST_ANCHORS} anchors")
    try:
        loader = yaml.SafeLoader(head)  # the one in C is faster, and crashes on what is nested deeply
        node = loader.get_single_node()
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
    names = [key for key, _ in node.value] if node is not None else []
    for again in (key for at, key in enumerate(names) if key.value in {one.value for one in names[:at]}):
        where = f"line {again.start_mark.line + 2}: "
        raise ToolFailed("validation", f"{where}the front matter has {again.value:.80} twice", "keep one of them")
    return data, text[found.end() :]

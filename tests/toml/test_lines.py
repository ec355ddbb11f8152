"""The line of every key: agreed with a writer that knows where it put each one."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inarch_lib.toml import KeyPath, key_lines

# The JSON form of a text is a TOML string as long as DEL and lone surrogates stay out of it.
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x7f"), max_size=8)
KEY = st.one_of(st.text("abz_-09", min_size=1, max_size=4), TEXT)
SCALAR = st.one_of(st.integers(-9, 9), st.booleans(), TEXT)
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEY, inner, max_size=3)),
    max_leaves=6,
)
TABLE = st.dictionaries(KEY, VALUE, max_size=4)
GAP = st.sampled_from(["", "\n", "# [not.a.table] = 'no'\n", "\r\n", '   \n\t# x = "\n'])


class Writer:
    """Writes TOML and notes the line of each key, element and table."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.text = ""
        self.lines: dict[KeyPath, int] = {}

    def note(self, path: KeyPath) -> None:
        self.lines[path] = self.text.count("\n") + 1

    def key(self, key: str) -> str:
        bare = key and all(mark in "abz_-09" for mark in key)
        return key if bare and self.draw(st.booleans()) else json.dumps(key, ensure_ascii=False)

    def value(self, path: KeyPath, value: Any) -> None:
        if isinstance(value, dict):
            self.text += "{"
            for index, (key, item) in enumerate(value.items()):
                self.text += ", " if index else " "
                self.note((*path, key))
                self.text += f"{self.key(key)} = "
                self.value((*path, key), item)
            self.text += " }"
        elif isinstance(value, list):
            self.text += "["
            for index, item in enumerate(value):
                self.text += self.draw(GAP) or " "
                self.note((*path, index))
                self.value((*path, index), item)
                self.text += ","
            self.text += self.draw(GAP) + "]"
        else:
            self.text += self.scalar(value)

    def scalar(self, value: Any) -> str:
        plain = isinstance(value, str) and "'" not in value and all(mark >= " " for mark in value)
        if plain and self.draw(st.booleans()):
            return self.draw(st.sampled_from([f"'{value}'", f"'''\n{value}'''"]))
        if isinstance(value, str) and self.draw(st.booleans()):
            return '"""\n' + json.dumps(value, ensure_ascii=False)[1:-1] + '"""'
        return json.dumps(value, ensure_ascii=False)

    def table(self, path: KeyPath, header: str, table: dict[str, Any]) -> None:
        self.text += self.draw(GAP)
        if header:
            self.note(path)
            self.text += f"{header} # [no]\n"
        for key, value in table.items():
            self.text += self.draw(GAP)
            self.note((*path, key))
            self.text += f"{self.key(key)} = "
            self.value((*path, key), value)
            self.text += "\n"


@given(st.data(), TABLE, st.dictionaries(KEY, TABLE, max_size=3), st.lists(TABLE, max_size=3))
def test_every_key_has_the_line_it_was_written_on(
    data: st.DataObject, top: dict[str, Any], tables: dict[str, Any], listed: list[Any]
) -> None:
    writer = Writer(data.draw)
    top.pop("tables", None), top.pop("listed", None)
    writer.table((), "", top)
    for key, table in tables.items():
        writer.table(("tables", key), f"[tables.{writer.key(key)}]", table)
    for index, table in enumerate(listed):
        writer.table(("listed", index), "[[listed]]", table)
    assert len(tomllib.loads(writer.text)) == len(top) + bool(tables) + bool(listed)  # the writer writes TOML
    found = key_lines(writer.text)
    assert {path: found.get(path) for path in writer.lines} == writer.lines
    assert set(found) - set(writer.lines) <= {("tables",), ("listed",)}


def test_tables_inside_arrays_of_tables_and_dotted_keys() -> None:
    text = '[[rules]]\ntool = "a"\n[rules.match]\ncommand = "x"\n[[rules]]\nmatch.path = "y"\n[a."b.c"]\nd.e = 1\n'
    lines = key_lines(text)
    assert lines["rules", 0, "match", "command"] == 4
    assert lines["rules", 1, "match", "path"] == 6
    assert lines["a", "b.c", "d", "e"] == 8
    assert (lines["rules",], lines["rules", 1], lines["a",]) == (1, 5, 7)


def test_arrays_nested_deeper_than_the_stack_are_no_error() -> None:
    lines = key_lines(f"a = 1\nb = {'[' * 100_000}{']' * 100_000}\n")
    assert lines["a",] == 1
    assert lines["b",] == 2

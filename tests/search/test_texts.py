"""Prose and configuration as documents: each section and each key with the line that it stands on."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.search import SECTION, SETTING, Document, search
from inarch_brief.search.formats import format_of
from inarch_brief.search.texts import documents_of_text

from .opened import opened

MARKDOWN = """# Shop

Sells apples.

```sh
# not a heading
pip install shop
```

Set it up
---------

Put it on a counter.

## Rules ##

Nobody pays twice.
"""
TOML = """[project]
name = "shop"
# What it needs.
dependencies = [
    "click",
    "key = in a list",
]

[tool.pytest.ini_options]
testpaths = ["tests"]
text = '''
no_key = 1
'''
"""


def told(path: str, text: str) -> list[tuple[int, int, str]]:
    return [(one.line, one.end, one.qualified.partition(" > ")[2]) for one in documents_of_text(path, text)]


def test_sections_of_markdown_end_where_the_next_heading_begins() -> None:
    assert told("README.md", MARKDOWN) == [(1, 8, "Shop"), (10, 13, "Shop > Set it up"), (15, 17, "Shop > Rules")]
    first = documents_of_text("README.md", MARKDOWN)[0]
    assert (first.kind, first.name, first.summary) == (SECTION, "Shop", "Sells apples.")


def test_keys_of_toml_are_in_their_tables_and_not_in_lists_and_texts() -> None:
    assert told("pyproject.toml", TOML) == [
        (1, 7, "project"),
        (2, 2, "project.name"),
        (4, 7, "project.dependencies"),
        (9, 13, "tool.pytest.ini_options"),
        (10, 10, "tool.pytest.ini_options.testpaths"),
        (11, 13, "tool.pytest.ini_options.text"),
    ]
    needs = documents_of_text("pyproject.toml", TOML)[2]
    assert (needs.kind, needs.name, needs.comments) == (SETTING, "dependencies", "What it needs.")


@pytest.mark.parametrize(
    ("path", "text", "keys"),
    [
        ("tox.ini", "[testenv]\ndeps =\n    pytest\nrun = x\n", ["testenv", "testenv.deps", "testenv.run"]),
        (".env.example", "# Where it listens.\nPORT=80\n#DEBUG=1\n", ["PORT", "DEBUG"]),
        ("ci.yml", "jobs:\n  test:\n    run: |\n      no: key\n  # on: x\n", ["jobs", "jobs.test", "jobs.test.run"]),
        ("package.json", '{\n  "scripts": {\n    "test": "jest"\n  }\n}\n', ["scripts", "scripts.test"]),
        ("Dockerfile", "FROM a:3 AS b\nENV PORT=80 \\\n    X=1\nCMD run\n", ["FROM.a:3", "ENV.PORT", "CMD"]),
        ("Makefile", "PY ?= python\n\ntest: build\n\tpytest a:b\n", ["PY", "test"]),
    ],
)  # fmt: skip
def test_keys_of_configuration_are_found_with_what_they_stand_in(path: str, text: str, keys: list[str]) -> None:
    assert [key for _, _, key in told(path, text)] == keys


def test_what_is_data_and_what_is_locked_is_not_read() -> None:
    assert documents_of_text("big.json", '{\n "a": "' + "x" * 70_000 + '"\n}') == []
    assert [format_of(path) for path in ("package-lock.json", "a.py", "notes.txt", "uv.lock", "x")] == [""] * 5
    assert format_of("docs/notes.txt") == format_of("CHANGES.txt") == "rest"


@given(st.dictionaries(st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True), st.text(max_size=40), max_size=5))
def test_keys_of_toml_are_those_that_a_parser_finds(values: dict[str, str]) -> None:
    def quoted(text: str) -> str:
        return '"' + "".join(f"\\u{ord(c):04x}" if ord(c) < 0x10000 and not c.isalnum() else c for c in text) + '"'

    text = "[a]\n" + "".join(f"{key} = {quoted(value)}\n" for key, value in values.items())
    assert [key for _, _, key in told("x.toml", text)][1:] == [f"a.{key}" for key in tomllib.loads(text)["a"]]


@given(
    st.sampled_from(["a.md", "a.rst", "a.adoc", "a.toml", "a.yml", "a.json", ".env", "Makefile"]), st.text(max_size=300)
)
def test_lines_stand_inside_the_text_whatever_it_is(path: str, text: str) -> None:
    last = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    for one in documents_of_text(path, text):
        assert 1 <= one.line <= max(one.end, one.line) <= last + 1


def test_code_comes_before_texts_unless_they_are_asked_for() -> None:
    code = Document("shop/retry.py", 1, 9, "function", "product", "retry_block", "shop.retry.retry_block")
    guide = "# Shop\n\n## Retrying a block\n\nTo retry a block of code, use it so.\n"
    index = opened()
    index.update({"README.md": documents_of_text("README.md", guide), "shop/retry.py": [code]})
    assert search(index, "how is a block retried?").hits[0].place.file == "shop/retry.py"
    assert search(index, "what does the documentation say about retrying a block?").hits[0].place.line == 3
    only = search(index, "retry a block", among=frozenset(("text",)))
    assert {hit.place.file for hit in only.hits} == {"README.md"}

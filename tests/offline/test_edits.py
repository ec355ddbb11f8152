"""Edits are read out of prompts word for word, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_offline.edits import CREATE, DELETE, MOVE, REPLACE, Edit, edit_of


@pytest.mark.parametrize(
    ("prompt", "edit"),
    [
        ('replace "a b" by "c d" in src/x.py', Edit(REPLACE, "src/x.py", "a b", "c d")),
        ("Replace foo with bar in README.md.", Edit(REPLACE, "README.md", "foo", "bar")),
        ("in ./x.py, change `old()` to `new()`", Edit(REPLACE, "x.py", "old()", "new()")),
        ("replace all 'x' by 'y' in a.txt", Edit(REPLACE, "a.txt", "x", "y", everywhere=True)),
        ("replace all occurrences of x with y in a.txt", Edit(REPLACE, "a.txt", "x", "y", everywhere=True)),
        ('replace "gone" by "" in a.txt', Edit(REPLACE, "a.txt", "gone", "")),
        ("create file notes.txt with hello world", Edit(CREATE, "notes.txt", content="hello world\n")),
        ("create an empty file pkg/__init__.py", Edit(CREATE, "pkg/__init__.py")),
        ("create a.py containing:\n```python\nprint(1)\n```", Edit(CREATE, "a.py", content="print(1)\n")),
        ("please delete old.py", Edit(DELETE, "old.py")),
        ("rename a.py to lib/b.py", Edit(MOVE, "a.py", new_path="lib/b.py")),
    ],
)
def test_edit_is_read(prompt, edit):
    assert edit_of(prompt) == edit


@pytest.mark.parametrize(
    "prompt",
    [
        "replace the parser by a faster one",
        "create a function that adds two numbers",
        "create tests.py with tests for the parser",
        "remove the dead code",
        "how do I replace a by b?",
        "rename Client to Session",
        "where is replace called in core",
    ],
)
def test_what_needs_judgement_is_no_edit(prompt):
    assert edit_of(prompt) is None


_LINE = st.text(st.characters(blacklist_characters='"\n\r', blacklist_categories=("Cs", "Cc", "Z")), min_size=1)


@given(_LINE, _LINE)
def test_quoted_texts_are_taken_exactly(old, new):
    assert edit_of(f'replace "{old}" by "{new}" in a.txt') == Edit(REPLACE, "a.txt", old, new)


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(prompt):
    edit_of(prompt)
    edit_of(f"replace {prompt} in a.py")
    edit_of(f"create file a.py with {prompt}")

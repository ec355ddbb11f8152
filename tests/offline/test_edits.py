"""Edits are read out of prompts to the last word, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.offline.edits import CREATE, DELETE, MOVE, REPLACE, Edit, Refusal, edit_of


@pytest.mark.parametrize(
    ("prompt", "edit"),
    [
        ('replace "a b" by "c d" in src/x.py', Edit(REPLACE, "src/x.py", "a b", "c d")),
        ("Replace foo with bar in README.md.", Edit(REPLACE, "README.md", "foo", "bar", as_name=True)),
        ("replace all 'x' by 'y' in a.txt", Edit(REPLACE, "a.txt", "x", "y", everywhere=True)),
        (
            "replace all total with sum in a.py, including attributes",
            Edit(REPLACE, "a.py", "total", "sum", everywhere=True, as_name=True, attributes=True),
        ),
        ("replace `os.path` by pathlib in ./a.py", Edit(REPLACE, "a.py", "os.path", "pathlib", as_name=True)),
        ('replace "gone" by "" in @a.txt', Edit(REPLACE, "a.txt", "gone", "")),
        ('create file notes.txt with "hello world"', Edit(CREATE, "notes.txt", content="hello world\n")),
        ("create an empty file pkg/__init__.py", Edit(CREATE, "pkg/__init__.py")),
        ("create file a.py containing:\n```python\nprint(1)\n```", Edit(CREATE, "a.py", content="print(1)\n")),
        ("please delete old.py", Edit(DELETE, "old.py")),
        ("rename a.py to lib/b.py", Edit(MOVE, "a.py", new_path="lib/b.py")),
    ],
)
def test_edit_is_read(prompt, edit):
    assert edit_of(prompt) == edit


@pytest.mark.parametrize(
    ("prompt", "form"),
    [
        ('create file notes.md with "hello" and commit it', "create file notes.md with"),
        ("replace total with sum in a.py and in README.md", 'replace "old text" by "new text" in a.py'),
        ("delete old.py and commit it", "delete old.py"),
        ("move a.py into lib", "move a.py to FOLDER/NAME"),
    ],
)
def test_what_begins_as_an_edit_is_refused_with_a_form_that_works(prompt, form):
    refusal = edit_of(prompt)
    assert isinstance(refusal, Refusal) and refusal.part == prompt
    assert refusal.form.startswith(form)


_LINE = st.text(st.characters(blacklist_characters='"\n\r', blacklist_categories=("Cs", "Cc", "Z")), min_size=1)


@given(_LINE, _LINE)
def test_quoted_texts_are_taken_exactly(old, new):
    assert edit_of(f'replace "{old}" by "{new}" in a.txt') == Edit(REPLACE, "a.txt", old, new)


@pytest.mark.parametrize(
    "text",
    [
        "remove duplicates how?", "how do I replace foo by bar in a.py?", "should I delete a.py?",
        "do not replace foo by bar in a.py", "delete a.py? no!", "delete a.py if unused", "never delete a.py",
        "delete a.py b.py", "remove *.py", "remove a.py from git", "remove the import of os in a.py", "move a.py up",
        "move function foo to b.py", "move a.py to lib/ and fix imports", "rename foo to bar", "replace foo by bar",
        "replace foo by bar in a.py and run the tests", "replace all foo with bar in a.py, b.py",
        'replace "a" with "b" in x.py then commit', "replace foo by bar in a.py? just asking",
        'replace "foo" by "bar" in a.py, but only the first', "replace foo and baz by bar in a.py",
        "replace foo by bar or baz in a.py", "replace single quotes with double quotes in a.py",
        "change timeout to 5", "create a file with hello", "create a test for utils.py", 'add "x" to a.py',
        'create file a.txt with "x" unless it exists', "create file x.py from y.py", "write a.txt with hello",
        "make a.py faster", "in a.py fix the bug",
    ],
)  # fmt: skip
def test_nothing_that_is_not_understood_to_its_last_word_writes(text):
    assert not isinstance(edit_of(text), Edit)

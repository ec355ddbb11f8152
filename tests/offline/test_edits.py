"""Edits are read out of prompts to the last word, or not at all."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_offline.edits import CREATE, DELETE, MOVE, REPLACE, Edit, Refusal, edit_of


@pytest.mark.parametrize(
    ("prompt", "edit"),
    [
        ('replace "a b" by "c d" in src/x.py', Edit(REPLACE, "src/x.py", "a b", "c d")),
        ("Replace foo with bar in README.md.", Edit(REPLACE, "README.md", "foo", "bar", as_name=True)),
        ("in ./x.py, change `old()` to `new()`", Edit(REPLACE, "x.py", "old()", "new()")),
        ("replace all 'x' by 'y' in a.txt", Edit(REPLACE, "a.txt", "x", "y", everywhere=True)),
        (
            "replace all occurrences of x with y in a.txt",
            Edit(REPLACE, "a.txt", "x", "y", everywhere=True, as_name=True),
        ),
        (
            "replace total with sum everywhere in a.py, including attributes",
            Edit(REPLACE, "a.py", "total", "sum", everywhere=True, as_name=True, attributes=True),
        ),
        ("substitute new for old in a.py", Edit(REPLACE, "a.py", "old", "new", as_name=True)),
        ("change 30 to 60 in a.toml", Edit(REPLACE, "a.toml", "30", "60", as_name=True)),
        ("replace `os.path` by pathlib in a.py", Edit(REPLACE, "a.py", "os.path", "pathlib", as_name=True)),
        ("replace “a b” by ‘c’ in a.py", Edit(REPLACE, "a.py", "a b", "c")),
        ("could you delete 'my notes.txt', please?", Edit(DELETE, "my notes.txt")),
        ('replace "gone" by "" in a.txt', Edit(REPLACE, "a.txt", "gone", "")),
        ('create file notes.txt with "hello world"', Edit(CREATE, "notes.txt", content="hello world\n")),
        ('create notes.md with the content "hello"', Edit(CREATE, "notes.md", content="hello\n")),
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
        "remove the dead code",
        "how do I replace a by b?",
        "rename Client to Session",
        "where is replace called in core",
        "make one decimal number out of two 16 bit words",
        "write tests for core.py",
        "make a.py faster",
    ],
)
def test_what_spells_out_no_edit_is_none(prompt):
    assert edit_of(prompt) is None


@pytest.mark.parametrize(
    ("prompt", "part", "form"),
    [
        ("create notes.md with the content hello and commit it", "hello and commit it", "create file notes.md with"),
        ('create notes.md with "hello" and commit it', "and commit it", "create file notes.md with"),
        ("create a.py with sensible defaults for logging", "sensible defaults for logging", "create file a.py with"),
        ("create tests.py with tests for the parser", "tests for the parser", "create file tests.py with"),
        ('create a.txt with "x" and b.txt with "y"', 'and b.txt with "y"', "create file a.txt with"),
        ('create an empty file a.txt with "x"', 'with "x"', "create file a.txt with"),
        ("make docs/html", "make docs/html", "create file docs/html"),
        ("create docs/html", "create docs/html", "create file docs/html"),
        ("write a.py", "write a.py", "create file a.py"),
        ("replace total with sum in a.py and in README.md", "and in README.md", "replace total by sum in a.py"),
        ("replace the parser by a faster one in a.py", "the parser by a faster one", 'replace "old text" by'),
        ("in a.py, replace x by y in b.py", "b.py", "replace x by y in a.py"),
        ("replace foo with bar", "", "replace foo by bar in FILE"),
        ("delete old.py and commit it", "and commit it", "delete old.py"),
        ("remove @old.py from the manifest", "from the manifest", "delete old.py"),
        ("move a.py into lib", "into lib", "move a.py to FOLDER/a.py"),
        ("rename a.py to b.py and fix the imports", "and fix the imports", "rename a.py to b.py"),
    ],
)
def test_words_that_are_not_understood_are_named_with_what_works(prompt, part, form):
    refusal = edit_of(prompt)
    assert isinstance(refusal, Refusal)
    assert refusal.part == part
    assert refusal.form.startswith(form)


@pytest.mark.parametrize("form", ["create file docs/html", "delete old.py", "replace total by sum in a.py"])
def test_forms_that_are_advised_are_understood(form):
    assert isinstance(edit_of(form), Edit)


_LINE = st.text(st.characters(blacklist_characters='"\n\r', blacklist_categories=("Cs", "Cc", "Z")), min_size=1)


@given(_LINE, _LINE)
def test_quoted_texts_are_taken_exactly(old, new):
    assert edit_of(f'replace "{old}" by "{new}" in a.txt') == Edit(REPLACE, "a.txt", old, new)


_EDITS = [
    "replace total with sum in a.py",
    'replace all "a b" by "c" in a.py',
    "in a.py, change x to y",
    'create notes.md with "hello"',
    "create file notes.md with the text ```\nhello\n```",
    "create file notes.md",
    "delete old.py",
    "move a.py to lib/b.py",
]
_FOLLOWING = [
    "and",
    "then",
    "commit",
    "it",
    "in",
    "README.md",
    "everywhere",
    "with",
    '"x"',
    "to",
    "b.py",
    "please",
    ".",
]
_KNOWN_ENDS = {"everywhere", "including attributes", "and attributes"}


@given(
    st.sampled_from(_EDITS),
    st.one_of(
        st.text(min_size=1).filter(lambda text: any(map(str.isalnum, text))),
        st.lists(st.sampled_from(_FOLLOWING), min_size=1, max_size=6).map(" ".join),
    ),
)
def test_words_behind_an_edit_are_understood_or_nothing_is_done(form, words):
    """What is done is the edit alone, with nothing behind it but what belongs to its form."""
    edit = edit_of(f"{form} {words}")
    if not isinstance(edit, Edit):
        return
    alone = edit_of(form)
    assert edit._replace(everywhere=False, attributes=False) == alone._replace(everywhere=False, attributes=False)
    left = re.sub(r"\b(please|thanks|thank you)\b|[\s.!?,]+", " ", words.lower()).strip()
    assert not left or left in _KNOWN_ENDS or re.fullmatch(r"in a\.py( everywhere)?", words.lower())


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(prompt):
    edit_of(prompt)
    edit_of(f"replace {prompt} in a.py")
    edit_of(f"create file a.py with {prompt}")


@pytest.mark.parametrize("text", ["rename foo to bar in a.py", "rename the function foo to bar in `a.py`"])
def test_renaming_in_one_file_names_the_form_that_works(text):
    found = edit_of(text)
    assert isinstance(found, Refusal)
    assert found.form == "replace all foo by bar in a.py"


@pytest.mark.parametrize("text", ["replace tabs with spaces in a.py", "replace quotes by commas in a.py"])
def test_words_that_describe_are_not_taken_for_the_text(text):
    assert isinstance(edit_of(text), Refusal)
    words = text.split()
    assert isinstance(edit_of(text.replace(words[1], f'"{words[1]}"').replace(words[3], f'"{words[3]}"')), Edit)


@pytest.mark.parametrize(
    "text",
    [
        "make one decimal number out of two 16 bit words", "how do I add a header", "remove duplicates how?",
        "how do I replace foo by bar in a.py?", "how can I delete a.py?", "should I delete a.py?",
        "is it safe to delete a.py", "what happens if I delete a.py", "don't delete a.py", "never delete a.py",
        "do not replace foo by bar in a.py", "why replace foo by bar in a.py?", "delete a.py? no!",
        "delete a.py if unused", "delete a.py tomorrow", "delete a.py's first function", "delete a.py b.py",
        "delete all .pyc files", "remove *.py", "remove a.py from git", "remove the import of os in a.py",
        "delete line 3 in a.py", "move a.py up", "move a.py b.py", "move function foo to b.py",
        "move a.py to lib/ and fix imports", "rename foo to bar", "rename foo to bar everywhere",
        "replace foo by bar", "replace foo by bar in a.py and run the tests", "replace foo with bar everywhere in src/",
        "replace all foo with bar in a.py, b.py", 'replace "a" with "b" in x.py then commit',
        "replace foo by bar in a.py? just asking", 'replace "foo" by "bar" in a.py, but only the first',
        "replace foo and baz by bar in a.py", "replace foo by bar or baz in a.py", "replace x with y in a.py in b.py",
        "replace single quotes with double quotes in a.py", "replace the parser with a better one",
        "change timeout to 5", "change the default timeout to 5 in config.py", "create a file with hello",
        "create a test for utils.py", "create notes.md with the content hello and commit it",
        'create file a.txt with "x" unless it exists', "create file x.py from y.py", "create `a.py` containing:",
        "add a docstring to a.py", 'add "x" to a.py', "add file a.py to git", "add b to __all__ in a.py",
        "write a.txt with hello", "write a function that sorts in a.py", "make a.py faster", "make docs/html",
        'append "x" to a.txt', 'insert "x" in a.py', "in a.py fix the bug", "ersetze foo durch bar in a.py",
    ],
)  # fmt: skip
def test_nothing_that_is_not_understood_to_its_last_word_writes(text):
    assert not isinstance(edit_of(text), Edit)

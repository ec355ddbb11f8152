"""What is understood of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.search.questions import (
    CODE,
    MESSAGE,
    OUTPUT,
    PROSE,
    TITLE,
    parts_of,
    understood,
)

ISSUE = """Session.send drops the cookies after a redirect
<!-- please fill in this form -->
When I follow a redirect, the jar is empty. `merge_cookies` is not called. See https://example.org/jar_of_doom

```python
import mylib
my_helper(mylib.Session().get("x"))
```

Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/mylib/sessions.py", line 40, in send
    return self.adapter.send(request)
  File "/usr/lib/python3/site-packages/mylib/jar.py", line 7, in take
    raise KeyError(name)
KeyError: the jar has no such cookie

python: 3.11.2
mylib: 2.0
"""


def test_a_report_is_taken_apart() -> None:
    parts = parts_of(ISSUE)
    by_sort = {
        sort: " ".join(part.text for part in parts if part.sort == sort)
        for sort in (TITLE, PROSE, CODE, MESSAGE, OUTPUT)
    }
    assert by_sort[TITLE] == "Session.send drops the cookies after a redirect"
    assert "jar is empty" in by_sort[PROSE]
    assert "my_helper" in by_sort[CODE]
    assert by_sort[MESSAGE] == "KeyError: the jar has no such cookie"
    assert "3.11.2" in by_sort[OUTPUT]
    assert "fill" not in str(parts) and "doom" not in str(parts)


def test_frames_come_in_their_order_and_pasted_names_are_kept_apart() -> None:
    question = understood(ISSUE)
    assert [(frame.file.rpartition("/")[2], frame.line, frame.function) for frame in question.frames] == [
        ("sessions.py", 40, "send"),
        ("jar.py", 7, "take"),
    ]
    assert "my_helper" in question.pasted and "my_helper" not in question.identifiers
    assert {"merge_cookies", "Session.send"} <= set(question.identifiers)


def test_tests_and_kinds_are_asked_for_in_sentences() -> None:
    assert understood("Which tests cover the parser?").about_tests
    assert understood("Which class keeps the cookies?").kind == "class"
    assert not understood("How does the parser work?").about_tests


@pytest.mark.parametrize(
    "text",
    [
        "a" * 40_000,
        "a." * 20_000,
        "a/" * 20_000,
        "A_" * 20_000,
        "x\n" + " " * 39_000 + "x",
        "x\n" + "-" * 39_000,
        "`" * 40_000,
        "<!--" * 10_000,
        "x\n" + "1 " * 19_000,
        'x\nFile "' * 5_000,
        "x\n" + "A." * 19_000 + "Erro",
    ],
)
def test_the_longest_texts_take_one_pass(text: str) -> None:
    """A pattern that tries each beginning of a run again would take hours here."""
    understood(text)


@given(st.text())
def test_any_text_is_understood(text: str) -> None:
    question = understood(text)
    assert all(term.weight > 0 for term in question.terms.values())
    assert understood(text) == question


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("how do I start the server?", True),
        ("how to deploy it?", True),
        ("how should one configure the cache?", True),
        ("how can start times be spread at random?", False),
        ("how do builds get their names?", False),
        ("where is the README read?", True),
    ],
)
def test_documentation_is_asked_for_where_somebody_wants_to_do_something(text: str, is_so: bool) -> None:
    assert understood(text).about_texts is is_so

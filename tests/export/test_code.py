"""Code with colours says what the code says, whatever the code and its language are."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import example, given
from hypothesis import strategies as st

from inarch import escape
from inarch_plugins.export.html.code import code
from inarch_plugins.export.html.diffs import file_diff


def read(html: str) -> str:
    """Return the text of HTML."""
    parts: list[str] = []
    reader = HTMLParser()
    reader.handle_data = parts.append  # type: ignore[method-assign]
    reader.feed(html)
    reader.close()
    return "".join(parts)


@given(st.text(max_size=200), st.sampled_from(["python", "html", "diff", "console", "", "no such"]))
@example('x = "<b>"  # </code>\n\n', "python")
@example("", "python")
def test_code_says_what_it_says(content: str, language: str) -> None:
    assert read(code(content, language)) == escape(content)


def test_code_has_colours_in_fences_and_diffs() -> None:
    assert '<i class="k">def</i>' in code("def f(): pass\n", "python")
    shown = file_diff("a = 1\n", "a = None  # <none>\n", "src/a.py")
    assert '<i class="b">None</i>' in shown and '<i class="c"># &lt;none&gt;</i>' in shown
    assert "<i " not in file_diff("a = 1\n", "a = None\n", "a.unknown")

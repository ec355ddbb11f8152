"""Whatever stands in a session, the page has our elements only, and the text is the text."""

from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from inarch.contract.events import ContextAdded, ErrorHappened, LimitWait, Note
from inarch.contract.records import ToolError
from inarch_lib.output.escapes import escape
from inarch_plugins.export.html.prose import prose
from inarch_plugins.export.html.tags import tag, text

from .reading_html import ATTRIBUTES, OF_PROSE, OWN, Reader
from .telling import Telling
from .written import export

BREAKERS = (
    "</script>", "<script>", "</style>", "</noscript>", "</title>", "<!--", "-->", "<![CDATA[", "<img src=x onerror=a>",
    '"', "'", "&", "&#x202e;", "&lt;", "<", ">", "`", "\\", "\n", "\r\n", "\t", "\x00", "\x1b[31m", "\x85", "\u202e",
    "\u2066",     "\u200b", "\ud800", "\ufeff", "\U000e0041", "a\u0301\u0301", "[x](javascript:alert(1))", "![i](http://h.example/i.png)",
    "[x](https://h.example/)", "<https://h.example/>", "```", "~~~", "| a | b |\n|:-:|--:|\n| 1 | 2 |", "# h",
    "> q", "- l",
)  # fmt: skip
hostile = st.lists(st.one_of(st.sampled_from(BREAKERS), st.text(max_size=8)), max_size=8).map("".join)


def hostile_page(words: str) -> str:
    told = Telling(root=words, session_id=words or "s")
    told.prompt(words, model=words)
    told.add(ContextAdded(words, words))
    told.add(ErrorHappened(words, words, words, words))
    told.add(Note(words, words))
    told.add(LimitWait(words, 1.0, words), 1)
    told.raw(words or "other", {words: words})
    told.reply(words, words)
    call = told.call(words, "slash", **{words: words, "file_path": words, "search": words, "replace": words + "\n"})
    told.ask(call, outcome="deny", scope=words)
    told.run(call, {words: [words], "text": words}, error=ToolError("denied", words, words), changed=words)
    told.answer(words, error=words, limit=words)
    return export(told.events, "html")


@settings(suppress_health_check=[HealthCheck.too_slow])  # of a busy machine
@given(hostile)
@example("".join(BREAKERS))
def test_a_page_has_our_elements_only(words: str) -> None:
    page = hostile_page(words)
    read = Reader(page)
    assert read.tags <= OWN | OF_PROSE
    assert read.attributes <= ATTRIBUTES
    assert not read.strange, read.strange
    assert page.count("<script>") == page.count("</script>") == page.count("<style>") == 1
    assert all(link.startswith(("#", "http://", "https://", "mailto:")) for link in read.links)
    assert escape(page) == page  # nothing that misleads is left in the source either


@given(hostile)
@example("".join(BREAKERS))
def test_a_text_is_read_as_it_was_written(words: str) -> None:
    assert "".join(Reader(text(words)).all_text) == escape(words)
    made = tag("p", words, title=words)
    read = Reader(made)
    assert read.tags == {"p"}
    assert "".join(read.all_text) == escape(words)
    assert read.elements[0][1] == {"title": escape(words, keep_newlines=False)}


@given(hostile)
@example("".join(BREAKERS))
@example("[![in](http://h.example/a.png)](https://h.example/) ![x](data:image/png;base64,AA)")
@example("<div onclick=a>\n\n[a]: javascript:alert(1)\n\n[a] &#60;script&#62;")
def test_markdown_brings_no_elements_of_its_own(words: str) -> None:
    read = Reader(prose(words))
    assert read.tags <= OF_PROSE
    assert read.attributes <= {"class", "dir", "href", "rel", "target", "start"}
    assert not read.strange
    for name, attributes in read.elements:
        if name == "a":
            assert (attributes["href"] or "").startswith(("http://", "https://", "mailto:"))
            assert attributes["rel"] == "noopener noreferrer"


def test_only_links_to_the_web_and_to_mailboxes_lead_somewhere() -> None:
    shown = prose(
        "[web](https://h.example/a) [mail](mailto:ada@h.example) [code](src/app.py) [js](JavaScript:alert(1)) "
        "[data](data:text/html,x) [file](file:///etc/passwd) ![picture](https://h.example/p.png) ![none](p.png)"
    )
    read = Reader(shown)
    assert read.links == ["https://h.example/a", "mailto:ada@h.example", "https://h.example/p.png"]
    assert "".join(read.all_text).split() == ["web", "mail", "code", "js", "data", "file", "picture", "none"]

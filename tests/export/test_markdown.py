"""The Markdown export: everything of a session, and nothing that gets out of its place."""

from __future__ import annotations

from hypothesis import example, given
from markdown_it import MarkdownIt

from inarch.contract.records import ToolError
from inarch_lib.output.escapes import escape
from inarch_plugins.export.fences import fenced, quoted

from .telling import Telling
from .test_escaping import BREAKERS, hostile
from .written import export

READER = MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable("table")


def types(markdown: str) -> list[str]:
    return [part.type for token in READER.parse(markdown) for part in (token, *(token.children or ()))]


@given(hostile)
@example("```\n````")
@example("~~~~\n")
def test_a_fence_holds_whatever_it_is_given(content: str) -> None:
    (token,) = READER.parse(fenced(content, "text"))
    assert token.type == "fence"
    assert token.content.removesuffix("\n") == escape(content).removesuffix("\n")


@given(hostile)
@example("```\nnever closed")
@example("<div>\n\n- <!-- ")
@example("[a]: https://h.example/\n\n===")
@example("\x0c\n\u2028# h")
@example("\t</script>")
def test_a_quotation_ends_where_it_ends(content: str) -> None:
    made = READER.parse(f"{quoted(content)}\nafter\n")
    assert [token.type for token in made[-3:]] == ["paragraph_open", "inline", "paragraph_close"]
    assert made[-2].content == "after"
    assert not {"html_block", "html_inline", "image"} & set(types(quoted(content)))


def test_the_text_has_prompt_answer_calls_approvals_costs_and_files() -> None:
    told = Telling()
    told.prompt("Fix the test")
    told.reply("I look.", "First I read.")
    told.run(told.call("read_file", file_path="a.py"), {"path": "a.py", "content": "x = 1\ny = 2\n"}, 0.25)
    write = told.call("write_file", file_path="b.py", content="z" * 9_000)
    told.ask(write, scope="session")
    told.run(write, {"note": "written"}, changed="b.py")
    told.run(told.call("read_file", file_path="c.py"), error=ToolError("not_found", "there is no c.py", "look"))
    told.answer("It is **done**.")
    text = export(told.events, "markdown")
    for part in (
        "# Fix the test\n", "## Turn 1 · ", "**Prompt**\n\n```text\nFix the test\n```\n",
        "Reasoning:\n\n```text\nFirst I read.",
        "> I look.\n", "### `read_file` succeeded, 250 ms\n", "`content`:\n\n```text\nx = 1\ny = 2\n```\n",
        "- Approved by the user, for the session\n", "5,000 characters left out of the middle",
        "### `read_file` failed",
        "Error `not_found`:\n\n```text\nthere is no c.py\nlook\n```\n", "**Answer**\n\n> It is **done**.\n",
        "- changed `b.py`\n", "10,428 tokens in, 376 out · $0.0043", "| answers | — | gemini/gemini-flash-latest | 2 |",
    ):  # fmt: skip
        assert part in text, part


@given(hostile)
@example("".join(BREAKERS))
def test_a_hostile_session_has_only_the_headings_of_the_export(content: str) -> None:
    told = Telling(root=content)
    told.prompt(content, model=content)
    told.reply(content, content)
    told.run(told.call(content, **{content: content, "t": f"{content}\n"}), {"t": f"{content}\n"})
    told.answer(content, error=content)
    made = READER.parse(export(told.events, "markdown"))
    headings = [token.tag for token in made if token.type == "heading_open" and token.level == 0]
    assert headings == ["h1", "h2", "h3"]
    assert not any(token.type == "html_block" for token in made)

"""Several files of instructions in a project: what each says that no other says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch.config.project import together

A, G, C = "AGENTS.md", "GEMINI.md", "CLAUDE.md"


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        ({A: "Use tabs.\n"}, "Use tabs.\n"),
        ({A: "", C: "Use tabs.\n"}, "Use tabs.\n"),
        ({A: "Use tabs.\n", G: " Use\r\n\ttabs.", C: "Use  tabs."}, "Use tabs.\n"),
        ({A: "Use tabs.\n", C: "Speak plainly.\n"}, "## AGENTS.md\nUse tabs.\n\n## CLAUDE.md\nSpeak plainly."),
        ({A: "Use tabs.", C: "@AGENTS.md\n"}, "Use tabs."),
        (
            {A: "Use tabs.", C: "# CLAUDE.md\n\nSee [AGENTS.md](./AGENTS.md) for the guidelines.\n", G: "@./AGENTS.md"},
            "Use tabs.",
        ),
        ({A: "Please read CLAUDE.md.", C: "Use tabs."}, "Use tabs."),
        ({A: "@CLAUDE.md", C: "@AGENTS.md"}, "@CLAUDE.md"),
        (
            {A: "Use tabs.", C: "Read AGENTS.md, but never push."},
            "## AGENTS.md\nUse tabs.\n\n## CLAUDE.md\nRead AGENTS.md, but never push.",
        ),
        (
            {A: "Use tabs.", C: "# Never push\n@AGENTS.md"},
            "## AGENTS.md\nUse tabs.\n\n## CLAUDE.md\n# Never push\n@AGENTS.md",
        ),
        ({A: "Use tabs.", C: "@GEMINI.md"}, "## AGENTS.md\nUse tabs.\n\n## CLAUDE.md\n@GEMINI.md"),  # there is none
        ({A: "", G: "\n", C: " "}, ""),
    ],
)
def test_each_says_what_no_other_says(texts: dict[str, str], kept: str) -> None:
    assert together(texts) == kept


@given(st.dictionaries(st.sampled_from([A, G, C]), st.text(max_size=30)))
def test_what_one_of_them_says_is_never_lost(texts: dict[str, str]) -> None:
    for text in texts.values():
        if text.strip() and not set("AGC").intersection(text):
            assert " ".join(text.split()) in " ".join(together(texts).split())

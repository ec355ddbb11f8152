"""The page that a person with a key finds first agrees with the table of proposed models."""

from __future__ import annotations

import re
from pathlib import Path

from inarch.plugins.discovery import own_ready
from inarch_sdk.model_table import SERVICES, proposed_model, service_of

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "how-to" / "models.md"
NAME = re.compile(
    r"(?<![\w./~-])(?:(?:openai|anthropic|gemini|openrouter|litellm)/[\w./~-]+|(?:gpt|claude|gemini|grok)-[\w.-]+)"
)


def test_the_table_of_the_page_is_the_order_of_auto() -> None:
    page = PAGE.read_text().replace("[sign-in with ChatGPT](sign-in.md)", "`OPENAI_CHATGPT_TOKEN`")
    rows = re.findall(r"^\| `([A-Z_]+)` \| `([^`]+)` \| `([^`]+)` \|$", page, re.M)
    ranked = sorted((rank, variable, service) for service in SERVICES for variable, rank in service.keys)
    expected = [(variable, f"{one.provider}/{one.model}", one.decision_model) for _, variable, one in ranked]
    assert rows == expected[: len(rows)] and len(rows) >= 10
    needs = [one.needs for one in own_ready()]
    assert needs.index("settings.base_url") == 2 and PAGE.read_text().index(
        "a server of yours"
    ) < PAGE.read_text().index("| `OPENAI_API_KEY`")


def test_models_in_the_docs_do_not_end() -> None:
    """A name that the table knows to end is nowhere proposed; the generated pages say when it does."""
    generated = {"services.md", "plugin-settings.md", "library.md"}
    pages = [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
    ending = []
    for page in pages:
        if "changes" in page.parts or page.name in generated:
            continue
        for found in NAME.findall(page.read_text("utf-8")):
            name = found.rstrip(".-")
            native = next(
                (place for place in ("openai", "anthropic", "gemini") if proposed_model(f"{place}/{name}")), ""
            )
            row = proposed_model(name if service_of(name) else f"{native}/{name}")
            if row is not None and row.retires is not None:
                ending.append(f"{page.name}: {name}")
    assert ending == []

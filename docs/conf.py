"""Builds the pages of docs/ into a site: `sphinx-build -W --keep-going docs OUT`; a broken link or anchor is an error.

The pages are plain Markdown. The groups of the side bar are made here from the lists of links in index.md, so that
nothing in a page needs this program to be read.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

from inarch import __version__

project = "Inarch"
release = version = __version__
html_title = f"Inarch {__version__}"
copyright = "the Inarch maintainers, MIT licence"

extensions = ["myst_parser"]
exclude_patterns = ["changes", "example", "_build"]
myst_heading_anchors = 4  # as forges do: a link may end in #the-words-of-a-heading
myst_enable_extensions = ["strikethrough"]
nitpicky = True
highlight_language = "text"  # a block without a language is not guessed at

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

_PART = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.M | re.S)
_PAGE = re.compile(r"^- \[.*?\]\(([^)#:]+)\.md\)", re.M)
_GROUP = re.compile(r'<p class="caption"[^>]*>(.*?)</p>\s*(<ul.*?</ul>)(?=\s*(?:<p |</div>|\Z))', re.S)


def add_contents(_app: Sphinx, page: str, source: list[str]) -> None:
    """Make each group of the index a table of contents, in the same order."""
    if page != "index":
        return
    for title, text in _PART.findall(source[0]):
        pages = _PAGE.findall(text)
        if pages:
            entries = "\n".join(pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n{entries}\n```\n"


def fold_groups(_app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: object) -> None:
    """Let the groups of the side bar fold; the one of the page is open, on the front page the first."""

    def folded(group: re.Match[str]) -> str:
        state = " open" if 'class="current' in group[2] else ""
        return f'<details{state}><summary class="caption">{group[1]}</summary>{group[2]}</details>'

    tree = _GROUP.sub(folded, context.get("furo_navigation_tree", ""))
    context["furo_navigation_tree"] = tree.replace("<details>", "<details open>", 1) if page == "index" else tree


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", add_contents)
    app.connect("html-page-context", fold_groups, priority=900)  # Furo makes the side bar at 500
    return {"parallel_read_safe": True}

"""Builds the pages of docs/ into a site: `sphinx-build -W --keep-going docs OUT`; a broken link or anchor is an error.

The pages are plain Markdown. The tables of contents are made here from the lists of links in index.md, so that nothing
in a page needs this program to be read.
"""

from __future__ import annotations

import re

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
html_css_files = ["wide-tables.css"]
html_copy_source = False
html_show_sphinx = False

_PART = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", re.M | re.S)
_PAGE = re.compile(r"^[-|] .*?\]\(([^)#:]+)\.md\)", re.M)


def add_contents(_app: Sphinx, page: str, source: list[str]) -> None:
    """Make each list of links of the index a table of contents, in the same order."""
    if page != "index":
        return
    for title, text in _PART.findall(source[0]):
        pages = _PAGE.findall(text)
        if pages:
            entries = "\n".join(dict.fromkeys(pages))
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n{entries}\n```\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True}

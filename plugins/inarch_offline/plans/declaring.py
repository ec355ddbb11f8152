"""What a project says of itself, line by line: versions that it runs on, its own version, authors, addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.intents import Intent
from inarch_offline.manifests import is_manifest
from inarch_offline.material import Hit, hits
from inarch_offline.writing import Page, Place, code

_LINES: Mapping[str, tuple[str, str]] = {
    "versions": (
        r"requires-python|python_requires|Programming Language :: Python :: |^Requires-Python|\"engines\"|"
        r"\"node\" *:|"
        r"^rust-version|^edition|^go [0-9]|<java\.version>|maven\.compiler\.|required_ruby_version|\"php\" *:|"
        r"^python *=",
        "which versions it runs on",
    ),
    "version": (
        r"^version *[:=]|\"version\" *:|^Version:|^ *version *= *['\"]|__version__ *= *['\"]|^## "
        r"\[?v?[0-9]|^Version [0-9]",
        "which version it is",
    ),
    "authors": (
        r"^ *authors? *=|^ *maintainers? *=|author_email|\"author\" *:|\"contributors\" *:|\"maintainers\" *:|"
        r"^Author|"
        r"^Maintainer|^ *\{ *name *= *['\"]|<developer>",
        "who made it",
    ),
    "links": (
        r"^ *['\"]?(home-?page|repository|documentation|docs|source|bugs?|issues?|tracker|url|chat|donate|"
        r"changes|changelog)"
        r"[\w ]*['\"]? *[:=].*http|^Project-URL|^Home-page",
        "where it is on the web",
    ),
}
_MINOR = re.compile(r"Python :: (3\.\d+)")
_ASKED = {
    "doc": "doc",
    "repo|source": "repo|source|code",
    "home|web": "home|web|url",
    "issue|bug|report|file": "issue|bug|track",
}
"""Which of the addresses is asked for, and how their lines begin."""
_MOST = 8
_NONE = 9
"""The rank of files that say nothing of the whole."""
_MODULES = re.compile(r"(?:^|/)(?:__init__|__about__|__version__|_?version)\.py$")


def declared(intent: Intent) -> Plan:
    """Quote the lines of manifests that say it; where they don't, those of the README."""
    pattern, what = _LINES[intent.facet]
    [searched] = yield [calls.search(pattern, ignore_case=True, limit=1_000)]
    found = sorted(hits(searched), key=lambda hit: (_rank(hit.path), hit.path, hit.line))
    best = [hit for hit in found if _rank(hit.path) < _NONE]
    lead = [hit for hit in best if hit.path == best[0].path]
    page = Page()
    if not lead:
        page.absent(f"No manifest at the top says {what}.")
        return page
    minors = [(minor[1], hit.place) for hit in lead if (minor := _MINOR.search(hit.text))]
    if asked := next((pattern for noun, pattern in _ASKED.items() if re.search(noun, intent.subject)), ""):
        lead = [hit for hit in lead if re.match(rf"\W*(?:{asked})", hit.text, re.I)] or lead
    shown = [hit for hit in lead if "Programming Language :: Python" not in hit.text]
    for hit in shown[: _MOST if intent.facet != "version" else 1]:
        page.say(_told(hit), hit.place)
    if intent.facet == "versions" and minors:
        page.say(f"By its classifiers Python {', '.join(one for one, _ in minors)}", *_ends(minors))
    elif not shown:
        page.say(_told(lead[0]), lead[0].place)
    return page


def _told(hit: Hit) -> str:
    return code(hit.text.strip().rstrip(","), 110)


def _ends(minors: Sequence[tuple[str, Place]]) -> list[Place]:
    return [minors[0][1], *([minors[-1][1]] if len(minors) > 1 else [])]


def _rank(path: str) -> int:
    """Order files by how much they say of the whole: manifests at the top, then what is made of them."""
    if "/" in path:
        return 4 if _MODULES.search(path) and path.count("/") < 3 else _NONE
    if is_manifest(path):
        return 0 if path in ("pyproject.toml", "package.json", "Cargo.toml", "go.mod") else 1
    if path in ("PKG-INFO", "AUTHORS", "CITATION.cff"):
        return 2
    return 5 if re.match(r"(?i)change|history|news", path) else _NONE

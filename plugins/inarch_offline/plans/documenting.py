"""What the documentation says: how to install, deploy, use, build and contribute, in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import Intent
from inarch_offline.manifests import MANIFESTS, read_project
from inarch_offline.material import FileText, Hit, file_text, files, hits
from inarch_offline.plans.searching import MEANS_LITTLE, telling
from inarch_offline.plans.whole import of_the_whole
from inarch_offline.readme import Fact
from inarch_offline.sections import is_heading, section_at, title_at
from inarch_offline.writing import Page, code, cut

PROSE = (".md", ".rst", ".txt", ".adoc")
GUIDES = {
    "install": (r"instal", r"getting started|get started|quick ?start", r"\bset(ting)? ?up\b"),
    "deploy": (r"deploy", r"production|hosting", r"docker|\bserving\b"),
    "use": (r"\busage\b|how to use", r"quick ?start|getting started|get started", r"example|tutorial|basic|introduc"),
    "build": (r"\bbuild|compil|from source", r"develop"),
    "contribute": (r"contribut", r"hacking|pull request", r"develop"),
    "release": (r"\breleasing|\brelease (process|steps)|publish",),
    "upgrade": (r"upgrad|migrat", r"\bupdat|porting"),
}
"""What is asked for, and what headings about it say, the surest first."""
_ASKED = {"contribute": "contribute to"}
_COMMANDS = {
    "install": (
        r"(pip3?|pipx|uv|conda|mamba|npm|yarn|pnpm|cargo|go|gem|brew|apt(-get)?|composer) +(pip +)?"
        r"(install|add|get|require|i)\b"
    ),
    "deploy": r"(gunicorn|waitress-serve|uvicorn|hypercorn|docker|kubectl|helm|heroku|fly) +[\w-]",
    "build": r"(make|cargo build|go build|npm run build|python -m build|cmake|gradle|mvn|tox|nox)\b",
}
_LOG = re.compile(r"(?i)change|history|news|release")
_Section = tuple[FileText, int]
"""A text and the index of a heading in it."""
_LINES, _FEW_LINES = 6, 4
_LOOK = 30
_MOST_FILES = 6


def guide(intent: Intent) -> Plan:
    """Quote the section of the README or of the documentation that is about it."""
    intent = yield from of_the_whole(intent)
    what = intent.facet
    anyhow = "|".join(GUIDES[what])
    searched, commands, listed = yield [
        calls.search(rf"^[#\s]*(\S.{{0,60}})?({anyhow})", ignore_case=True, limit=400),
        calls.search(_COMMANDS.get(what, anyhow), limit=200),
        calls.list_files("*", 500),
    ]
    page = Page()
    about = [word.lower() for word in intent.subject.split() if len(word) > 2]
    found = yield from _sections(hits(searched), GUIDES[what], about)
    if found:
        _quote(page, found[0], _LINES)
    others = [(title_at(text.text.split("\n"), index), text.place(index)) for text, index in found[1:4]]
    if others:
        page.head("Other sections about it")
    for title, place in others:
        page.item(f"“{cut(title, 70)}”", place)
    if what in _COMMANDS and not found:
        _say_commands(page, [hit for hit in hits(commands) if hit.path.endswith(PROSE)])
    if what in ("install", "build"):
        yield from _say_by_manifest(page, files(listed), what)
    if not page.lines:
        page.absent(f"No README and no documentation here says how to {_ASKED.get(what, what)} this.")
    return page


def say_documented(page: Page, intent: Intent) -> Asking[bool]:
    """Quote the section whose heading is about what is asked and about nothing else; whether there is one."""
    words = telling(intent.subject)
    if not words:
        return False
    [searched] = yield [calls.search(rf"^[#\s]*(\S.{{0,60}})?({calls.any_of(words)})", ignore_case=True, limit=600)]
    fitting = [hit for hit in hits(searched) if hit.path.lower().endswith(PROSE) and _fit(hit, words) > 0]
    ranked = sorted(fitting, key=lambda hit: (-_fit(hit, words), _LOG.search(hit.path) is not None, hit.path, hit.line))
    found = yield from _read(ranked[:_MOST_FILES])
    if found:
        _quote(page, found[0], _LINES if intent.long else _FEW_LINES)
    return bool(found)


def _quote(page: Page, section: _Section, most: int) -> None:
    """Say what the first lines of a section say."""
    text, index = section
    title = title_at(text.text.split("\n"), index)
    page.head(f"{text.path} says under “{cut(title, 60)}”")
    for fact in section_at(text, index, most):
        page.item(_shown(fact.text), fact.place)


def _fit(hit: Hit, words: Sequence[str]) -> float:
    """How well a line that may be a heading fits: what it has of the words, less what it says besides."""
    title = [word for word in re.findall(r"[a-z]+", hit.text.lower()) if len(word) > 2 and word not in MEANS_LITTLE]
    if not title or len(title) > 5 or (not hit.text.startswith("#") and len(hit.text) > 60):
        return 0
    held = sum(any(one.startswith(word) for one in title) for word in words)
    besides = sum(not any(one.startswith(word) for word in words) for one in title)
    return 2 * held - len(words) - besides + (0.5 if held == len(words) else 0) if held else 0


def _shown(text: str) -> str:
    return code(text.strip("`"), 110) if text.startswith("`") and text.endswith("`") else cut(text, 160)


def _sections(found: Sequence[Hit], wanted: Sequence[str], about: Sequence[str]) -> Asking[list[_Section]]:
    """Read around lines that may be headings and keep those that are, the README's and the most fitting first."""
    prose = [hit for hit in found if hit.path.lower().endswith(PROSE) and not _LOG.search(hit.path)]
    ranked = sorted(prose, key=lambda hit: _rank(hit, wanted, about))
    # A heading is marked, or short enough to be underlined.
    likely = [hit for hit in ranked if hit.text.startswith("#") or (len(hit.text) <= 60 and not hit.text[:1].isspace())]
    read = yield from _read(likely[:_MOST_FILES])
    return read


def _read(kept: Sequence[Hit]) -> Asking[list[_Section]]:
    """Read what stands around lines, and keep those that are headings with something below them."""
    results = (yield [calls.read_file(hit.path, hit.line, hit.line + _LOOK) for hit in kept]) if kept else []
    texts = [text for result in results if (text := file_text(result)) is not None]
    return [(text, 0) for text in texts if is_heading(text.text.split("\n"), 0) and section_at(text, 0, 1)]


def _rank(hit: Hit, wanted: Sequence[str], about: Sequence[str]) -> tuple[int, bool, int, bool, bool, int, str, int]:
    title, path = hit.text.strip("# "), hit.path.rpartition("/")[2]
    return (
        -sum(word in f"{hit.path} {title}".lower() for word in about),
        title.startswith((".", "`")),  # the name of something in the code
        next((rank for rank, one in enumerate(wanted) if re.search(one, title, re.I)), len(wanted)),
        not _is_readme(hit) and not re.search(wanted[0], hit.path, re.I),
        not re.match(wanted[0], title, re.I),
        hit.path.count("/") - (path.startswith("index.")) + len(title) // 12,
        hit.path,
        hit.line,
    )


def _is_readme(hit: Hit) -> bool:
    return hit.path.lower().startswith("readme")


def _say_commands(page: Page, found: Sequence[Hit]) -> None:
    ranked = sorted(found, key=lambda hit: (not _is_readme(hit), hit.path.count("/"), hit.path, hit.line))
    if ranked:
        page.head("In the documentation")
    for hit in ranked[:4]:
        page.item(code(hit.text.strip("`$> ")), hit.place)


def _say_by_manifest(page: Page, paths: Sequence[str], what: str) -> Plan:
    """Say what a manifest at the top lets one do, where it names the project."""
    present = [name for name in MANIFESTS if name in paths][:4]
    results = (yield [calls.read_file(name, 1, 400) for name in present]) if present else []
    project = read_project([text for result in results if (text := file_text(result))], paths)
    fact = _by_manifest(project.name, what)
    if fact is not None:
        page.say(fact.text, fact.place)
    return page


def _by_manifest(name: Fact | None, what: str) -> Fact | None:
    if name is None:
        return None
    base = name.place.path.rpartition("/")[2]
    command = {
        ("pyproject.toml", "install"): "pip install .",
        ("setup.cfg", "install"): "pip install .",
        ("setup.py", "install"): "pip install .",
        ("package.json", "install"): f"npm install {name.text}",
        ("Cargo.toml", "build"): "cargo build",
        ("Cargo.toml", "install"): "cargo install --path .",
        ("go.mod", "build"): "go build ./...",
        ("go.mod", "install"): f"go get {name.text}",
        ("pyproject.toml", "build"): "python -m build",
    }.get((base, what))
    return Fact(f"By its manifest it is `{name.text}`: `{command}`", name.place) if command else None

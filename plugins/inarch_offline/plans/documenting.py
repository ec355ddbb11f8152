"""What the documentation says: how to install, deploy, use, build and contribute, in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import Intent
from inarch_offline.manifests import MANIFESTS, read_project
from inarch_offline.material import Hit, Symbol, file_text, files, hits, symbols
from inarch_offline.plans.searching import MEANS_LITTLE, telling
from inarch_offline.plans.whole import of_the_whole
from inarch_offline.readme import Fact
from inarch_offline.sections import say_section, told_in
from inarch_offline.writing import Page, code, cut
from inarch_search.formats import is_log

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
_SOUGHT = {
    "install": "install installation getting started quickstart set up",
    "deploy": "deploy deployment production docker",
    "use": "usage quickstart getting started example tutorial", "build": "build compile from source development",
    "contribute": "contributing contribute development hacking", "release": "release releasing publish",
    "upgrade": "upgrade upgrading migration update porting",
}  # fmt: skip
"""The words that sections about it are looked for by."""
_ASKED = {"contribute": "contribute to"}
_COMMANDS = {
    "install": (
        r"(pip3?|pipx|uv|conda|mamba|npm|yarn|pnpm|cargo|go|gem|brew|apt(-get)?|composer) +(pip +)?"
        r"(install|add|get|require|i)\b"
    ),
    "deploy": r"(gunicorn|waitress-serve|uvicorn|hypercorn|docker|kubectl|helm|heroku|fly) +[\w-]",
    "build": r"(make|cargo build|go build|npm run build|python -m build|cmake|gradle|mvn|tox|nox)\b",
}
_LINES, _FEW_LINES = 6, 4
_FOUND = 60
"""Sections that are asked for."""
_MOST_FILES = 6


def guide(intent: Intent) -> Plan:
    """Quote the section of the README or of the documentation that is about it."""
    intent = yield from of_the_whole(intent)
    what = intent.facet
    searched, commands, listed = yield [
        calls.find_symbols(f"{_SOUGHT[what]} {intent.subject}".strip(), kind="section", limit=_FOUND),
        calls.search(_COMMANDS.get(what, "|".join(GUIDES[what])), limit=200),
        calls.list_files("*", 500),
    ]
    page = Page()
    about = [word.lower() for word in intent.subject.split() if len(word) > 2]
    found = yield from told_in(_fitting(symbols(searched), GUIDES[what], about), _LINES)
    for section, facts in found[:1]:
        say_section(page, section, facts)
    if found[1:]:
        page.head("Other sections about it")
    for section, _ in found[1:4]:
        page.item(f"“{cut(section.name, 70)}”", section.place)
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
    [searched] = yield [calls.find_symbols(intent.subject, kind="section", limit=_FOUND)]
    fitting = [one for one in symbols(searched) if _fit(one.name, words) > 0]
    ranked = sorted(fitting, key=lambda one: (-_fit(one.name, words), is_log(one.place.path)))
    found = yield from told_in(ranked[:_MOST_FILES], _LINES if intent.long else _FEW_LINES)
    for section, facts in found[:1]:
        say_section(page, section, facts)
    return bool(found)


def _fit(title: str, words: Sequence[str]) -> float:
    """How well a heading fits: what it has of the words, less what it says besides."""
    said = [word for word in re.findall(r"[a-z]+", title.lower()) if len(word) > 2 and word not in MEANS_LITTLE]
    if not said or len(said) > 5:
        return 0
    held = sum(any(one.startswith(word) for one in said) for word in words)
    besides = sum(not any(one.startswith(word) for word in words) for one in said)
    return 2 * held - len(words) - besides + (0.5 if held == len(words) else 0) if held else 0


def _fitting(found: Sequence[Symbol], wanted: Sequence[str], about: Sequence[str]) -> list[Symbol]:
    """Keep the sections whose headings say what is asked for, the README's and the most fitting first."""
    said = [one for one in found if re.search("|".join(wanted), one.name, re.I) and not is_log(one.place.path)]
    return sorted(said, key=lambda one: _rank(one, wanted, about))[:_MOST_FILES]


def _rank(
    section: Symbol, wanted: Sequence[str], about: Sequence[str]
) -> tuple[int, bool, int, bool, bool, int, str, int]:
    title, path = section.name, section.place.path
    return (
        -sum(word in f"{path} {title}".lower() for word in about),
        title.startswith((".", "`")),  # the name of something in the code
        next((rank for rank, one in enumerate(wanted) if re.search(one, title, re.I)), len(wanted)),
        not _is_readme(path) and not re.search(wanted[0], path, re.I),
        not re.match(wanted[0], title, re.I),
        path.count("/") - path.rpartition("/")[2].startswith("index.") + len(title) // 12,
        path,
        section.place.line,
    )


def _is_readme(path: str) -> bool:
    return path.lower().startswith("readme")


def _say_commands(page: Page, found: Sequence[Hit]) -> None:
    ranked = sorted(found, key=lambda hit: (not _is_readme(hit.path), hit.path.count("/"), hit.path, hit.line))
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

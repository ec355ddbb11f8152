"""Page around the turns, and the order in which it is written."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from decimal import Decimal

from inarch.figures import duration
from inarch.transcripts import Spent, Transcript
from inarch_plugins.export.html.assets import style, text_of
from inarch_plugins.export.html.tags import Html, join, tag
from inarch_plugins.export.html.turn import turn
from inarch_plugins.export.overview import Entry, Overview, overview_of
from inarch_plugins.export.remarks import exchanges_of
from inarch_plugins.export.words import PURPOSES, cost, local, many, one_line

MOST_OPEN = 300
"""Maximum steps that a page shows open; in a longer session each turn's steps are collapsed."""
MOST_FILES = 500


def page(session: Transcript) -> Iterator[str]:
    """Yield the page piece by piece; takes two passes over the session."""
    overview = overview_of(session)
    folded = overview.steps > MOST_OPEN
    yield from _beginning(overview)
    for exchange in exchanges_of(session):
        yield turn(exchange, folded=folded) + "\n"
    yield f"</main>\n</div>\n<script>{text_of('page.js')}</script>\n</body>\n</html>\n"


def _beginning(overview: Overview) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield tag("meta", http_equiv="Content-Security-Policy", content=_policy()) + "\n"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
    yield tag("meta", name="generator", content=f"Inarch {overview.version}".strip()) + "\n"
    yield tag("title", f"{overview.title} · Inarch session") + "\n"
    yield f"<style>{style()}</style>\n</head>\n<body>\n"
    yield '<a class="skip" href="#turns">Skip to the turns</a>\n'
    yield tag("header", _head(overview), class_="session") + "\n"
    yield '<div class="columns">\n'
    yield _outline(overview) + "\n"
    yield '<main id="turns" tabindex="-1" aria-label="Turns">\n'


def _head(overview: Overview) -> Html:
    return join(
        [
            tag("p", "Inarch session", class_="kicker"),
            tag("h1", overview.title),
            tag("dl", *_facts(overview), class_="facts"),
            _spending(overview.spent),
            _files(overview),
        ]
    )


def _facts(overview: Overview) -> Iterator[Html]:
    total = overview.total
    failed = f" ({overview.failed:,} failed)" if overview.failed else ""
    fork = f"{overview.forked_from} after turn {overview.forked_at}" if overview.forked_from else ""
    for name, said in (
        ("Date", local(overview.first, "%Y-%m-%d %H:%M %Z") if overview.first is not None else ""),
        ("Turns", f"{overview.turns:,}"),
        ("Calls", f"{overview.calls:,}{failed}"),
        ("Time at work", duration(overview.working)),
        ("Tokens", f"{total.input_tokens:,} in, {total.output_tokens:,} out" if total.requests else "none"),
        ("Cost", cost(total.cost_usd, total.unknown) if total.requests else "$0"),
        ("Model", ", ".join(one_line(model, 80) for model in overview.models)),
        ("Profile", overview.profile),
        ("Folder", overview.root),
        ("Forked from", fork),
        ("Child", overview.child_of),
        ("Session", overview.session_id),
    ):
        if said:
            yield tag("div", tag("dt", name), tag("dd", said), class_="wide" if name in ("Folder", "Session") else None)


def _spending(rows: Iterable[Spent]) -> Html:
    shown = list(rows)
    if not shown:
        return Html()
    names = ("Purpose", "Plugin", "Model", "Requests", "In", "Out", "Cost", "Time")
    heads = (tag("th", name, scope="col", class_="right" if at > 2 else None) for at, name in enumerate(names))
    table = tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *map(_spent, shown)))
    wide = tag("div", table, class_="scrolls", tabindex="0", role="region", aria_label="Spending")
    return tag("details", tag("summary", "Where it went"), wide, class_="extra")


def _spent(row: Spent) -> Html:
    failed = f" ({row.failed} failed)" if row.failed else ""
    words = [PURPOSES.get(row.purpose, row.purpose), row.plugin or "—", row.model]
    figures = [f"{row.requests:,}{failed}", f"{row.input_tokens:,}", f"{row.output_tokens:,}",
               cost(Decimal(row.cost_usd), row.unknown), duration(row.seconds)]  # fmt: skip
    return tag("tr", *(tag("td", word) for word in words), *(tag("td", figure, class_="right") for figure in figures))


def _files(overview: Overview) -> Html:
    if not overview.files:
        return Html()
    rows = []
    for path, turns in sorted(overview.files.items())[:MOST_FILES]:
        verbs = dict.fromkeys(verb for verbs in turns.values() for verb in sorted(verbs))
        links = join(part for number in turns for part in (" ", tag("a", f"turn {number}", href=f"#t{number}")))
        rows.append(tag("li", tag("span", ", ".join(verbs), class_="verb"), " ", tag("code", path), links))
    left = len(overview.files) - MOST_FILES
    more = [tag("p", f"{left:,} more", class_="left-out")] if left > 0 else []
    summary = tag("summary", f"{many(len(overview.files), 'file')} touched")
    return tag("details", summary, tag("ul", *rows, class_="files"), *more, class_="extra")


def _outline(overview: Overview) -> Html:
    """Return the list of turns, with tools that only JavaScript shows."""
    search = tag("input", type="search", id="filter", placeholder="Filter turns", aria_label="Filter turns by text",
                 autocomplete="off", spellcheck="false")  # fmt: skip
    buttons = [
        tag("button", "Expand all", type="button", id="expand"),
        tag("button", "Theme: auto", type="button", id="theme", aria_label="Theme: as the system has it"),
    ]
    told = tag("p", id="found", role="status")
    tools = tag("div", search, *buttons, told, class_="tools", hidden=True)
    keys = tag("p", tag("kbd", "j"), " ", tag("kbd", "k"), " next and previous turn · ", tag("kbd", "Enter"),
               " open · ", tag("kbd", "/"), " filter", class_="keys", hidden=True)  # fmt: skip
    items = [_line(entry) for entry in overview.entries]
    turns = tag("details", tag("summary", many(overview.turns, "turn")), tag("ol", *items), class_="list")
    return tag("nav", tools, turns, keys, class_="outline", aria_label="Outline")


def _line(entry: Entry) -> Html:
    took = duration(entry.span.seconds) if entry.span is not None else ""
    bad = tag("span", "✗ ", class_="bad", aria_label="failed", role="img") if entry.status == "failed" else Html()
    inside = [tag("span", str(entry.number or ""), class_="number"), tag("span", entry.title, class_="what")]
    return tag(
        "li", tag("a", inside[0], " ", inside[1], " ", tag("span", bad, took, class_="took"), href=f"#t{entry.number}")
    )


def _policy() -> str:
    """Return the page's policy: only its own style and script are allowed, identified by their hashes."""
    styled, script = _hash(style()), _hash(text_of("page.js"))
    return f"default-src 'none'; style-src '{styled}'; script-src '{script}'; base-uri 'none'; form-action 'none'"


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"

"""The common answer to how, where and what happens: five ranked places, the first opened; and comparisons."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch import ToolResult
from inarch_brief.offline import calls
from inarch_brief.offline.calls import whole_code
from inarch_brief.offline.intents import IN_FULL, NEEDS_MODEL, Intent
from inarch_brief.offline.layout import is_aside
from inarch_brief.offline.lookup import (
    LINKED,
    bears,
    best_hits,
    definition_search,
    is_named,
    is_the_project,
    text_search,
)
from inarch_brief.offline.page import (
    NOTICE,
    Asking,
    Page,
    Plan,
    clause,
    code,
    columns,
    cut,
    doc_of,
    fitting,
    glued,
    joined,
    plain_text,
    quoted,
    say_definition,
    say_hits,
    say_note,
    say_path,
    say_sites,
)
from inarch_brief.offline.results import Context, Place, Symbol, context, file_text, files, hits, symbols
from inarch_brief.offline.snippets import telling_lines
from inarch_brief.offline.words import held, significant
from inarch_brief.search.confidence import LIKELY as LIKELY_FROM
from inarch_brief.search.confidence import SURE

FOUND, LIKELY, NEAREST = "Found", "Likely one of these", "Probably not here; nearest"
_MOST = 5
"""Places of an answer; `in full` shows twice as many."""
_SCREEN = 25
"""Lines of an answer, with the notice and the notes."""
_DEFINES = re.compile(r"(?:export |pub |public |async |default )*(?:def|class|function|func|fn|struct|trait|type)\b")
_ALL_LINES = 14
_FORMS = ((5, 2, 2), (5, 1, 1), (3, 1, 1), (2, 0, 1), (0, 0, 0))
"""Lines of the first place, its callers, and lines of reason for the others: the first that fits is used."""
_OPENED = 3
"""Places that `in full` opens."""
_READ = 150
"""Lines of a definition that are searched for the matching line."""
_FILE = r"[\w@+./-]*\w\.\w{1,8}"
_KNOWN = r"\b(class|def|function|func|fn|struct|interface|enum|trait|type|const)\s+(\([^)]*\)\s*)?[A-Za-z_$]"
_NEAR = 0.84
"""The similarity of two words from which one counts as a typo of the other."""
_SHORTEST = 5


def explain(intent: Intent) -> Plan:
    """Answer with the places that match the words or the name of a question."""
    if intent.whole and (yield from is_the_project(intent.whole)):
        from inarch_brief.offline.plans.overview import summarize

        page = yield from summarize(intent)
        return page
    subject = intent.subject or " ".join(intent.names)
    page = Page()
    if not subject:
        page.absent("The question names nothing to look for.")
        return page
    if intent.kind == NEEDS_MODEL:
        page.decline("This needs a language model: the offline planner reads code, it doesn't write or judge it.")
        page.gap()
    intent = intent._replace(subject=subject)
    [result] = yield [calls.context_get(subject)]
    found = context(result)
    is_known = any(is_named(intent, one) for one in found.candidates) or not (found.unknown or intent.names)
    if not is_known and (meant := (yield from _corrected(intent, found.unknown))):
        page.note(f"“{meant[0]}” is read as “{meant[1]}”")
        names = tuple(meant[1] if name == meant[0] else name for name in intent.names)
        subject = re.sub(re.escape(meant[0]), lambda _: meant[1], intent.subject, flags=re.I)
        intent = intent._replace(subject=subject, names=names)
        [result] = yield [calls.context_get(intent.subject)]
        found = context(result)
        found = found._replace(confidence=min(found.confidence, SURE - 0.01))
    target = found.target
    if path := (yield from _file_meant(intent, target)):
        page.add((yield from explain_path(intent._replace(path=path))))
        return page
    places = yield from _ranked(intent, found)
    note = (result, LINKED, bool(places) and is_named(intent, places[0]))
    if places:
        page = yield from _placed(page, note, intent, found, places)
    else:
        yield from _say_lines(page, intent)
        say_note(page, *note)
    return page


def explain_path(intent: Intent) -> Plan:
    """Explain a file or list a folder, or explain a definition with such a name."""
    from inarch_brief.offline.plans.outline import explain_file

    return explain_file(intent, explain)


def _corrected(intent: Intent, unknown: Sequence[str]) -> Asking[tuple[str, str] | None]:
    """Find the known name or word that a typo in the question means."""
    wrong = [word for word in (*intent.names, *unknown) if len(word) >= _SHORTEST]
    if not wrong:
        return None
    [searched] = yield [calls.search(_KNOWN, limit=5_000)]
    from difflib import get_close_matches  # most names are known

    found = (re.search(rf"{_KNOWN}[\w$]*", hit.text) for hit in hits(searched))
    names = {match[0].split()[-1].rpartition(")")[2] for match in found if match}
    known = {one.lower(): one for one in names}
    pieces = {piece.lower() for name in names for piece in re.findall(r"[A-Z]?[a-z]{4,}", name)}
    for word in wrong:
        if (low := word.lower()) in known or low in pieces:
            continue
        among = list(known) if word in intent.names else [one for one in pieces if one[0] == low[0]]
        close = [one for one in get_close_matches(low, among, 3, _NEAR) if abs(len(one) - len(low)) <= 2]
        if close and not any(one.startswith(low[:-2]) or low.startswith(one[:-1]) for one in close):
            return word, known.get(close[0], close[0])
    return None


def _file_meant(intent: Intent, target: Symbol | None) -> Asking[str]:
    """Return the module or file that a question is about as a whole, or ""."""
    if target is not None and is_named(intent, target):
        return target.place.path if target.kind == "module" else ""
    words = intent.subject.split()
    named = next((word for word in (*intent.names, *words) if re.fullmatch(_FILE, word)), words[0])
    if len(words) > 1 and named == words[0] and "." not in named:
        return ""
    [listed] = yield [calls.list_files(f"**/{named.rpartition('/')[2]}", 20)]
    return next((path for path in files(listed) if path == named or path.endswith(f"/{named}")), "")


def _ranked(intent: Intent, found: Context) -> Asking[list[Symbol]]:
    """Return the places in the order of the search, product before tests unless the question is about tests."""
    most = 2 * _MOST if intent.long else _MOST
    kept = _apart(intent, found.candidates)
    if len(kept) < most:
        [further] = yield [calls.find_symbols(intent.subject, limit=3 * most)]
        kept = _apart(intent, [*found.candidates, *symbols(further)])
    return kept[:most]


def _apart(intent: Intent, found: Sequence[Symbol]) -> list[Symbol]:
    """Keep each definition once: a setter has the name of its property."""
    known: dict[str, Symbol] = {}
    for one in found:
        if one.name != "__all__":
            known.setdefault(f"{one.kind} {one.qualname}", one)
    of_tests = bool(re.search(r"\btest", intent.subject, re.I))
    return sorted(known.values(), key=lambda one: one.test and not of_tests and not is_named(intent, one))


def _heading(intent: Intent, found: Context, first: Symbol) -> str:
    """Return the heading for the confidence of the answer."""
    if is_named(intent, first):
        return FOUND
    alone = len(intent.subject.split()) == 1 and bool(intent.names)
    if alone and not bears(first, intent.names):
        return NEAREST
    sure = found.confidence if first == found.target else min(found.confidence, SURE - 0.01)
    return FOUND if sure >= SURE else LIKELY if sure >= LIKELY_FROM else NEAREST


def _placed(
    head: Page, note: tuple[ToolResult, str, bool], intent: Intent, found: Context, places: Sequence[Symbol]
) -> Plan:
    """Write the places, with as many lines of the first and reasons for the others as fit on a screen."""
    heading = _heading(intent, found, places[0])
    is_path = intent.seed and heading == FOUND and bool(found.ways)
    missing = [name for name in intent.names if heading == NEAREST and not any(bears(one, [name]) for one in places)]
    opened = []
    for one in places[: _OPENED if intent.long else 1]:
        [looked] = (yield [calls.context_get(one.qualname)]) if one != found.target else [None]
        there = context(looked) if looked is not None else found
        if there.target is None or there.target.place != one.place:
            there = Context(one)
        target = yield from whole_code(there.target or one)
        opened.append(there._replace(target=target, methods=(yield from _methods(target))))
    rest = places[len(opened) :]
    reasons = yield from _reasons(intent, rest)
    for lines, callers, wide in ((_ALL_LINES, 2, 2),) if intent.long else _FORMS:
        page = Page(list(head.lines), head.declined)
        if missing:
            page.absent(f"Nothing here is called “{cut(missing[0], 60)}”.")
        page.head(heading)
        for number, there in enumerate(opened, 1):
            _say_opened(page, number, there, significant(intent.subject), 0 if is_path else lines, callers, is_path)
        for number, (one, reason) in enumerate(zip(rest, reasons, strict=True), len(opened) + 1):
            told = _fitted(reason, wide)
            page.number(number, f"`{_within(one)}` ({glued(one.place)})" + (f": {told}" if told else ""))
        if intent.seed and not is_path:
            page.note("say which one for its path: “working on NAME”")
        elif not intent.long:
            page.note(f"“{IN_FULL}” behind the question opens the first {_OPENED}")
        say_note(page, *note)
        if len(page.lines) + 2 + (columns() < len(NOTICE)) <= _SCREEN:
            break
    return page


def _methods(one: Symbol) -> Asking[tuple[Symbol, ...]]:
    """Return the methods of a class in order. Those of Go may be in other files of the folder."""
    if one.kind != "class":
        return ()
    [result] = yield [calls.find_symbols(one.qualname, "method", 100)]
    own = {
        other.name: other._replace(signature=re.sub(r"^\((?:self|cls)\b(?:, ?)?", "(", other.signature))
        for other in sorted(symbols(result), key=_size)  # of overloads, the body
        if other.qualname.endswith(f".{one.name}.{other.name}") and _scope(other.place) == _scope(one.place)
    }
    return tuple(sorted(own.values(), key=lambda method: method.place))


def _size(method: Symbol) -> int:
    return method.end - method.place.line + 3 * bool(method.doc)


def _scope(place: Place) -> str:
    return place.path.rpartition("/")[0] if place.path.endswith(".go") else place.path


def _say_opened(
    page: Page, number: int, found: Context, words: Sequence[str], most: int, callers: int, is_path: bool
) -> None:
    """Write a place with its signature, docstring, telling lines and callers, or the path to it."""
    one = found.target
    assert one is not None
    page.number(number, f"{one.kind} `{one.qualname}{cut(one.signature, 140)}` ({glued(one.place)})")
    if doc := doc_of(one, 10_000):
        page.inner(_fitted(doc, min(most, 2)))
    if is_path:
        say_path(page, found, 6 + callers)
        return
    room = columns() - 16
    if found.methods:
        is_inner = str.islower if one.place.path.endswith(".go") else "_".__eq__

        ranked = sorted(found.methods, key=lambda one: (-held(one.name, words), is_inner(one.name[0]), -_size(one)))
        for method in sorted(ranked[:most], key=lambda method: method.place):
            told = f"`{method.name}{'' if method.doc else method.signature}`"
            told += f" — {clause(method.doc, max(room - len(told) - 3, 24))}" if method.doc else ""
            page.item(f"{method.place.line} {cut(told, room)}", depth=2)
        if len(ranked) > most > 0:
            page.inner(f"and {', '.join(method.name for method in ranked[most : most + 6])}")
    elif not one.is_text and one.kind != "module":
        for line in telling_lines(one, words, found.callees, most):
            text = line.text.strip().removeprefix("} ")
            page.item(f"{line.number} {quoted(text if len(text) <= room else text[: room - 1] + '…')}", depth=2)
    elif one.kind == "module":
        defined = [(at, text) for at, text in enumerate(one.code.splitlines(), one.place.line) if _DEFINES.match(text)]
        for at, text in sorted(sorted(defined, key=lambda line: -held(line[1], words))[:most]):
            page.item(f"{at} {quoted(cut(text.rstrip(' {:'), room))}", depth=2)
    elif most and one.code:
        for text in [line.strip() for line in one.code.splitlines()[1:] if re.search(r"\w", line)][:most]:
            page.item(cut(plain_text(text.strip("#*- ")), 2 * room), depth=2)
    own = [site for site in found.callers if not is_aside(site.place.path)] or list(found.callers)
    if own and callers:
        told = ", ".join(f"{site.qualname.rpartition('.')[2]} ({glued(site.place)})" for site in own[:callers])
        left = len(own) - callers
        page.inner(f"Called from {told}" + (f" and {left}{' or more' * found.more_callers} more" if left > 0 else ""))


def _fitted(text: str, lines: int) -> str:
    """Return the sufficient part of a sentence that fits. If it would be cut, return all of it or, without lines,
    nothing.
    """
    kept = clause(text, max(lines, 1) * (columns() - 10))
    return kept if not kept.endswith("…") else text if lines else ""


def _reasons(intent: Intent, others: Sequence[Symbol]) -> Asking[list[str]]:
    """Return why each place matches: its docstring, or the line of its code with most of the words."""
    words = significant(intent.subject)
    unsaid = [one for one in others if not (one.doc and held(one.doc, words))]
    wanted = [calls.read_file(one.place.path, one.place.line, min(one.end, one.place.line + _READ)) for one in unsaid]
    results = (yield wanted) if wanted else []
    lines: dict[Symbol, str] = {}
    for one, result in zip(unsaid, results, strict=True):
        text = file_text(result)
        best = telling_lines(one._replace(code=text.text), words, (), 1) if text else []
        if best and (held(best[0].text, words) or not one.doc):
            lines[one] = f"{best[0].number} {quoted(best[0].text.strip())}"
    told = [lines.get(one) or doc_of(one, 10_000) for one in others]
    return [
        text or (f"has {', '.join(one.reasons)}" if one.reasons else "") for one, text in zip(others, told, strict=True)
    ]


def _within(symbol: Symbol) -> str:
    """Return the name of a definition within its file."""
    stem = symbol.place.path.rpartition(".")[0].removesuffix("/__init__")
    if symbol.is_text or symbol.qualname.startswith(f"{stem}."):  # another language than Python
        return symbol.name if symbol.is_text else symbol.qualname[len(stem) + 1 :]
    parts, path = symbol.qualname.split("."), stem.split("/")
    module = max((count for count in range(1, len(parts)) if path[-count:] == parts[:count]), default=0)
    return ".".join(parts[module:])


def _say_lines(page: Page, intent: Intent) -> Plan:
    """Answer from the text of the files, since the index has no match."""
    searches = [definition_search(name) for name in intent.names[:1]]
    results = yield [*searches, *text_search(intent.subject)]
    defined = hits(results[0]) if searches else []
    lines = defined or [hit for one in results for hit in best_hits(hits(one), significant(intent.subject))]
    if not lines or (not defined and intent.names):
        page.absent(f"Nothing here {'is called' if intent.names else 'mentions'} “{cut(intent.subject, 60)}”.")
    say_hits(page, f"{FOUND} as text" if defined else NEAREST, lines, _MOST)
    return page


def ask_again(intent: Intent) -> Plan:
    """Answer that the meaning of `it` is unclear."""
    yield from ()
    page = Page()
    page.plain("It isn't clear what that stands for: no answer before was about one thing. Name it.")
    return page


_MOST_SHOWN = 4


def compare(intent: Intent) -> Plan:
    """Show each of the things in question, then the common methods of two classes."""
    results = yield [calls.context_get(name) for name in intent.names]
    page = Page()
    shown: list[Symbol] = []
    for name, result in zip(intent.names, results, strict=True):
        found = context(result)
        page.gap()
        if found.target is None:
            page.absent(f"Nothing here is called “{cut(name, 60)}”.")
            continue
        target = yield from whole_code(found.target)
        if not is_named(intent._replace(subject=name, names=(name,)), target):
            page.plain(f"The closest definition for “{cut(name, 60)}”:")
        say_definition(page, target)
        for line in telling_lines(target, (), found.callees, _MOST_SHOWN) if target.kind != "class" else ():
            page.item(code(line.text, 100), Place(target.place.path, line.number))
        say_sites(page, "Called from", found.callers, 2, found.more_callers)
        shown.append(target)
    if len(shown) == 2 and all(one.kind == "class" for one in shown):
        page.gap()
        yield from _say_methods(page, shown[0], shown[1])
    return page


def _say_methods(page: Page, one: Symbol, other: Symbol) -> Asking[None]:
    """Write the methods that both classes define themselves, and those of only one."""
    mine = {method.name: method for method in (yield from _methods(one))}
    theirs = {method.name: method for method in (yield from _methods(other))}
    if shared := [method for name, method in mine.items() if name in theirs and name[0] != "_"]:
        page.head("Methods that both define")
        page.item(joined([method.name for method in shared], 12), shared[0].place)
    for owner, own, foreign in ((one, mine, theirs), (other, theirs, mine)):
        only = [method for name, method in own.items() if name not in foreign and name[0] != "_"]
        if only:
            page.head(f"Only {owner.name} defines")
        for method in only[:_MOST_SHOWN]:
            page.item(f"{method.name}{cut(method.signature, 90)}", method.place)
        if rest := only[_MOST_SHOWN:]:
            page.item(f"and {fitting([method.name for method in rest], 300, 12)}", rest[0].place)

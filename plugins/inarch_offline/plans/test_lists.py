"""Which tests are about something: those that call it, and those whose names or files have its words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.flows import say_tests
from inarch_offline.intents import Intent
from inarch_offline.layout import is_test
from inarch_offline.lookup import is_named, say_hits, say_sites
from inarch_offline.page import Page, Place, code, counted, cut, shortened
from inarch_offline.results import Hit, Site, context, files, hits, is_partial
from inarch_offline.words import held, in_words, significant

_NAMED = (
    r"^\s*(async )?(def test|class Test)\w*(ABOUT)|\b(it|test|describe|specify|context)(\.\w+)?\s*\(\s*['\"`].*(ABOUT)|"
    r"\bfunc Test\w*(ABOUT)|\b(fn|void)\s+\w*(ABOUT)\w*\s*\("
)
"""What the first line of a test looks like; ABOUT stands for the words that are asked about."""
_MOST = 8
_LIMIT = 1_000


def tests_of(intent: Intent) -> Plan:
    """List the tests that call what is asked about, then those that are about it by their names and files."""
    name = intent.names[0] if intent.names else intent.subject
    words = [word.lower() for one in re.split(r"[\W_]+", in_words(name)) for word in significant(one)]
    page = Page()
    if not words:
        page.plain("The question names nothing to look for.")
        return page
    pattern = _NAMED.replace("ABOUT", calls.any_of(words))
    result, named, *listed = yield [
        calls.context_get(name),
        calls.search(pattern, ignore_case=True, limit=_LIMIT),
        *(calls.list_files(f"**/*{word}*", 200) for word in words[:3]),
    ]
    found = context(result)
    target = found.target
    if target is not None and is_named(intent._replace(subject=name), target):
        page.say(f"{target.kind} `{shortened(target.qualname)}`", target.place)
        _say_calls(page, [site for site in found.callers if is_test(site.place.path)], found.more_callers)
        say_tests(page, found.flow, 3)
    paths = {path for one in listed for path in files(one) if is_test(path) and held(path, words) == len(words)}
    _say_named(page, name, _best(hits(named), words), sorted(paths), is_partial(named))
    if not any(line.startswith("- ") for line in page.lines):
        yield from _say_mentions(page, name, words)
    return page


def _say_calls(page: Page, sites: Sequence[Site], more: bool) -> None:
    if sites:
        number = counted(len(sites), "place", more=more)
        say_sites(page, f"Called in tests from {number}", sites, 6, more)


def _best(found: Sequence[Hit], words: Sequence[str]) -> list[Hit]:
    """Keep the tests that have most of some words in their names and files."""
    tests = [hit for hit in found if is_test(hit.path)]
    counts = [held(hit.path + hit.text, words) for hit in tests]
    most = max(counts, default=0)
    return [hit for hit, count in zip(tests, counts, strict=True) if count == most and 2 * most >= len(words)]


def _say_named(page: Page, subject: str, found: Sequence[Hit], paths: Sequence[str], more: bool) -> None:
    counts: dict[str, list[Hit]] = {path: [] for path in paths}
    for hit in found:
        counts.setdefault(hit.path, []).append(hit)
    if not counts:
        return
    number = counted(len(found), "test", more=more) if found else "files"
    page.head(f"By their names, {number} about “{cut(subject, 60)}” in {counted(len(counts), 'file')}")
    ranked = sorted(counts, key=lambda path: (-len(counts[path]), path))
    room = max(_MOST // max(len(ranked), 1), 1)
    for path in ranked[:_MOST]:
        inside = counts[path]
        if not inside:
            page.item(path, Place(path))
        for hit in inside[: room if len(ranked) > 1 else _MOST]:
            page.item(_test(hit.text), hit.place)
        if len(inside) > (room if len(ranked) > 1 else _MOST):
            page.item(f"… {counted(len(inside), 'test')} in this file", Place(path))
    if len(ranked) > _MOST:
        page.item(f"… {counted(len(ranked) - _MOST, 'more file')}", Place(ranked[_MOST]))


def _test(line: str) -> str:
    """Give the name of a test."""
    found = re.match(r"\s*(?:async )?(?:def|class|func|fn|void)\s+(\w+)", line)
    return found[1] if found else code(line.rstrip(":{ "))


def _say_mentions(page: Page, subject: str, words: Sequence[str]) -> Plan:
    """Show lines of tests that have the words, or say that there are none."""
    [searched] = yield [calls.search(calls.any_of(words), ignore_case=True, limit=_LIMIT)]
    lines = [hit for hit in hits(searched) if is_test(hit.path)]
    most = max((held(hit.text, words) for hit in lines), default=0)
    kept = [hit for hit in lines if held(hit.text, words) == most == len(words)]
    if not kept:
        page.absent(f"No test here is about “{cut(subject, 60)}” by its name, its file or what it calls.")
        return page
    say_hits(page, f"No test is named for “{cut(subject, 60)}”. Lines of tests that have the words", kept, 5)
    return page

"""Which tests are about something: those that call it, and those whose names or files have its words."""

from __future__ import annotations

import re

from inarch_offline import calls
from inarch_offline.exchange import Plan
from inarch_offline.flows import say_tests
from inarch_offline.intents import Intent
from inarch_offline.layout import is_test
from inarch_offline.lookup import is_named, say_sites
from inarch_offline.page import Page, counted, cut, shortened
from inarch_offline.results import context, hits, is_partial
from inarch_offline.words import held, in_words, significant

_NAMED = (
    r"^\s*(async )?(def test|class Test)\w*(ABOUT)|\b(it|test|describe|specify)(\.\w+)?\s*\(\s*['\"`].*(ABOUT)|"
    r"\bfunc Test\w*(ABOUT)|\b(fn|void)\s+\w*(ABOUT)\w*\s*\("
)
"""What the first line of a test looks like; ABOUT is replaced by the words that are asked about."""
_MOST, _LIMIT = 8, 1_000


def tests_of(intent: Intent) -> Plan:
    """List the tests that call what is asked about, then those that are about it by their names."""
    name = intent.names[0] if intent.names else intent.subject
    words = [word.lower() for one in re.split(r"[\W_]+", in_words(name)) for word in significant(one)]
    page = Page()
    if not words:
        page.plain("The question names nothing to look for.")
        return page
    pattern = _NAMED.replace("ABOUT", calls.any_of(words))
    result, named = yield [calls.context_get(name), calls.search(pattern, ignore_case=True, limit=_LIMIT)]
    found = context(result)
    if found.target is not None and is_named(intent._replace(subject=name), found.target):
        page.say(f"{found.target.kind} `{shortened(found.target.qualname)}`", found.target.place)
        sites = [site for site in found.callers if is_test(site.place.path)]
        more = found.more_callers
        say_sites(page, f"Called in tests from {counted(len(sites), 'place', more=more)}", sites, 6, more)
        say_tests(page, found.ways, 3)
    tests = [hit for hit in hits(named) if is_test(hit.path)]
    best = max((held(hit.path + hit.text, words) for hit in tests), default=0)
    kept = [hit for hit in tests if held(hit.path + hit.text, words) == best and 2 * best >= len(words)]
    if kept:
        number = counted(len(kept), "test", more=is_partial(named))
        page.head(f"By their names, {number} about “{cut(name, 60)}”")
    for hit in kept[:_MOST]:
        test = re.match(r"\s*(?:async )?(?:def|class|func|fn|void)\s+(\w+)", hit.text)
        page.item(test[1] if test else cut(hit.text.strip(), 84), hit.place)
    if kept[_MOST:]:
        page.item(f"… {len(kept) - _MOST} more", kept[_MOST].place)
    if not any(line.startswith("- ") for line in page.lines):
        page.absent(f"No test here is about “{cut(name, 60)}” by its name or by what it calls.")
    return page

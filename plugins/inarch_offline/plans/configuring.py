"""How do I configure X: environment variables, options, settings and parameters, with their defaults and places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from inarch_offline import calls
from inarch_offline.exchange import Asking, Plan
from inarch_offline.intents import EXPLAIN, Intent
from inarch_offline.layout import is_aside, is_built
from inarch_offline.manifests import is_manifest
from inarch_offline.material import Hit, Symbol, hits, is_partial, symbols
from inarch_offline.plans.defaulting import say_defaults
from inarch_offline.plans.searching import holds_word, say_symbols, significant, telling, written
from inarch_offline.plans.whole import of_the_whole
from inarch_offline.readme import Fact
from inarch_offline.sections import say_section, told_in
from inarch_offline.topic_kinds import DEFAULT, ENVIRONMENT
from inarch_offline.writing import Page, Place, code, cut
from inarch_search.formats import is_log

_READ = (
    r"(\benviron\b|\bgetenv\b|process\.env\b|\benv::var|os\.LookupEnv|\bENV\[|\benvvar\b|import\.meta\.env|"
    r"Deno\.env).*ABOUT"
)
_OPTION = r"['\"`]--[a-z0-9-]*ABOUT"
_SETTING = (
    r"^\s*\w*ABOUT\w*\s*(:[^=]+)?=[^=]|['\"][\w. -]*ABOUT[\w. -]*['\"]\s*:|"
    r"\b(config|settings?)(\[|\.get\(|\.)['\"]?\w*ABOUT|\b(set|enable|disable)\(['\"][\w -]*ABOUT"
)
_PARAMETER = r"^\s*\w*ABOUT\w*\s*:[^=#]+=[^=]|\bdef .*ABOUT\w*\s*(:[^=]+)?=|^\s*\w*ABOUT\w*=[^=].*,$"
_LITERAL = r"^\s*\w*ABOUT\w*\s*:\s*\S"
"""What lines look like that read or set something; ABOUT stands for the words that are asked about."""
_CONSTANT = re.compile(
    r"\s*[A-Z][A-Z0-9_]{3,}\s*[:=](?!\s*\d+\s*,)|\s*['\"][\w. -]+['\"]\s*:(?!.*\bcase\b)|"
    r".*\b(?:config|settings?)\b.*['\"]|.*\b(?:set|enable|disable)\(['\"]"
)
_KEY = re.compile(r"\s*\w+\s*:\s*(?:-?\d|['\"`]|(?:true|false|null|undefined|[A-Z][A-Z0-9_]+)\b(?!\())")
"""A key of an object in a script whose value is spelled out."""
_READS = re.compile(
    r"\bos\.environ(?:\.get\(|\[)(?!.*\]\s*=[^=])|\bgetenv\(|process\.env\[|\benv::var|LookupEnv|\bENV\["
)
_GIVEN = re.compile(r"\s*\w+\s*=\s*[a-z_]\w*[.(\[]")
"""A value that is handed on, and no default."""
_PASSED_ON = re.compile(r"\s*(\w+)=\1\b")
_NAMED = re.compile(r"['\"\[.(]([A-Z][A-Z0-9_]{2,})\b")
_DEFAULT = re.compile(
    r"""['"\])]*\s*(?:,\s*(?:default\s*=\s*)?|\)?\s*(?:\?\?|\|\||\bor\b)\s*)("[^"]*"|'[^']*'|[\w.]+)"""
)
"""What stands right behind the name of a variable where a default is given."""
_OPTIONS, _PARAMETERS = "Options on the command line", "Parameters and their defaults"
_KEYS = "Keys of objects and their values"
_HOLDER = (
    r"^\s*(export |default |declare |pub |public |final |abstract )*(class|interface|struct|type) "
    r"\w*(Options|Config|Settings|Configuration|Preferences)\b *([^, ].*)?$"
)
_SCRIPT = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts")
_LIMIT = 600
_MOST = 6


class _Setting(NamedTuple):
    """A line in which something is set or read."""

    text: str
    places: tuple[Place, ...]


def configure(intent: Intent) -> Plan:
    """List what can be set, where it is read and what it is unless set: of a subject, or of everything."""
    intent = yield from of_the_whole(intent)
    page = Page()
    words = [word.lower() for word in significant(intent.subject)]
    if intent.facet == DEFAULT and (yield from say_defaults(page, intent)):
        if len(page.lines) < _MOST:
            yield from _say_documented(page, intent.subject, words, intent.facet == DEFAULT)
        return page
    about = f"({calls.any_of(words)})" if words else "[a-z]"
    shapes = {"Environment variables": _READ}
    if intent.facet != ENVIRONMENT:
        shapes[_OPTIONS] = _OPTION
    if words and intent.facet != ENVIRONMENT:
        shapes |= {"Settings": _SETTING, _PARAMETERS: _PARAMETER, _KEYS: _LITERAL}
    *results, defined = yield [
        *(calls.search(shape.replace("ABOUT", about), ignore_case=True, limit=_LIMIT) for shape in shapes.values()),
        calls.find_symbols(intent.subject, limit=5) if words else calls.list_files(limit=1),
    ]
    say_symbols(page, "What stands for it", [one for one in symbols(defined) if _is_it(one, words)], 3)
    seen: set[Place] = set()
    best = max((_held(hit, words) for result in results for hit in hits(result) if not is_aside(hit.path)), default=0)
    if intent.facet == DEFAULT and 3 * best < 2 * len(words):
        best = 0  # one word of several says of no value what it is
    for (title, shape), result in zip(shapes.items(), results, strict=True):
        found = [hit for hit in hits(result) if shape != _SETTING or _CONSTANT.match(hit.text)]
        found = [hit for hit in found if shape != _LITERAL or (hit.path.endswith(_SCRIPT) and _KEY.match(hit.text))]
        found = [hit for hit in found if _held(hit, words) == best] if best or not words else []
        _say(page, title, _rows(found, shape == _READ, seen), is_partial(result))
    if words and len(page.lines) < _MOST:
        yield from _say_documented(page, intent.subject, words, intent.facet == DEFAULT)
    if not words and intent.facet != ENVIRONMENT:
        yield from _say_holders(page)
    if page.lines:
        return page
    what = f" for “{cut(intent.subject, 60)}”" if intent.subject else ""
    page.absent(f"No environment variable, option or setting{what} was found here.")
    if intent.facet == DEFAULT and words:
        from inarch_offline.plans.explaining import explain  # it asks for settings, too

        page.add((yield from explain(intent._replace(kind=EXPLAIN))))
    return page


def settings_for(intent: Intent) -> Asking[Page | None]:
    """List what can be set of the one thing that a question on how to do something is about; None where it is more."""
    words = telling(intent.subject)
    if not intent.how_to or len(words) != 1:
        return None
    page = yield from configure(intent._replace(subject=words[0], names=()))
    return page if any(line.startswith((_OPTIONS, _PARAMETERS)) for line in page.lines) else None


def _is_it(symbol: Symbol, words: Sequence[str]) -> bool:
    """Whether a definition of the product is named by all of some words."""
    return not is_aside(symbol.place.path) and all(word in symbol.name.lower() for word in words)


def _rows(found: Sequence[Hit], environment: bool, seen: set[Place]) -> list[_Setting]:
    """Choose lines of the product's code, each once with the places where it stands.

    An environment variable whose name is put together elsewhere is shown by the line that reads it.
    """
    code = [hit for hit in found if not hit.path.endswith((".md", ".rst", ".txt", ".lock")) and hit.place not in seen]
    own = [hit for hit in code if not (is_aside(hit.path) or is_built(hit.path) or is_manifest(hit.path))]
    rows: dict[str, _Setting] = {}
    for hit in sorted(own, key=lambda hit: (hit.path, hit.line)):
        names = _NAMED.findall(hit.text) if environment else []
        if re.match(r"\s*(?:import |from |#|//|\*|\.\.|>>>|:param)", hit.text):
            continue
        if environment and not names and not _READS.search(hit.text):
            continue
        if not environment and (_PASSED_ON.match(hit.text) or _GIVEN.match(hit.text)):
            continue
        seen.add(hit.place)
        known = names[0] if names else hit.text.strip()
        rows.setdefault(known, _Setting(_told(hit.text, names), ()))
        rows[known] = rows[known]._replace(places=(*rows[known].places, hit.place))
    return list(rows.values())


def _told(text: str, names: Sequence[str]) -> str:
    """Show an environment variable by its name and default, anything else as its line."""
    if not names:
        return code(text, 88)
    default = _DEFAULT.match(text, text.find(names[0]) + len(names[0]))
    return f"{names[0]}" + (f", {default[1]} unless it is set" if default else "") + f": {code(text, 70)}"


def _say(page: Page, title: str, rows: Sequence[_Setting], more: bool) -> None:
    if not rows:
        return
    shown = len(rows) if len(rows) <= _MOST else _MOST
    page.head(title + (f" ({shown} of {len(rows)}{' or more' * more})" if shown < len(rows) else ""))
    for row in rows[:shown]:
        page.item(row.text, *row.places[:3])


def _say_holders(page: Page) -> Plan:
    """Name the classes and types that options are fields of, the product's own."""
    [searched] = yield [calls.search(_HOLDER, limit=_LIMIT)]
    own = [hit for hit in written(hits(searched)) if not is_aside(hit.path)]
    rows = [_Setting(code(hit.text.strip().rstrip("{").rstrip(), 88), (hit.place,)) for hit in own]
    _say(page, "What options are fields of", rows, is_partial(searched))
    return page


def _say_documented(page: Page, subject: str, words: Sequence[str], is_exact: bool) -> Plan:
    """Show what configuration and documentation say, where the code says little; of what has the words, if exact."""
    keyed, told = yield [
        calls.find_symbols(subject, kind="setting", limit=_MOST),
        calls.find_symbols(subject, kind="section", limit=_MOST),
    ]
    told_of = [one for one in symbols(keyed) if not (is_manifest(one.place.path) or is_aside(one.place.path))]
    keys = [one for one in told_of if all(word in one.qualname.lower() for word in words)]
    found = yield from told_in(keys[:3], 1)
    sections = [one for one in symbols(told) if not is_log(one.place.path)]
    found += yield from told_in(sections[:2], 2, words)
    if not (found or page.lines or is_exact):
        found += yield from told_in(sections[:2], 2)
    if is_exact:
        found = [(section, kept) for section, facts in found if (kept := _about(facts, words))]
    for section, facts in found:
        say_section(page, section, facts)
    return page


def _about(facts: Sequence[Fact], words: Sequence[str]) -> list[Fact]:
    """Keep what has one of some words, or says of a default."""
    return [one for one in facts if any(word in one.text.lower() for word in (*words, "default"))]


def _held(hit: Hit, words: Sequence[str]) -> int:
    return sum(holds_word(hit.text, word) for word in words)

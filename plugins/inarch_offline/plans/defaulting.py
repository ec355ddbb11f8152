"""What is the default X: its name, value and place, of one definition or wherever one is set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.manifests import is_manifest
from inarch_offline.material import Hit, Symbol, hits, symbols
from inarch_offline.plans.searching import holds_word, significant, written
from inarch_offline.words import in_words
from inarch_offline.writing import Page, Place, code, cut, shortened

_READ = re.compile(
    r"(?:^(?:\s*(?:[\w$]+\.)+)?|[(,{]|\b(?:const|let|var|static|final|readonly|public|private|protected|def \w+\())\s*"
    r"(?P<name>['\"`]?[A-Za-z_$][\w$-]*['\"`]?)"
    r"(?:\s*:\s*[^\s=,(){}\[\]][^=,(){}\[\]]*(?:\[[^\]]*\][^=,(){}\[\]]*)*)?\s*(?<![=!<>])=(?![=>])\s*"
    r"(?=(?P<value>[^,(){}\[\]]*(?:[(\[{][^)\]}]*[)\]}][^,(){}\[\]]*)*))"
)
"""A value behind a name and its type, be it a parameter's or assigned; what stands in the value is read, too."""
_KEY = re.compile(r"(?:^|[{,])\s*(?P<name>['\"`]?[A-Za-z_$][\w$-]*['\"`]?)\s*:\s*(?P<value>[^,/#]*[^,/#\s])")
_OPTION = re.compile(r"['\"`]--(?P<name>[a-z0-9-]+)['\"`].*\bdefault\s*[=:]\s*(?P<value>[^,)]*(?:\([^)]*\))?)")
_SPELLED_OUT = re.compile(
    r"-?\d|['\"`]|[br]['\"]|(?:[Tt]rue|[Ff]alse|[Nn]one|null|nil|undefined)\b|[(\[{]\s*['\"\d)\]}](?!type\b)|"
    r"[A-Z_][A-Z0-9_]+$|(?!Symbol)(?:[A-Z]\w+|frozenset|set|timedelta)\((?:\w+=|['\"\d-]|\)|$)|"
    r"(?:\w+\.)?(?:field|attrib|ib)\((?:default|default_factory|factory)="
)
"""What a value is that is no other name: it is the default itself, or a constant that stands for it."""
_WORKED_OUT = r"\b(?:in|if|and|or|not|is)\b|\?|&&|\|\||=>"
"""What stands in a value that depends on others."""
_CONSTANT = re.compile(r"[A-Z_][A-Z0-9_]+")
_NOTHING = re.compile(r"(?:none|null|nil|undefined|\w*(?:unset|missing|nothing|not_?given|not_?set|sentinel))\b", re.I)
"""Values that say that nothing was set."""
_SAYS_LITTLE = frozenset(("default", "config", "self", "this"))
_PROSE = (".md", ".rst", ".txt", ".lock")
_OWNER = re.compile(r"(?P<thing>.+?) (?:of|for|in|on|by) (?:the |an? )?[`'\"]?(?P<owner>[\w.]+)[`'\"]?(?:\(\))?")
_MEASURES = frozenset(("number", "amount", "count", "value"))
"""Words for how much, which no name has: the number of workers is called `workers`."""
_MOST_ORDERED = 3
"""Words that a name may have in any order: redirects that are followed are `follow_redirects`."""
_LIMIT = 600
_MOST = 6


class _Default(NamedTuple):
    """A line that sets a default."""

    name: str
    text: str
    value: str
    place: Place


def say_defaults(page: Page, intent: Intent) -> Asking[bool]:
    """Write the defaults of what a question names; False where none is set."""
    found = _OWNER.fullmatch(intent.subject)
    thing, owner = (found["thing"], found["owner"]) if found else (intent.subject, "")
    if owner and thing.lower() in _MEASURES:
        thing, owner = owner, ""
    words = [word.lower() for word in significant(in_words(thing)) if word not in _MEASURES]
    if not words:
        return False
    orders = permutations(words) if len(words) <= _MOST_ORDERED else [sorted(words, key=in_words(thing).lower().find)]
    about = f"({'|'.join('[a-z0-9_$-]*'.join(map(calls.literal, order)) for order in orders)})"
    line = rf"{about}[\w$-]*['\"`]?\s*[:=]|--[a-z0-9-]*{about}"
    results = yield [
        calls.search(line, ignore_case=True, limit=_LIMIT),
        *([calls.find_symbols(owner, limit=5)] if owner else []),
    ]
    own = [one for result in results[1:] for one in symbols(result) if _is_called(one, owner)]
    rows = _rows(hits(results[0]), thing, words)
    inside = [row for row in rows if any(_is_in(row.place, one) for one in own)]
    if owner and not inside:
        rows = rows if own else []  # a base may set it; without the owner something else is meant
    yield from _say(page, thing, inside or rows)
    return bool(page.lines)


def _is_called(one: Symbol, owner: str) -> bool:
    return one.name.lower() == owner.rpartition(".")[2].lower() and not one.is_text


def _is_in(place: Place, one: Symbol) -> bool:
    return place.path == one.place.path and one.place.line <= place.line <= one.end


def _rows(found: Sequence[Hit], thing: str, words: Sequence[str]) -> list[_Default]:
    """Read the defaults of the product's lines: the whole name first, then what says a value rather than none."""
    code = [hit for hit in found if not (hit.path.endswith(_PROSE) or is_aside(hit.path) or is_manifest(hit.path))]
    code = [hit for hit in code if not re.match(r"\s*(?:\*|//|#|>>>|\.\.)", hit.text)]  # what is said of it
    rows = [row for hit in written(code) if (row := _read(hit, words)) is not None]
    return sorted(rows, key=lambda row: (_further(row.name, thing), bool(_NOTHING.match(row.value)), row.place))


def _further(name: str, thing: str) -> int:
    """Tell how far a name is from what is asked about: not at all, or by its words that say which setting it is."""
    own, asked = in_words(name).lower(), in_words(thing).lower()
    return len(set(own.split()) - _SAYS_LITTLE) if own != asked else 0


def _read(hit: Hit, words: Sequence[str]) -> _Default | None:
    """Read a default from a line, None where it has none of what is asked about."""
    for found in (*_OPTION.finditer(hit.text), *_READ.finditer(hit.text), *_KEY.finditer(hit.text)):
        value = found["value"]
        before = hit.text[: found.start("name")].strip()
        if (not before or before.endswith(".")) and not hit.text.rstrip().endswith(","):
            value = hit.text[found.start("value") :]  # all of a statement
            value = value if value.count(")") <= value.count("(") else value.partition(")")[0]
        name, value = found["name"].strip("'\"`"), re.sub(r"\s+(?:#|//).*|[;{]\s*$", "", value).strip()
        is_value = _SPELLED_OUT.match(value) and not re.search(_WORKED_OUT, re.sub(r"(['\"]).*?\1", "", value))
        is_passed = found.re is _KEY and any(value.count(shut) > value.count(begun) for begun, shut in ("()", "{}"))
        if is_value and not is_passed and not name.startswith("__") and _bears(name, words):
            text = hit.text if found.re is _OPTION else hit.text[found.start("name") : found.start("value")] + value
            return _Default(name, text.strip(), value, hit.place)
    return None


def _bears(name: str, words: Sequence[str]) -> bool:
    """Whether a name has some words, be it written as one: `chunksize`."""
    joined = {"".join(order) for order in permutations(words)} if len(words) <= _MOST_ORDERED else set()
    is_one = any(part.startswith(tuple(joined)) for part in in_words(name).lower().split()) if len(words) > 1 else False
    return is_one or all(holds_word(name, word) for word in words)


def _say(page: Page, thing: str, rows: Sequence[_Default]) -> Asking[None]:
    """Write each default once, with whose it is, all places where it stands and what its constant is."""
    places: dict[str, list[_Default]] = {}
    for row in rows:
        places.setdefault(row.text, []).append(row)
    looked = list(places.values())[: 2 * _MOST]
    if not looked:
        return
    owners = yield [calls.find_symbols(str(same[0].place), limit=1) for same in looked]
    kept = []
    for same, result in zip(looked, owners, strict=True):
        owner = next((one for one in symbols(result) if _is_in(same[0].place, one)), None)
        if owner is None or _sets(same[0], owner):
            kept.append((same, owner))
    constants = yield from _constants(same[0].value for same, _ in kept)
    kept = [(same, owner) for same, owner in kept if same[0].name not in constants]
    shown = kept[:_MOST]
    more = f" ({len(shown)} of {len(kept)})" if len(kept) > len(shown) else ""
    if shown:
        page.head(f"Defaults of “{cut(thing, 60)}”{more}")
    for same, owner in shown:
        told = f"{code(same[0].text, 88)}{_of(same[0], owner)}"
        stands_for = constants.get(same[0].value)
        page.item(told, *[row.place for row in same[:3]])
        if stands_for is not None:
            page.item(code(f"{stands_for.name} {stands_for.signature}"), stands_for.place, depth=1)


def _sets(row: _Default, owner: Symbol) -> bool:
    """Whether a line sets a default where it stands: no argument of a call, and no example in the text of a class."""
    if ".tests." in f".{owner.qualname}" or owner.test:
        return False
    if not row.place.path.endswith(".py"):
        return True
    if owner.kind in ("function", "method") and re.match(r"\w+=", row.text):
        return row.text.replace(" ", "") in owner.signature.replace(" ", "")
    return owner.kind != "class"


def _of(row: _Default, owner: Symbol | None) -> str:
    if owner is None or owner.kind == "module":
        return ""
    around = owner.qualname.rpartition(".")[0] if owner.name == row.name else owner.qualname
    return f" in {shortened(around)}"


def _constants(values: Iterable[str]) -> Asking[dict[str, Symbol]]:
    """Look up the constants that stand for a value."""
    names = [value for value in dict.fromkeys(values) if _CONSTANT.fullmatch(value)]
    results = (yield [calls.find_symbols(name, kind="constant", limit=1) for name in names]) if names else []
    found = ((name, one) for name, result in zip(names, results, strict=True) for one in symbols(result))
    return {name: one for name, one in found if one.name == name and one.signature}

"""What a definition is: what it says of itself, its steps, its methods, its code, and the places that call it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.intents import Intent
from inarch_offline.material import Context, Site, Symbol, symbols
from inarch_offline.readme import plain_text
from inarch_offline.steps import Method, Step, docstring_of, methods_of, most_telling, steps_of, told
from inarch_offline.writing import Page, Place, code, counted, cut, fitted, joined, sentence, shortened

_MOST_SITES = 5
_COLUMNS = 160
_MOST_MEMBERS = 60
_PYTHON = (".py", ".pyi")


def say_definition(page: Page, target: Symbol, most: int = 330) -> None:
    """Write what a definition is, and what it says of itself."""
    page.say(f"{target.kind} `{shortened(target.qualname)}{cut(target.signature, most // 2)}`", target.place)
    doc = docstring_of(target)
    if doc:
        page.say(cut(plain_text(doc.text), most), doc.place)


def say_code(page: Page, target: Symbol, most: int) -> None:
    """Show the code of a function whose steps can't be told, such as one of another language than Python."""
    lines = target.code.rstrip().splitlines()
    if not lines or steps_of(target) or target.place.path.endswith(_PYTHON):
        return
    page.code([line[:_COLUMNS] for line in lines[:most]], target.place.line)
    if len(lines) > most:
        page.item("… the rest", Place(target.place.path, target.place.line + most))


def say_sites(
    page: Page, title: str, sites: Sequence[Site], most: int = _MOST_SITES, more: bool = False, lines: int = 0
) -> None:
    """Write call sites; `more` says that there may be others than those that are known."""
    if not sites:
        return
    number = counted(len(sites), "place", more=more)
    said = number if number not in title else "them"
    page.head(title if len(sites) <= most else f"{title} ({most} of {said})")
    for site in sites[:most]:
        told = shortened(site.qualname) + (f": {code(site.text, 70)}" if site.text else "")
        page.item(fitted(told, site.place, 2, lines), site.place)


def say_steps(page: Page, title: str, found: Context, most: int = 9, lines: int = 0) -> None:
    """Write what a function does; calls of this code's own functions count most."""
    if found.target is not None:
        named = [site.qualname.rpartition(".")[2] for site in found.callees]
        _say_steps(page, title, steps_of(found.target, named), most, lines)


def say_class(page: Page, intent: Intent, target: Symbol, most: int = 7) -> None:
    """Write how a class is made and which methods it has, those that a question is about before the others."""
    everything = _methods(target)
    methods = [method for method in everything if method.name != "__init__"] or everything
    if not methods:
        return
    own_name = target.name.lower()
    words = [word for word in re.split(r"[\W_]+", intent.subject.lower()) if word not in own_name]
    ranked = sorted(
        methods,
        key=lambda method: (-_overlap(method, words), method.name.startswith("_"), not method.doc, -len(method.steps)),
    )
    made = next((method for method in everything if method.name == "__init__"), None)
    if made and made.signature != "(self)" and not made.signature.startswith("(self) "):
        page.say(f"Made with {cut(made.signature.replace('(self, ', '('), 200 if most > 6 else 80)}", made.place)
    short = most < 7
    page.head("Main methods" if len(methods) > most else "Methods")
    for method in sorted(ranked[:most], key=lambda method: method.place):
        doc = f" — {sentence(plain_text(method.doc), 90)}" if method.doc else ""
        page.item(fitted(f"{method.name}{cut(method.signature, 60)}{doc}", method.place, 2, int(short)), method.place)
    if len(methods) > most:
        rest = f"and {joined([method.name for method in ranked[most:]], 10)}"
        page.item(fitted(rest, ranked[most].place, 2, int(short)), ranked[most].place)
    best = ranked[0]
    if short:
        return
    if _overlap(best, words) or len(methods) <= 3 or best.name == "__call__":
        _say_steps(page, f"Step by step, {best.name}", best.steps, 6)


def _methods(target: Symbol) -> list[Method]:
    """Give the methods of a class that stand in its code."""
    if target.place.path.endswith(_PYTHON):
        return methods_of(target)
    from inarch_offline.members import methods_elsewhere

    return methods_elsewhere(target)


def say_members(page: Page, target: Symbol) -> Asking[None]:
    """Name the methods of a type whose own code doesn't hold them, as in Go and Rust."""
    if target.kind != "class" or target.place.path.endswith(_PYTHON) or _methods(target):
        return
    [found] = yield [calls.find_symbols(target.name, kind="method", limit=_MOST_MEMBERS)]
    own = [one for one in symbols(found) if one.qualname.rpartition(".")[0] == target.qualname and not one.test]
    if own:
        page.head("Methods")
    for one in own[:_MOST_SITES]:
        doc = f" — {sentence(plain_text(one.doc), 90)}" if one.doc else ""
        page.item(fitted(f"{one.name}{cut(one.signature, 60)}{doc}", one.place, 2, 1), one.place)
    if len(own) > _MOST_SITES:
        rest = own[_MOST_SITES:]
        page.item(fitted(f"and {joined([one.name for one in rest], 10)}", rest[0].place, 2, 1), rest[0].place)


def _overlap(method: Method, words: Sequence[str]) -> int:
    """Count the words of a question that a method's name and docstring share, by their beginnings."""
    parts = method.name.lower().strip("_").split("_")
    told = method.doc.lower()
    return sum(
        2 * any(part[:4] == word[:4] for part in parts if len(part) > 3) + (len(word) > 4 and word[:5] in told)
        for word in words
        if len(word) > 3
    )


def _say_steps(page: Page, title: str, steps: Sequence[Step], most: int = 9, lines: int = 0) -> None:
    shown = most_telling(steps, most)
    if not shown:
        return
    left = len(steps) - len(shown)
    page.head(title + (f" ({left} smaller steps left out)" if left else ""))
    for number, step in enumerate(shown, 1):
        page.step(number, told(step), step.place, lines)

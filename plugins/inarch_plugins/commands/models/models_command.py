"""`inarch models`: the profile's providers, their models, and tests of them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import click

from inarch import ConfigError, PluginError, ProviderError, UsageError, escape, shorten, to_data
from inarch.commands import Group, composing_options
from inarch.host import guarded
from inarch.output import columns_of, print_json, print_line

if TYPE_CHECKING:
    from inarch import App, Price
    from inarch_plugins.commands.models.check import Check, Checked

_MARKS = {"works": "ok  ", "fails": "BAD ", "skipped": "--  "}


@click.group("models", cls=Group)
def models() -> None:
    """List and test the models of the profile's providers."""


@models.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@composing_options
def list_models(as_json: bool, **given: Any) -> None:
    """List the models of the profile's providers, as for --model.

    Shows context and price of a million tokens, if known.
    """
    from inarch.commands import compose_given

    app = compose_given(given)
    rows = asyncio.run(_offers(app))
    if as_json:
        print_json(rows)
        return
    columns = columns_of(sys.stdout) if sys.stdout.isatty() else 10_000
    for row in rows:
        click.echo(shorten(escape("  ".join(_words(row)), keep_newlines=False), columns))


@models.command("check")
@click.argument("names", nargs=-1, metavar="[MODEL]...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@composing_options
def check(names: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Test the profile's models, or MODELs, with a text, a tool call and a structured reply.

    Requests are tiny, and their cost is shown. Exit 1 if one fails.
    """
    from inarch.commands import ANSWERED, FAILED, compose_given
    from inarch.host import discover

    for name in names:
        if not name.partition("/")[0] or any(letter.isspace() for letter in name):
            raise UsageError(f"{name!r} is not a model", "write PROVIDER/NAME, PROVIDER or auto")
    installed = [name for name in names if name.partition("/")[0] in discover().plugins]
    # Compose the providers of all tested models, as for fallback models.
    app = compose_given(given, fallback=[*installed, "auto"])
    return ANSWERED if asyncio.run(_check(app, names, as_json)) else FAILED


async def _offers(app: App) -> list[dict[str, Any]]:
    """Return a row for each model of each provider; an error of a provider becomes a row."""
    rows: list[dict[str, Any]] = []
    try:
        for name, bound in sorted(app.composition.models.items()):
            try:
                with guarded(bound.plugin, "provider"):
                    for info in await bound.value.models():
                        choice = app.choice(f"{name}/{info.name}")
                        rows.append(
                            {
                                "model": f"{name}/{info.name}",
                                "default": info.name == bound.value.default_model,
                                "description": info.description,
                                "context_tokens": info.context_tokens or choice.limits.context_tokens,
                                "price": _price_data(choice.price),
                            }
                        )
            except (PluginError, ProviderError) as error:
                rows.append({"model": name, "error": str(error)})
    finally:
        await app.aclose()
    return rows


def _words(row: dict[str, Any]) -> Iterator[str]:
    yield row["model"]
    if row.get("default"):
        yield "(default)"
    if row.get("context_tokens"):
        yield f"{row['context_tokens']:,} tokens"
    if row.get("price"):
        yield _price_words(row["price"])
    if said := row.get("error") or row.get("description"):
        yield said


def _price_data(price: Price | None) -> dict[str, str | None] | None:
    """Return US dollars for a million tokens as decimal text; an unknown price is None."""
    if price is None:
        return None
    amounts = {"input": price.input, "output": price.output, "cached": price.cached}
    return {key: None if amount is None else f"{amount.normalize():f}" for key, amount in amounts.items()}


def _price_words(price: dict[str, str | None]) -> str:
    if not Decimal(price["input"] or 0) and not Decimal(price["output"] or 0):
        return "free"
    return f"${price['input']} in, ${price['output']} out a million tokens"


async def _check(app: App, names: Sequence[str], as_json: bool) -> bool:
    """Run the tests and print each result as it arrives."""
    from inarch.commands import say
    from inarch_plugins.commands.models.automatic import auto_choice, key_findings
    from inarch_plugins.commands.models.check import check_models

    found: list[Checked] = []
    redactor = app.redactor
    try:
        async for checked in check_models(app, names):
            found.append(checked)
            if not as_json:
                _print_checked(checked, redactor.text)
            if checked.works:
                await app.models.look(app.choice(checked.model))
        with suppress(ConfigError):  # it is reported below
            await app.models.find("auto")  # queries the user's own server for its first model
        auto, why = auto_choice(app)
        remarks = [*key_findings(app)]
    finally:
        for note in app.parts.keys.notes:
            say("note", note)
        await app.aclose()
    works = all(checked.works for checked in found)
    if as_json:
        rows = redactor.redact([_checked_data(checked) for checked in found])
        notes = [redactor.text(f"{one.text} ({one.remedy})") for one in remarks]
        print_json({"works": works, "auto": {"model": auto, "why": why}, "models": rows, "notes": notes})
    else:
        print_line(f"auto means {auto}: {why}")
        for one in remarks:
            print_line(f"note: {one.text} ({one.remedy})")
    return works


def _print_checked(checked: Checked, hide: Callable[[str], str]) -> None:
    known = [f"{checked.limits.context_tokens:,} tokens of context"] if checked.limits.context_tokens else []
    price = _price_data(checked.price)
    known.append("price unknown" if price is None else f"{_price_words(price)} ({checked.price_source})")
    role = f" ({checked.role})" if checked.role else ""
    print_line(hide(f"{checked.model}{role}: {', '.join(known)}"))
    if checked.note:
        print_line(hide(f"      {checked.note}"))
    for one in checked.checks:
        print_line(hide(f"{_MARKS[one.state]}  {one.name:<16}  {'; '.join(_said(one))}"))
        if one.remedy:
            print_line(hide(f"      {one.remedy}"))
    sys.stdout.flush()


def _said(check: Check) -> Iterator[str]:
    from inarch.figures import usage_words

    yield check.said
    if check.duration_s:
        unknown = "" if check.state == "fails" else "tokens and cost unknown"
        yield from filter(None, [usage_words(to_data(check.usage)) if check.usage else unknown])
        yield f"{check.duration_s:.1f} s"


def _checked_data(checked: Checked) -> dict[str, Any]:
    return {
        "model": checked.model,
        "role": checked.role,
        "note": checked.note,
        "works": checked.works,
        "context_tokens": checked.limits.context_tokens,
        "price": _price_data(checked.price),
        "price_source": checked.price_source,
        "checks": [to_data(one) for one in checked.checks],
    }

"""Profile as a typed record, its inheritance, and the meaning of `...` in its `plugins`.

The schema, the starter file and the docs are also generated from each key's `doc` and `check`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

from attrs import field

from inarch.config.values import Given
from inarch.contract.deltas import Effort
from inarch.contract.errors import ConfigError
from inarch.contract.frozen import frozen
from inarch.contract.metadata import shipped
from inarch_sdk.modes import ApproveMode
from inarch_sdk.settings import Check, key, keys_of
from inarch_sdk.suggestions import nearest


def _named(key: str) -> tuple[str, ...]:
    """Return the default profile's names for a key, from Inarch's own distribution, in its order."""
    return tuple(shipped().defaults.get(key, "").split())


def _first(key: str) -> str:
    return next(iter(_named(key)), "")


SHIPPED_PLUGINS = _named("plugins")


def _is_model(text: str) -> bool:
    provider, slash, name = text.partition("/")
    plain = provider.replace("-", "").replace("_", "").replace(".", "").isalnum()
    return plain and (not slash or bool(name.strip())) and not any(mark.isspace() for mark in text)


_MODEL = Check(_is_model, "`auto`, `PROVIDER` or `PROVIDER/NAME`", {"pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]*(/\S+)?$"})
NAME = Check(lambda text: bool(text.strip()), "a name", {"minLength": 1})
REST = "..."
"""Item of `plugins` that means the list that would be replaced."""


def _each_once(names: Sequence[str]) -> bool:
    return all(names) and len(set(names)) == len(names)


_NAMES = Check(
    lambda names: _each_once(names) and REST not in names,
    "a list of names, each once ('...' only means something in `plugins`)",
    {"uniqueItems": True},
)
_PLUGINS = Check(
    _each_once,
    "a list of names, each once; '...' among them means the list that this one replaces",
    {"uniqueItems": True},
)
POSITIVE = Check(lambda number: number > 0, "greater than 0", {"exclusiveMinimum": 0})
COUNT = Check(lambda number: number >= 1, "1 or more", {"minimum": 1})
_NOT_NEGATIVE = Check(lambda number: number >= 0, "0 or more", {"minimum": 0})


def _can_be_kept(schema: Mapping[str, Any]) -> bool:
    from inarch_lib.schemas.answers import schema_fault  # few profiles have one

    return not schema_fault(schema)


_SCHEMA = Check(_can_be_kept, "a JSON Schema (Draft 2020-12) that an answer can keep", {})


@frozen
class Profile:
    """A profile: the model to ask, the plugins to compose, and every limit of a turn."""

    name: str = field(default="default", metadata={"key": False})
    model: str = key("The model to ask: `auto`, `PROVIDER` or `PROVIDER/NAME`.", "auto", _MODEL)
    fallback: tuple[str, ...] = key(
        "Models to try, in order, when `model` can't answer.", (), _MODEL, each=True, one_or_more=True
    )
    decision_model: str | None = key("A cheaper model for decisions; unset: the provider's own choice.", None, _MODEL)
    strategy: tuple[str, ...] = key(
        "Decision strategies, in the order they are asked.", _named("strategy"), _NAMES, one_or_more=True
    )
    plugins: tuple[str, ...] = key(
        "Plugins to compose, in the order they are asked; `...` means the list that this one replaces.",
        SHIPPED_PLUGINS,
        _PLUGINS,
    )
    workspace: str = key("The kind of workspace.", _first("workspace"), NAME)
    store: str = key("The kind of context store.", _first("store"), NAME)
    approve: ApproveMode = key(
        "Calls that run without a question: `ask` nothing with effects, `edits` file edits, `auto` also commands that "
        "the sandbox holds, `all` all but what only you may answer, `bypass` all, without the sandbox; `none` denies "
        "what has effects, and so does `plan` until you have approved a plan.",
        "ask",
    )
    max_iterations: int = key("Requests to the model in one turn.", 50, COUNT)
    max_seconds: float | None = key("Wall time of a turn; unset: no limit.", None, POSITIVE)
    max_holds: int = key("How often plugins may hold back the end of one turn.", 1, _NOT_NEGATIVE)
    max_cost_usd: Decimal | None = key("US dollars a turn may cost; unset: no limit.", None, POSITIVE)
    max_tokens: int | None = key("Tokens a turn may use; unset: no limit.", None, COUNT)
    max_reply_bytes: int = key("Bytes of one reply of a model; a longer one is cut there.", 8 << 20, COUNT)
    context_turns: int = key("Earlier turns that stay whole when a conversation is shortened.", 10, _NOT_NEGATIVE)
    effort: Effort | None = key("How much the model thinks before it answers; unset: the service's default.", None)
    output_schema: Mapping[str, Any] | None = key(
        "The JSON Schema of answers, which are then JSON; unset: answers are prose.", None, _SCHEMA
    )
    journal: Literal["required", "best-effort"] = key(
        "Whether a turn fails if its events cannot be stored.", "required"
    )


Tables = dict[str, dict[str, Given]]
PROFILE_KEYS = tuple(keys_of(Profile))
"""The keys of `[profiles.NAME]`, without `extends`."""


_LIST = "plugins"
"""The key whose list may have `...` for the list that it would replace."""


def laid_over(lower: Mapping[str, Given], upper: Mapping[str, Given]) -> dict[str, Given]:
    """Return a profile's values with those of a higher layer over them; `...` stays if the lower one has no list."""
    values = {**lower, **upper}
    if _LIST in lower and _LIST in upper:
        values[_LIST] = _spliced(upper[_LIST], lower[_LIST].value)
    return values


def complete(values: Mapping[str, Given]) -> dict[str, Given]:
    """Return the values with each remaining `...` replaced by the built-in list."""
    values = dict(values)
    if _LIST in values:
        values[_LIST] = _spliced(values[_LIST], SHIPPED_PLUGINS)
    return values


def _spliced(given: Given, rest: Sequence[str]) -> Given:
    """Replace `...` by `rest`, without the names that the list contains elsewhere."""
    names = tuple(given.value)
    if REST not in names:
        return given
    place = names.index(REST)
    before, after = names[:place], names[place + 1 :]
    named = {*before, *after}
    return Given((*before, *(name for name in rest if name not in named), *after), given.source, given.path)


DEFAULT = "default"


def check_parents(profiles: Tables, problems: list[ConfigError]) -> None:
    """Report missing parents and profiles that extend themselves."""
    known = {DEFAULT, *profiles}
    told: set[str] = set()
    for name, table in profiles.items():
        given = table.get("extends")
        if given is not None and given.value not in known:
            problems.append(given.error(f"there is no profile {given.value!r}", nearest(given.value, known)))
        elif given is not None and name not in told:
            chain = chain_of(profiles, name)
            if _parent(profiles, chain[-1]) == name:
                told.update(chain)  # one report for all profiles of a circle
                problems.append(given.error(f"extends itself: {' -> '.join([*chain, name])}", "break the circle"))


def _parent(profiles: Tables, name: str) -> str | None:
    given = profiles.get(name, {}).get("extends")
    return None if given is None else str(given.value)


def chain_of(profiles: Tables, name: str) -> list[str]:
    """Return a profile and its parents, nearest first; a cycle is followed once."""
    chain: list[str] = []
    following: str | None = name
    while following is not None and following not in chain and (following in profiles or following == DEFAULT):
        chain.append(following)
        following = _parent(profiles, following)
    return chain


def resolve(profiles: Tables, name: str) -> dict[str, Given]:
    """Return the keys that a profile sets, its own before its parents'."""
    values: dict[str, Given] = {}
    for link in reversed(chain_of(profiles, name)):
        values = laid_over(values, profiles.get(link, {}))
    values.pop("extends", None)
    return complete(values)


def make_profile(name: str, values: Mapping[str, Given]) -> Profile:
    """Return the profile; keys that are not given have the built-in values."""
    return Profile(name, **{key: given.value for key, given in values.items()})


def unknown_profile(choice: Given, profiles: Tables) -> ConfigError:
    """Return the error for the choice of a missing profile."""
    known = {DEFAULT, *profiles}
    hint = nearest(choice.value, known)
    listed = f"known: {', '.join(sorted(known))}"
    return choice.error(f"there is no profile {choice.value!r}", hint if hint == listed else f"{hint} {listed}")

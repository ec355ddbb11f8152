"""Every kind of annotation: its schema, and values that go out as JSON and come back as they were."""

from __future__ import annotations

import enum
import json
import uuid
from collections.abc import Collection, Iterable, Mapping, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, Optional, Required, TypedDict, Union

import pytest
from attrs import Factory, define, frozen
from attrs import field as attrs_field
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from inarch.contract.codec import to_data
from inarch.contract.errors import ToolFailed
from inarch_sdk.argument_values import structured
from inarch_sdk.schemas import Unsupported, schema_of, takes_plain

UserId = NewType("UserId", int)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Options(TypedDict, total=False):
    depth: Required[int]
    name: str


class Where(TypedDict):
    place: Path
    note: NotRequired[str]


class Pair(NamedTuple):
    left: int
    right: str = "r"


@dataclass(frozen=True)
class Node:
    """A node of a tree.

    Attributes:
        name: What it is called.
    """

    name: str
    children: tuple[Node, ...] = ()


@frozen
class Team:
    lead: Member
    _secret: int = 0


@frozen
class Member:
    name: str
    team: Team | None = None


@define(kw_only=True)
class Job:
    when: datetime
    colour: Colour = Colour.RED
    tags: list[str] = Factory(list)
    limit: int = attrs_field(default=3)


@dataclass
class Circle:
    x: int
    r: int


@dataclass
class Point:
    x: int
    y: int = 0
    seen: set[str] = field(default_factory=set)


def array(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


INT, STR = {"type": "integer"}, {"type": "string"}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (None, {"type": "null"}),
        (tuple[int, str], {"type": "array", "prefixItems": [INT, STR], "minItems": 2, "maxItems": 2}),
        (tuple[int, int], array(INT, minItems=2, maxItems=2)),
        (tuple, {"type": "array"}),
        (Sequence, {"type": "array"}),
        (AbstractSet[int], array(INT)),
        (Iterable[str], array(STR)),
        (Collection[str], array(STR)),
        (MutableSequence[str], array(STR)),
        (Mapping, {"type": "object"}),
        (dict[Colour, int], {"type": "object", "propertyNames": {"type": "string", "enum": ["red", "blue"]},
                             "additionalProperties": INT}),
        (UserId, INT),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (Literal[Colour.RED, None], {"enum": ["red", None]}),
        (Literal["a"] | None, {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}),
        (datetime, {"type": "string", "format": "date-time"}),
        (date, {"type": "string", "format": "date"}),
        (time, {"type": "string", "format": "time"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (Decimal, {"type": ["number", "string"]}),
        (Decimal | None, {"type": ["number", "string", "null"]}),
        (bytes, {"type": "string", "contentEncoding": "base64"}),
        (list[str] | tuple[str, ...], array(STR)),
        (Union[Any, int], {}),  # noqa: UP007 - the old spelling is the subject
        (Annotated[list[Annotated[int, []]], "How many."], array(INT, description="How many.")),
        (Options, {"type": "object", "properties": {"depth": INT, "name": STR}, "additionalProperties": False,
                   "required": ["depth"]}),
        (Where, {"type": "object", "properties": {"place": STR, "note": STR}, "additionalProperties": False,
                 "required": ["place"]}),
        (Pair, {"type": "object", "properties": {"left": INT, "right": {**STR, "default": "r"}},
                "additionalProperties": False, "required": ["left"]}),
    ],
)  # fmt: skip
def test_annotations_become_json_schema(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema
    Draft202012Validator.check_schema(schema)


def test_fields_of_records_have_defaults_and_descriptions() -> None:
    job = schema_of(Job)
    assert job["required"] == ["when"]
    assert job["properties"]["colour"] == {"type": "string", "enum": ["red", "blue"], "default": "red"}
    assert job["properties"]["limit"] == {"type": "integer", "default": 3}
    assert "default" not in job["properties"]["tags"]
    assert "secret" in schema_of(Team)["$defs"]["Team"]["properties"]
    node = schema_of(Node)["$defs"]["Node"]
    assert node["description"] == "A node of a tree."
    assert node["properties"]["name"] == {"type": "string", "description": "What it is called."}


def test_records_that_contain_themselves_become_definitions() -> None:
    node = schema_of(list[Node])
    assert node["items"] == {"$ref": "#/$defs/Node"}
    assert node["$defs"]["Node"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    Draft202012Validator(node).validate([{"name": "a", "children": [{"name": "b"}]}])
    team = schema_of(Team)
    assert team["$ref"] == "#/$defs/Team" and list(team["$defs"]) == ["Team"]
    assert Draft202012Validator(team).is_valid({"lead": {"name": "a", "team": {"lead": {"name": "b"}}}})
    assert not Draft202012Validator(team).is_valid({"lead": {"name": "a", "team": {"lead": {"name": 1}}}})


class Mask(enum.Flag):
    A = 1


class Pairs(enum.Enum):
    ONE = (1, 2)


@dataclass
class Lost:
    other: Elsewhere  # type: ignore[name-defined]  # noqa: F821 - the subject


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (complex, "complex has no JSON Schema; use str"),
        (list[complex], "complex"),
        (Mask, "Mask"),
        (Pairs, "Pairs has values"),
        (Literal[b"x"], "values"),
        (dict[int, str], "keys of a JSON object are text, not int"),
        (type[int], "has no JSON Schema"),
        ([int], "has no JSON Schema"),
        (3, "has no JSON Schema"),
        (Lost, "class Lost: name 'Elsewhere' is not defined; define the missing names"),
    ],
)
def test_what_json_schema_cannot_say_is_refused_in_words(annotation: Any, words: str) -> None:
    with pytest.raises(Unsupported, match=words):
        schema_of(annotation)


def unstructured(value: Any) -> Any:
    """Return the JSON form that a careful model would send."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Pair):
        return value._asdict()
    if isinstance(value, (uuid.UUID, Decimal)):
        return str(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return [unstructured(item) for item in value]
    if isinstance(value, dict):
        return {unstructured(key): unstructured(item) for key, item in value.items()}
    if hasattr(value, "__attrs_attrs__") or hasattr(value, "__dataclass_fields__"):
        names = getattr(value, "__attrs_attrs__", None) or value.__dataclass_fields__.values()
        return {item.name.lstrip("_"): unstructured(getattr(value, item.name)) for item in names}
    return to_data(value)


TEXTS = st.text(max_size=5)
TIMES = st.datetimes(timezones=st.just(UTC))
LEAVES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, TEXTS),
    (int, st.integers(-10, 10)),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (bool, st.booleans()),
    (None, st.none()),
    (Colour, st.sampled_from(Colour)),
    (Level, st.sampled_from(Level)),
    (Literal["a", 2], st.sampled_from(["a", 2])),
    (Path, st.sampled_from([Path("a"), Path("b/c")])),
    (datetime, TIMES),
    (date, st.dates()),
    (time, st.times()),
    (uuid.UUID, st.uuids()),
    (Decimal, st.decimals(allow_nan=False, allow_infinity=False, places=2)),
    (bytes, st.binary(max_size=4)),
    (UserId, st.integers(0, 9)),
    (Options, st.fixed_dictionaries({"depth": st.integers()}, optional={"name": TEXTS})),
    (Where, st.fixed_dictionaries({"place": st.just(Path("p"))}, optional={"note": TEXTS})),
    (Pair, st.builds(Pair, st.integers(), TEXTS)),
    (Job, st.builds(Job, when=TIMES, colour=st.sampled_from(Colour), tags=st.lists(TEXTS, max_size=2))),
    (Point | Circle, st.builds(Point, st.integers(), st.integers()) | st.builds(Circle, st.integers(), st.integers())),
    (Node, st.builds(Node, TEXTS, st.lists(st.builds(Node, TEXTS), max_size=2).map(tuple))),
    (Team, st.builds(Team, st.builds(Member, TEXTS, st.none() | st.builds(Team, st.builds(Member, TEXTS)))),),
]  # fmt: skip


def grown(inner: st.SearchStrategy[tuple[Any, st.SearchStrategy[Any]]]) -> st.SearchStrategy[Any]:
    def wrap(pair: tuple[Any, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
        kind, values = pair
        several = st.lists(values, max_size=3)
        return st.sampled_from(
            [
                (list[kind], several),  # type: ignore[valid-type]
                (Sequence[kind], several),  # type: ignore[valid-type]
                (Iterable[kind], several),  # type: ignore[valid-type]
                (tuple[kind, ...], several.map(tuple)),
                (tuple[kind, str], st.tuples(values, TEXTS)),
                (dict[str, kind], st.dictionaries(TEXTS, values, max_size=3)),  # type: ignore[valid-type]
                (Mapping[Colour, kind], st.dictionaries(st.sampled_from(Colour), values)),  # type: ignore[valid-type]
                (Optional[kind], values | st.none()),  # noqa: UP045 - `|` can't be said of None
                (Annotated[kind, "Some."], values),
            ]
        )

    return inner.flatmap(wrap)


ANNOTATED = st.recursive(st.sampled_from(LEAVES), grown, max_leaves=3).flatmap(
    lambda pair: st.tuples(st.just(pair[0]), pair[1])
)


@given(ANNOTATED)
def test_a_value_as_json_fits_its_schema_and_comes_back_equal(pair: tuple[Any, Any]) -> None:
    annotation, value = pair
    sent = json.loads(json.dumps(unstructured(value)))
    schema = json.loads(json.dumps(schema_of(annotation)))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(sent)
    back = sent if takes_plain(annotation) else structured("t", {"a": sent}, {"a": annotation})["a"]
    assert back == value
    assert type(back) is type(value) or isinstance(value, (float, dict, list)), (back, value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def test_the_message_names_where_a_wrong_value_stands() -> None:
    with pytest.raises(ToolFailed, match=r"plan: Invalid isoformat string: 'soon' @ job.when") as caught:
        structured("plan", {"job": {"when": "soon"}}, {"job": Job})
    assert caught.value.code == "validation"

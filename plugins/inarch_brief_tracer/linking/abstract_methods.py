"""What methods that a class has from `collections.abc` call of its own: `get` calls `__getitem__`, `|=` calls `add`."""

from __future__ import annotations

_SET = ("__contains__", "__iter__", "__len__")
_COMPARED = dict.fromkeys(("__le__", "__lt__", "__ge__", "__gt__", "__eq__", "__ne__", "isdisjoint"), _SET)
_COMBINED = dict.fromkeys(
    ("__and__", "__rand__", "__or__", "__ror__", "__sub__", "__rsub__", "__xor__", "__rxor__"),
    ("__iter__", "__contains__"),
)
_SETS = {**_COMPARED, **_COMBINED}
_MUTABLE_SETS = {
    **_SETS,
    "remove": ("__contains__", "discard"),
    "pop": ("__iter__", "discard"),
    "clear": ("__iter__", "discard"),
    "__ior__": ("add",),
    "__iand__": ("__iter__", "discard"),
    "__ixor__": ("__contains__", "add", "discard"),
    "__isub__": ("discard",),
}
_SEQUENCES = {
    "__contains__": ("__iter__", "__getitem__", "__len__"),
    "__reversed__": ("__len__", "__getitem__"),
    "index": ("__getitem__", "__len__"),
    "count": ("__iter__", "__getitem__"),
}
_MUTABLE_SEQUENCES = {
    **_SEQUENCES,
    "append": ("insert", "__len__"),
    "extend": ("insert", "__len__"),
    "__iadd__": ("insert", "__len__"),
    "pop": ("__getitem__", "__delitem__"),
    "remove": ("__getitem__", "__delitem__"),
    "clear": ("__getitem__", "__delitem__"),
    "reverse": ("__len__", "__getitem__", "__setitem__"),
}
_MAPPINGS = {
    "__contains__": ("__getitem__",),
    "get": ("__getitem__",),
    "keys": ("__iter__", "__len__"),
    "values": ("__iter__", "__getitem__"),
    "items": ("__iter__", "__getitem__"),
    "__eq__": ("__iter__", "__getitem__"),
}
_MUTABLE_MAPPINGS = {
    **_MAPPINGS,
    "pop": ("__getitem__", "__delitem__"),
    "popitem": ("__iter__", "__getitem__", "__delitem__"),
    "clear": ("__iter__", "__getitem__", "__delitem__"),
    "update": ("__setitem__",),
    "setdefault": ("__getitem__", "__setitem__"),
}
_CALLS: dict[str, dict[str, tuple[str, ...]]] = {
    "Set": _SETS,
    "AbstractSet": _SETS,
    "MutableSet": _MUTABLE_SETS,
    "Sequence": _SEQUENCES,
    "MutableSequence": _MUTABLE_SEQUENCES,
    "UserList": _MUTABLE_SEQUENCES,
    "Mapping": _MAPPINGS,
    "MutableMapping": _MUTABLE_MAPPINGS,
    "UserDict": _MUTABLE_MAPPINGS,
}
_MODULES = ("collections.abc", "typing", "collections")
READING = frozenset(("get", "pop", "setdefault"))
"""Methods that give what `__getitem__` gives."""


def calls_of(base: str, name: str) -> tuple[str, ...]:
    """Give the methods of a class that one which it has from a base outside calls."""
    module, _, short = base.rpartition(".")
    return _CALLS.get(short, {}).get(name, ()) if module in _MODULES else ()

"""How names, places and counts are written in flows."""

from __future__ import annotations

from inarch import escape
from inarch_brief_tracer.graph.model import CALL, Entry, Node, Step

MARK = "← YOUR TARGET"


def plain(text: str) -> str:
    """Put a text on one line, with every character that could mislead shown as its code."""
    return text if text.isascii() and text.isprintable() else escape(text, keep_newlines=False)


def cut(text: str, most: int) -> str:
    """Shorten a text that is too long."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def named(node: Node) -> str:
    """Write a function as people call it: `TableCommand.execute()`."""
    if node.kind in ("function", "method"):
        return f"{plain(node.name)}()"
    if node.kind == "module":
        return f"{plain(node.qualname)} (module)"
    return plain(node.name)


def signature(text: str, most: int = 110) -> str:
    """Write a signature, without `self`, shortened if it is long."""
    text = plain(text)
    for own in ("self", "cls"):
        text = text.replace(f"({own}, ", "(", 1).replace(f"({own})", "()", 1)
    return cut(text, most)


def at(path: str, line: int) -> str:
    """Write a place: `acme/cli.py:14`."""
    return f"{plain(path)}:{line}"


def entered(entry: Entry) -> str:
    """Say what kind of entry something is: `command "acme check", @main.command`."""
    if entry.kind == "orphan":
        return "nothing known calls it"
    name = f' "{plain(entry.name)}"' if entry.name not in ("", entry.node.name, entry.node.qualname) else ""
    how = f", {plain(entry.how)}" if entry.how and entry.how not in (entry.kind, "public") else ""
    return {"api": "public"}.get(entry.kind, entry.kind) + name + how


def tag(step: Step) -> str:
    """Say how a step is called, if that is not by its name."""
    return f" [{step.kind}]" if step.kind not in ("", CALL) else ""


def count(number: int, noun: str, plural: str = "") -> str:
    """Write `1 entry`, `1,200 entries`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def joined(*notes: str | None) -> str:
    """Join what has to be said, "" if that is nothing."""
    return "; ".join(filter(None, notes))

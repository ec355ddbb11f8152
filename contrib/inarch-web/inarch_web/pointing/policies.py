"""What a page's Content-Security-Policy has to let in so that it can be pointed at: the frame and the picker."""

from __future__ import annotations

from collections.abc import Sequence

_SCRIPTS = ("script-src-elem", "script-src", "default-src")

Directive = tuple[str, tuple[str, ...]]


def adapted(policy: str, framers: Sequence[str], picker: str, nonce: str) -> str:
    """Return a policy that lets some origins frame the page, and one script of ours run; all else stays as it is.

    Args:
        policy: The value of the header; it may hold several policies.
        framers: The origins of Inarch's own page, and of the page itself.
        picker: The address of the picker.
        nonce: What the picker's tag says of itself.
    """
    return ", ".join(_one(part, framers, picker, nonce) for part in policy.split(",") if part.strip())


def _one(policy: str, framers: Sequence[str], picker: str, nonce: str) -> str:
    found = {name: values for name, values in _directives(policy) if name != "frame-ancestors"}
    ruling = next((name for name in _SCRIPTS if name in found), None)
    if ruling is not None:
        name = "script-src-elem" if ruling == "default-src" else ruling
        found[name] = _with_picker(found[ruling], picker, nonce)
    found["frame-ancestors"] = tuple(framers)
    return "; ".join(" ".join((name, *values)) for name, values in found.items())


def _directives(policy: str) -> Sequence[Directive]:
    """Return the directives; of a name that is there twice the first one counts, as in browsers."""
    found: dict[str, tuple[str, ...]] = {}
    for part in policy.split(";"):
        if words := part.split():
            found.setdefault(words[0].lower(), tuple(words[1:]))
    return tuple(found.items())


def _with_picker(values: Sequence[str], picker: str, nonce: str) -> tuple[str, ...]:
    """Add the picker; as a nonce only where addresses don't count, for with one 'unsafe-inline' counts no longer."""
    kept = tuple(value for value in values if value.lower() != "'none'")
    if any(value.lower() == "'strict-dynamic'" for value in kept):
        return (*kept, f"'nonce-{nonce}'")
    return (*kept, picker)

"""Writing a plugin's name into a profile of the user's file: something is inserted, nothing else is touched.

Every edit is checked by reading the new text: if it doesn't say exactly what was meant, nothing is written.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from inarch import UsageError
from inarch.host import REST, Unreadable, key_lines, make_folder, read_user_file, value_spans
from inarch_staging import write_whole


def chosen_profile(path: Path) -> str:
    """Return the profile that the user's file chooses."""
    name = _tables(_read(path)).get("profile")
    return name if isinstance(name, str) else "default"


def enable(path: Path, profile: str, plugin: str) -> bool:
    """Write the plugin's name into the profile's list; return whether it was not there before.

    Args:
        path: The user's file, which is made if there is none.
        profile: The profile, which the file has or which is the built-in one.
        plugin: The plugin's name.

    Raises:
        UsageError: The file can't be read, changed safely or written; the remedy is what to write by hand.
    """
    text = _read(path)
    data = _tables(text)
    profiles = data.get("profiles", {})
    if profile != "default" and profile not in profiles:
        raise UsageError(f"{path} has no profile {profile!r}", f"write it there: {lines_to_add(profile, plugin)}")
    if plugin in profiles.get(profile, {}).get("plugins", ()):
        return False
    wanted = deepcopy(data)
    table = wanted.setdefault("profiles", {}).setdefault(profile, {})
    table["plugins"] = [*table.get("plugins", [REST]), plugin]
    for changed in _candidates(text, data, profile, plugin):
        if _says(changed, wanted):
            _write(path, changed)
            return True
    remedy = f"write it by hand: {lines_to_add(profile, plugin)}"
    raise UsageError(f"{path} is written in a way that can't be changed safely", remedy)


def lines_to_add(profile: str, plugin: str) -> str:
    """Return what to write where a profile has no list of its own."""
    return f"[profiles.{_key(profile)}] plugins = {json.dumps([REST, plugin])}"


def naming(path: Path, plugin: str) -> tuple[str, ...]:
    """Return each place of the user's file where a profile names the plugin."""
    text = _read(path)
    lines = key_lines(text)
    found = []
    for profile, table in _tables(text).get("profiles", {}).items():
        names = table.get("plugins", ()) if isinstance(table, dict) else ()
        if plugin in names:
            line = lines.get(("profiles", profile, "plugins", names.index(plugin)), 1)
            found.append(f"{path}:{line}: profiles.{_key(profile)}.plugins")
    return tuple(found)


def _candidates(text: str, data: dict[str, Any], profile: str, plugin: str) -> Iterator[str]:
    end = "\r\n" if "\r\n" in text else "\n"
    table = data.get("profiles", {}).get(profile)
    spans, path = value_spans(text), ("profiles", profile, "plugins")
    if table is not None and "plugins" in table:
        yield _grown(text, spans, path, len(table["plugins"]), plugin)
        return
    line = f"plugins = {json.dumps([REST, plugin])}{end}"
    if table is not None:
        header = key_lines(text)[path[:2]]
        rows = text.splitlines(keepends=True)
        before = "".join(rows[:header])
        yield f"{before}{'' if before.endswith(end) else end}{line}{''.join(rows[header:])}"
    else:
        gap = "" if not text else end if text.endswith("\n") else end * 2
        yield f"{text}{gap}[profiles.{_key(profile)}]{end}{line}"


def _grown(
    text: str, spans: dict[tuple[str | int, ...], tuple[int, int]], path: tuple[str | int, ...], count: int, name: str
) -> str:
    """Put a name behind the last element of a list, wherever commas and comments stand."""
    word = json.dumps(name)
    if not count:
        at = spans[path][0] + 1
        return f"{text[:at]}{word}{text[at:]}"
    start, end = spans[*path, count - 1]
    margin = text[text.rfind("\n", 0, start) + 1 : start]
    line_end = text.find("\n", end)
    if margin.isspace() and end <= line_end < spans[path][1]:  # one name on a line: so is the new one
        rest = text[end:line_end]
        comma = "" if rest.lstrip().startswith(",") else ","
        carriage = "\r" if rest.endswith("\r") else ""
        return f"{text[:end]}{comma}{rest}\n{margin}{word},{carriage}{text[line_end:]}"
    return f"{text[:end]}, {word}{text[end:]}"


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _read(path: Path) -> str:
    try:
        return (read_user_file(path) or b"").decode("utf-8-sig")
    except (Unreadable, UnicodeDecodeError) as error:
        raise UsageError(f"{path} {error}") from None


def _tables(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"your configuration is no TOML: {error}", "see: inarch config check") from None


def _write(path: Path, text: str) -> None:
    real = path.resolve()  # a link into a folder of dotfiles stays a link
    try:
        make_folder(real.parent)
        write_whole(real, text.encode(), mode=real.stat().st_mode & 0o777 if real.exists() else 0o600)
    except OSError as error:
        raise UsageError(f"{path} can't be written: {error.strerror}") from error


def _key(name: str) -> str:
    bare = name.replace("-", "").replace("_", "").isalnum() and name.isascii()
    return name if bare else json.dumps(name)

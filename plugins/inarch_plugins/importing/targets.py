"""What an import writes: the user's `config.toml`, `hooks.json`, instructions, and copies of files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any

from attrs import frozen

import inarch
from inarch.staging import make_folder, write_whole
from inarch_plugins.importing.config_text import with_rules, with_server
from inarch_plugins.importing.keys import Keys
from inarch_plugins.importing.servers import NotImportable, ignored_keys, server_name, server_table
from inarch_plugins.importing.sources import Item, read_table, shown

_MOST_FILES, _MOST_BYTES = 1_000, 50_000_000


@frozen
class Change:
    """A file to write."""

    path: Path
    before: bytes | None
    after: bytes
    source: Path | None = None
    mode: int = 0o600

    def shown(self) -> Iterator[str]:
        """Yield a line for a new copy, and a diff for anything else."""
        if self.source is not None and self.before is None:
            yield f"copy {shown(self.source)} to {shown(self.path)}"
            return
        old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (self.before, self.after))
        name = shown(self.path)
        yield from unified_diff(old, new, name if self.before is not None else "/dev/null", name, lineterm="")


@frozen
class Targets:
    """The user's files, with the changes so far."""

    context: inarch.PluginContext
    keys: Keys
    texts: dict[Path, bytes]
    copies: list[Change]
    told: list[str]

    def take(self, item: Item) -> bool:
        """Add the changes for an item; report one that has no counterpart, and return whether it has one."""
        try:
            if item.kind == "mcp":
                self._take_server(item)
            elif item.kind == "permissions":
                path = config_path(self.context)
                self._edit(path, with_rules(self._text(path), item.content, self.told))
            elif item.kind == "hooks":
                path = _place(self.context, "hooks.json")
                self._edit(path, _with_hooks(self._text(path), item.content))
            elif item.kind == "instructions":
                path, text = _place(self.context, "AGENTS.md"), item.place.read_text("utf-8-sig").strip()
                if text not in (old := self._text(path)):
                    self._edit(path, f"{old.rstrip()}\n\n{text}\n".lstrip())
            else:
                self.copies.extend(_copies(item, self.context))
        except (NotImportable, ValueError) as error:
            self.told.append(f"{item.label} ({item.source}) is not imported: {error}")
        except OSError as error:
            self.told.append(f"{item.source} can't be read: {error.strerror}")
        else:
            return True
        return False

    def changes(self) -> list[Change]:
        """Return the files that change."""
        made = [Change(path, _bytes(path), after) for path, after in self.texts.items()]
        return [one for one in (*made, *self.copies) if one.before != one.after]

    def _take_server(self, item: Item) -> None:
        path, name = config_path(self.context), server_name(item.name)
        self._edit(path, with_server(self._text(path), name, server_table(item, self.keys)))
        if ignored := ignored_keys(item):
            self.told.append(f"{item.label}: {', '.join(ignored)} has no counterpart and is left out ({item.source})")

    def _text(self, path: Path) -> str:
        return (self.texts[path] if path in self.texts else _bytes(path) or b"").decode("utf-8-sig")

    def _edit(self, path: Path, text: str) -> None:
        self.texts[path] = text.encode()


def config_path(context: inarch.PluginContext) -> Path:
    """Return the user's configuration file."""
    named = context.environ.get("INARCH_CONFIG")
    return Path(named).expanduser().absolute() if named else _place(context, "AGENTS.md").with_name("config.toml")


def has_target(item: Item, context: inarch.PluginContext) -> bool:
    """Return whether the user's files have something in an item's place."""
    if item.kind == "mcp":
        tables = read_table(config_path(context), []).get("plugins", {}).get("mcp", {})
        return bool(isinstance(tables, dict) and server_name(item.name) in (tables.get("servers") or ()))
    if item.kind in ("agents", "commands", "skills"):
        return os.path.lexists(_target(item, context))
    if item.kind in ("hooks", "permissions") and "claude" in _list_of(_place(context, "hooks.json"), "read"):
        return True  # Inarch reads the file itself
    if item.kind == "permissions":
        before = _bytes(config_path(context)) or b""
        return with_rules(before.decode("utf-8-sig"), item.content, []).encode() == before
    if item.kind == "hooks":
        before = _bytes(_place(context, "hooks.json")) or b""
        try:
            return bool(
                json.loads(_with_hooks(before.decode("utf-8-sig"), item.content)) == json.loads(before or b"null")
            )
        except ValueError:
            return True
    text = (_bytes(_place(context, "AGENTS.md")) or b"").decode("utf-8", "replace")
    return (_bytes(item.place) or b"").decode("utf-8", "replace").strip() in text


def write_all(changes: Iterable[Change]) -> None:
    """Write the files.

    Raises:
        UsageError: One cannot be written.
    """
    for one in changes:
        real = one.path.resolve()  # a link into a folder of dotfiles remains a link
        try:
            make_folder(real.parent)
            write_whole(real, one.after, mode=real.stat().st_mode & 0o777 if real.exists() else one.mode)
        except OSError as error:
            raise inarch.UsageError(f"{one.path} can't be written: {error.strerror}") from error


def _place(context: inarch.PluginContext, name: str) -> Path:
    assert context.user is not None
    return Path(context.user.place(name))


def _list_of(path: Path, key: str) -> list[Any]:
    found = read_table(path, []).get(key)
    return found if isinstance(found, list) else []


def _target(item: Item, context: inarch.PluginContext) -> Path:
    name = f"{item.kind}/{item.name}"
    return _place(context, name if item.kind == "skills" else f"{name}.md")


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _copies(item: Item, context: inarch.PluginContext) -> list[Change]:
    """Return the files of an agent, a command or a skill. Links inside a skill are not followed.

    Raises:
        ValueError: They are too many or too large.
    """
    target, folder = _target(item, context), item.place
    files = [folder] if folder.is_file() else [one for one in sorted(folder.rglob("*")) if _is_part(one, folder)]
    if len(files) > _MOST_FILES or sum(one.stat().st_size for one in files) > _MOST_BYTES:
        raise ValueError(f"it has more than {_MOST_FILES:,} files or {_MOST_BYTES:,} bytes")
    paths = [target if one == folder else target / one.relative_to(folder) for one in files]
    return [
        Change(path, _bytes(path), one.read_bytes(), one, one.stat().st_mode & 0o700)
        for path, one in zip(paths, files, strict=True)
    ]


def _is_part(path: Path, folder: Path) -> bool:
    return path.is_file() and path.resolve() == folder.resolve() / path.relative_to(folder)


def _with_hooks(text: str, hooks: Mapping[str, Any]) -> str:
    """Return a hook file with further hooks.

    Raises:
        ValueError: It is not a valid one.
    """
    data = json.loads(text or "{}")
    if not isinstance(data, dict) or not isinstance(data.setdefault("hooks", {}), dict):
        raise ValueError("hooks.json is not an object with hooks")
    for event, groups in hooks.items():
        known = data["hooks"].setdefault(event, [])
        known += [one for one in groups if one not in known] if isinstance(groups, list) else []
    return f"{json.dumps(data, indent=2, ensure_ascii=False)}\n"

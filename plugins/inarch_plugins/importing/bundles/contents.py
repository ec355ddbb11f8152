"""Manifests and catalogues of bundles, and what a bundle contains.

Formats, seen in November 2026: code.claude.com/docs/en/plugins-reference and /plugins/marketplace-reference, and
codex-rs/core-plugins/src/{manifest,marketplace}.rs of openai/codex.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from posixpath import basename, normpath
from typing import Any, NamedTuple

import inarch
from inarch_lib.bundles import HOOKS
from inarch_lib.bundles.store import SERVERS, File
from inarch_plugins.importing.bundles.fetch import Source, Tree

MANIFESTS = (".claude-plugin/plugin.json", ".codex-plugin/plugin.json")
CATALOGUES = (".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json")
_FOLDERS = ("agents", "commands", "skills")
_UNSUPPORTED = (
    "bin/", "settings.json", ".lsp.json", "output-styles/", "themes/", "monitors/", "lspServers", "outputStyles",
    "themes", "monitors", "userConfig", "channels", "apps", "dependencies",
)  # fmt: skip
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,47}")


class Contents(NamedTuple):
    """A bundle in one form: its name, its manifest, and its files in the default places."""

    name: str
    about: str
    files: Mapping[str, File]
    told: tuple[str, ...]


def entries_of(tree: Tree, source: Source) -> tuple[dict[str, tuple[Source, dict[str, Any]]], list[str]]:
    """Return the bundles of a source by name, each with its source and its catalogue entry, and the broken entries."""
    found: dict[str, tuple[Source, dict[str, Any]]] = {}
    told: list[str] = []
    for path in CATALOGUES:
        data = _json(tree, path, told)
        root = str(_table(data.get("metadata")).get("pluginRoot") or "")
        for entry in _list(data.get("plugins")):
            try:
                name = str(entry["name"])
                found.setdefault(name, (_source(entry["source"], root, source), entry))
            except (KeyError, TypeError, ValueError) as error:
                what = entry.get("name") if isinstance(entry, dict) else entry
                why = f"it has no {error}" if isinstance(error, KeyError) else error
                told.append(f"{path}: the entry {what!r:.60} is left out: {why}")
    return found, told


def contents_of(tree: Tree, folder: str, entry: Mapping[str, Any]) -> Contents:
    """Return a bundle's contents.

    Args:
        tree: The files of its source.
        folder: Its folder there; empty for the whole.
        entry: Its entry in a catalogue; empty if it has none.

    Raises:
        UsageError: It has no files, or no valid name.
    """
    lead = f"{folder}/" if folder else ""
    files = {path.removeprefix(lead): one for path, one in tree.items() if path.startswith(lead)}
    told: list[str] = []
    manifest = {key: value for path in reversed(MANIFESTS) for key, value in _json(files, path, told).items()}
    keys = {**entry, **manifest}
    name = re.sub(r"[^a-z0-9_-]+", "-", str(keys.get("name") or basename(folder)).lower()).strip("-")
    if not files or not _NAME.fullmatch(name):
        raise inarch.UsageError(f"{folder or 'the source'} is not a bundle: it has no plugin.json with a name")
    for kind in _FOLDERS:
        if named := _paths(keys.get(kind)):
            _place(files, kind, named, told)
    for key, path, inner in (("hooks", HOOKS, "hooks"), ("mcpServers", SERVERS, "mcpServers")):
        _join(files, keys.get(key), path, inner, told)
    present = [one for one in _UNSUPPORTED if one in keys or any(path == one or path.startswith(one) for path in files)]
    if present:
        told.append(f"not supported: {', '.join(dict.fromkeys(present))}")
    about = " ".join(str(keys.get(key) or "") for key in ("version", "description")).strip()
    return Contents(name, about, files, tuple(told))


def described(contents: Contents) -> Iterator[str]:
    """Yield the lines about a bundle: its parts by name, and every command in full."""
    yield f"{contents.name} {contents.about}".strip()
    files = contents.files
    names = {
        "skills": [path.split("/")[1] for path in files if re.fullmatch(r"skills/[^/]+/SKILL\.md", path)],
        **{kind: [path[len(kind) + 1 : -3] for path in files if path.startswith(f"{kind}/") and path.endswith(".md")]
           for kind in ("agents", "commands")},
    }  # fmt: skip
    for kind, found in names.items():
        if found:
            yield f"  {kind}: {', '.join(sorted(found))}"
    for event, groups in _table(_json(files, HOOKS, []).get("hooks")).items():
        for group in map(_table, _list(groups)):
            for hook in map(_table, _list(group.get("hooks"))):
                matcher = f" {group['matcher']}" if group.get("matcher") else ""
                yield f"  hook {event}{matcher}: {hook.get('command') or hook}"
    for server, table in servers_in(files).items():
        words = [str(one) for one in (table.get("command"), *_list(table.get("args"))) if one]
        yield f"  server {server}: {table.get('url') or shlex.join(words)}"
    yield from (f"  {one}" for one in contents.told)


def servers_in(files: Mapping[str, File]) -> dict[str, dict[str, Any]]:
    """Return the servers of a bundle by name."""
    data = _json(files, SERVERS, [])
    return {name: one for name, one in _table(data.get("mcpServers", data)).items() if isinstance(one, dict)}


def _source(given: Any, root: str, source: Source) -> Source:
    """Return where a catalogue's entry comes from.

    Raises:
        ValueError: Its kind is not supported, or it leaves the catalogue's source.
    """
    kind = "local" if isinstance(given, str) else str(given["source"])
    path = given if isinstance(given, str) else str(given.get("path") or "")
    if root and isinstance(given, str) and not given.startswith("./"):
        path = f"{root}/{given}"
    folder = _inside(path)
    if kind == "local":
        return source._replace(folder=folder)
    ref = str(given.get("sha") or given.get("ref") or "")
    if kind == "github":
        return Source(str(given["repo"]), ref, folder)
    if kind in ("url", "git-subdir"):
        address = str(given["url"])
        if not address.startswith("https://"):
            raise ValueError(f"its address {address:.60} is not https")
        return Source(address, ref, folder)
    raise ValueError(f"the source {kind} is not supported")


def _inside(path: str) -> str:
    folder = normpath(path.removeprefix("./") or ".")
    if folder.startswith(("/", "..")):
        raise ValueError(f"its path {path!r:.60} leaves the source")
    return "" if folder == "." else folder


def _paths(given: Any) -> list[str]:
    found = [given] if isinstance(given, str) else given
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _place(files: dict[str, File], kind: str, named: list[str], told: list[str]) -> None:
    """Move the parts of a kind that a manifest names into the kind's folder; others there do not count."""
    moved: dict[str, File] = {}
    for one in named:
        try:
            top = _inside(one)
        except ValueError as error:
            told.append(f"{kind}: {error}")
            continue
        is_part = top in files or f"{top}/SKILL.md" in files
        base = basename(top) if is_part else ""
        found = {
            f"{kind}/{base}{path.removeprefix(top)}".replace("//", "/"): file
            for path, file in files.items()
            if path == top or path.startswith(f"{top}/" if top else "")
        }
        if not found:
            told.append(f"{kind}: {one!r:.60} does not exist")
        moved |= found
    for path in [path for path in files if path.startswith(f"{kind}/")]:
        del files[path]
    files |= moved


def _join(files: dict[str, File], given: Any, path: str, inner: str, told: list[str]) -> None:
    """Write the hooks or servers of a manifest, inline or in files, into the default file."""
    tables = [_json(files, path, told)] if path in files else []
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, str):
            name = normpath(one)
            if name not in files:
                told.append(f"{one!r:.60} does not exist")
            elif name != path:
                tables.append(_json(files, name, told))
        elif isinstance(one, dict):
            tables.append(one)
    if not tables:
        return
    joined: dict[str, Any] = {}
    for table in tables:
        for key, value in _table(table.get(inner, table)).items():
            former = joined.get(key)
            joined[key] = [*former, *value] if isinstance(former, list) and isinstance(value, list) else value
    files[path] = File(json.dumps({inner: joined}, indent=1).encode())


def _json(files: Tree, path: str, told: list[str]) -> dict[str, Any]:
    if path not in files:
        return {}
    try:
        return _table(json.loads(files[path].data.decode("utf-8-sig")))
    except (ValueError, RecursionError) as error:
        told.append(f"{path} is not JSON: {error}")
        return {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

"""`inarch bundles`: adds, lists, shows, updates and removes bundles."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from typing import Any

import click

import inarch
from inarch.commands import ANSWERED, NOT_DONE, say
from inarch.output import is_terminal, print_line
from inarch_lib.bundles.store import SERVERS, File, changing_records, forget, hash_of, keep, place_of, records
from inarch_plugins.importing.bundles.contents import (
    MANIFESTS,
    Contents,
    contents_of,
    described,
    entries_of,
    servers_in,
)
from inarch_plugins.importing.bundles.fetch import Source, fetch, source_of

_MOST_LINES = 2_000


@click.group("bundles", short_help="Add skills, agents and hooks of a repository.")
def bundles() -> None:
    """Add skills, agents, prompt files and hooks of a repository or a folder."""


@bundles.command("add")
@click.argument("source")
@click.argument("names", nargs=-1)
@click.option("--name", "own", metavar="NAME", help="Another name for the bundle.")
@click.option("--for-projects", is_flag=True, help="Use it only in trusted projects that name it.")
@click.option("--yes", is_flag=True, help="Add without asking.")
@click.pass_obj
def add(
    context: inarch.PluginContext, source: str, names: tuple[str, ...], own: str | None, for_projects: bool, yes: bool
) -> int:
    """Add the bundle of SOURCE, a folder or OWNER/REPO[@ref], or the bundles NAMES of its catalogue."""
    given = source_of(source)
    tree, sha = fetch(given)
    entries, told = entries_of(tree, given)
    for line in told:
        say("note", line)
    if entries and not names and not any(path in tree for path in MANIFESTS):
        for name, (_, entry) in sorted(entries.items()):
            print_line(f"{name}  {inarch.shorten(str(entry.get('description') or ''), 90)}".rstrip())
        say("note", f"this is a catalogue; add a bundle with: inarch bundles add {source} NAME")
        return NOT_DONE
    code = ANSWERED
    for name in names or [""]:
        if name and name not in entries:
            raise inarch.UsageError(f"{source} has no bundle {name!r}", "inarch bundles add SOURCE lists them")
        at, entry = entries[name] if name else (given, {})
        files, commit = (tree, sha) if at[:2] == given[:2] else fetch(at)
        contents = contents_of(files, at.folder, entry)
        contents = contents._replace(name=own or contents.name)
        origin = {"source": at.place, "ref": at.ref, "folder": at.folder, "sha": commit, "entry": entry}
        code = max(code, _add(context, contents, {**origin, "enabled": not for_projects}, yes))
    return code


@bundles.command("list")
@click.pass_obj
def list_all(context: inarch.PluginContext) -> None:
    """List the bundles with their source and state."""
    found = records(_folder(context))
    for name, one in sorted(found.items()):
        print_line(f"{name}  {_where(one)}  {'on' if one['enabled'] else 'in projects that name it'}")
    if not found:
        print_line("no bundles; inarch bundles add OWNER/REPO adds one")


@bundles.command("show")
@click.argument("name")
@click.pass_obj
def show(context: inarch.PluginContext, name: str) -> None:
    """Show what a bundle contains, with every command in full."""
    one = _record(context, name)
    for line in described(_stored(context, name, one)):
        print_line(line)
    print_line(f"  from {_where(one)}, tree {one['tree'][:12]}")


@bundles.command("update")
@click.argument("names", nargs=-1)
@click.option("--yes", is_flag=True, help="Update without asking.")
@click.pass_obj
def update(context: inarch.PluginContext, names: tuple[str, ...], yes: bool) -> int:
    """Fetch the bundles NAMES, or all, show what has changed, and ask anew."""
    code = ANSWERED
    for name in names or sorted(records(_folder(context))):
        one = _record(context, name)
        source = Source(one["source"], one["ref"], one["folder"])
        files, sha = fetch(source)
        former = one["entry"]
        at, new = entries_of(files, source)[0].get(former.get("name"), (None, former))
        entry = new if at == source else former
        contents = contents_of(files, source.folder, entry)._replace(name=name)
        if hash_of(contents.files) == one["tree"]:
            print_line(f"{name} is unchanged")
            continue
        for line in _differences(_stored(context, name, one).files, contents.files):
            print_line(line)
        code = max(code, _add(context, contents, {**one, "sha": sha, "entry": entry}, yes, replaces=True))
    return code


@bundles.command("remove")
@click.argument("name")
@click.pass_obj
def remove(context: inarch.PluginContext, name: str) -> None:
    """Remove a bundle."""
    _record(context, name)
    with _changing(context) as found:
        tree = found.pop(name)["tree"]
        if tree not in (one["tree"] for one in found.values()):
            forget(_folder(context), tree)
    print_line(f"{name} is removed")


def _add(
    context: inarch.PluginContext, contents: Contents, record: Mapping[str, Any], yes: bool, replaces: bool = False
) -> int:
    """Show a bundle, ask, and store it; the answer counts for these bytes only."""
    folder, name = _folder(context), contents.name
    if (other := records(folder).get(name)) and not replaces:
        raise inarch.UsageError(f"there is a bundle {name} from {_where(other)}", "remove it, or choose another --name")
    for line in described(contents):
        print_line(line)
    tree = hash_of(contents.files)
    print_line(f"  from {_where(record)}, tree {tree[:12]}")
    if not yes:
        if not is_terminal(sys.stdin):
            raise inarch.UsageError("nothing was added: there is no terminal to ask at", "approve with --yes")
        if not click.confirm("Use this bundle? Its hooks run in the sandbox", default=False):
            return NOT_DONE
    with _changing(context) as found:
        keep(folder, name, contents.files)
        former = found.get(name, {}).get("tree")
        found[name] = {**record, "tree": tree, "about": contents.about, "told": contents.told}
        if former and former not in (one["tree"] for one in found.values()):
            forget(folder, former)
    print_line(f"{name} is {'updated' if replaces else 'added'}")
    if servers_in(contents.files):
        say("note", f"to use its servers: inarch import {place_of(folder, name, tree) / SERVERS}")
    return ANSWERED


@contextmanager
def _changing(context: inarch.PluginContext) -> Iterator[dict[str, dict[str, Any]]]:
    """Yield the records for changes.

    Raises:
        UsageError: They, or a bundle's files, cannot be stored.
    """
    try:
        with changing_records(_folder(context)) as found:
            yield found
    except OSError as error:
        raise inarch.UsageError(f"{error.filename or _folder(context)} can't be written: {error.strerror}") from error


def _differences(old: Mapping[str, File], new: Mapping[str, File]) -> Iterator[str]:
    """Yield a diff of two trees; only the first lines if it is long."""
    lines = [line for path in sorted({*old, *new}) for line in _difference(path, old.get(path), new.get(path))]
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… {len(lines) - _MOST_LINES:,} more lines"


def _difference(path: str, old: File | None, new: File | None) -> list[str]:
    before, after = (file.data if file else b"" for file in (old, new))
    if b"\0" in before + after:
        return [f"binary {path} differs"] if old != new else []
    was, now = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    return [*unified_diff(was, now, path, path, lineterm="")] or [f"mode of {path} differs"] * (old != new)


def _stored(context: inarch.PluginContext, name: str, record: Mapping[str, Any]) -> Contents:
    top = place_of(_folder(context), name, record["tree"])
    paths = [one for one in sorted(top.rglob("*")) if one.is_file()]
    files = {one.relative_to(top).as_posix(): File(one.read_bytes(), bool(one.stat().st_mode & 0o100)) for one in paths}
    return Contents(name, record.get("about", ""), files, tuple(record.get("told", ())))


def _record(context: inarch.PluginContext, name: str) -> dict[str, Any]:
    found = records(_folder(context))
    if name not in found:
        raise inarch.UsageError(f"there is no bundle {name!r}", "inarch bundles list shows them")
    return found[name]


def _where(record: Mapping[str, Any]) -> str:
    at = f"@{record['ref']}" if record["ref"] else ""
    inner = f" {record['folder']}" if record["folder"] else ""
    return f"{record['source']}{at}{inner}{' ' + record['sha'][:12] if record['sha'] else ''}"


def _folder(context: inarch.PluginContext) -> Path:
    return Path(context.state_dir).parents[1] / "bundles"

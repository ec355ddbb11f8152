"""Checks of `inarch doctor`, each with findings; nothing leaves this machine."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, Any

from inarch import ConfigError, Finding, InarchError, PluginError, SelfCheck, __version__
from inarch.figures import confinement_words
from inarch.host import guarded
from inarch_sdk.event_log import WAY_ON

if TYPE_CHECKING:
    from inarch import App, Confinement
    from inarch.host import Config, Options

Ports = Sequence[tuple[int, str]]
PORTS: Ports = (
    (11434, "Ollama"),
    (8080, "llama.cpp"),
    (1234, "LM Studio"),
    (8000, "vLLM"),
    (1337, "Jan"),
    (30000, "SGLang"),
    (5001, "KoboldCpp"),
    (4000, "LiteLLM's proxy"),
)
"""Default ports of model servers; another server may answer there."""
CONNECT_S = 0.3
READ_S = 1.0
LONGEST = 1 << 20
"""Bytes of an answer to read."""
MOST_NAMED = 3
CHECK_S = 10.0
"""Seconds for the self-checks of plugins."""
MOST_FINDINGS = 100
_STATES = ("fine", "note", "wrong")


def check_up(options: Options, ports: Ports = PORTS) -> Iterator[Finding]:
    """Yield findings, the most basic first; a check that cannot continue reports why."""
    where = f"Python {platform.python_version()} at {sys.executable}, {platform.system()} {platform.release()}"
    yield Finding("inarch", "fine", f"{__version__}, {where}")
    config = yield from _configuration(options)
    if config is None:
        return
    yield from _trust(config)
    yield from _folders(config)
    app = yield from _plugins(config, options)
    if app is None:
        return
    try:
        yield from _model(app)
        yield from _of_plugins(app)
        yield from _servers(app, ports)
        yield from _commands(app)
        yield from _store(app)
    finally:
        app.close()


def _configuration(options: Options) -> Generator[Finding, None, Config | None]:
    config, problems = options.checked_config()
    for problem in problems:
        yield Finding("configuration", "wrong", problem.message, problem.remedy)
    if config is None:
        return None
    present = config.config_path.exists()
    text = str(config.config_path) if present else f"{config.config_path} does not exist, so the built-in values apply"
    remedy = "" if present else "inarch config init writes a first one"
    if not problems:
        yield Finding("configuration", "fine", f"{text}; profile {config.profile.name}", remedy)
    for note in config.notes:
        yield Finding("configuration", "note", note)
    return config


def _trust(config: Config) -> Iterator[Finding]:
    from inarch.host import Trust

    try:
        standing = Trust(config.root, config.state_dir).standing()
    except InarchError as error:
        yield Finding("trust", "wrong", error.message, error.remedy)
        return
    if standing.state == "nothing":
        yield Finding("trust", "fine", f"{config.root} has nothing that needs trust")
    elif standing.state == "trusted":
        yield Finding("trust", "fine", f"{config.root} is trusted with {', '.join(standing.files)}")
    else:
        files = ", ".join(standing.changed or standing.files)
        said = "changed since it was trusted" if standing.state == "changed" else "is not trusted"
        remedy = "review them, then run inarch config trust"
        yield Finding("trust", "note", f"{config.root} {said}: Inarch ignores {files}", remedy)


def _folders(config: Config) -> Iterator[Finding]:
    for topic, folder in (("state", config.state_dir), ("cache", config.cache_dir)):
        nearest = next(place for place in (folder, *folder.parents) if place.exists())
        if os.access(nearest, os.W_OK | os.X_OK):
            yield Finding(topic, "fine", str(folder))
        else:
            yield Finding(topic, "wrong", f"{folder} can't be written",
                          f"make {nearest} writable, or set XDG_{topic.upper()}_HOME")  # fmt: skip


def _plugins(config: Config, options: Options) -> Generator[Finding, None, App | None]:
    from inarch import App

    try:
        app = App.of(config, without=options.without, files=options.files, recorded=False, environ=config.environ)
    except ConfigError as error:
        yield Finding("plugins", "wrong", error.message, error.remedy)
        return None
    composition = app.composition
    names = ", ".join(f"{plugin.name} {plugin.version}".strip() for plugin in composition.loaded)
    safe = "safe mode, only " if config.safe_mode else ""
    yield Finding("plugins", "note" if safe else "fine", f"{safe}{names or 'none'}")
    for refused in composition.refused:
        yield Finding("plugins", "wrong", f"{refused.name} was refused: {refused.reason}", refused.remedy)
    for missing in () if config.safe_mode else app.parts.composed.missing():
        yield Finding("plugins", "wrong", missing.message, missing.remedy)
    if not config.safe_mode:
        yield from _unnamed(app, options)
    return app


def _unnamed(app: App, options: Options) -> Iterator[Finding]:
    """Propose configuration lines for installed plugins that no plugin list names."""
    from inarch.host import discover
    from inarch_plugins.commands.config.profile_edit import listed_plugins

    config, found = app.config, discover()
    ours = {plugin.distribution for plugin in found.builtins.values()}
    refused = {one.name for one in app.composition.refused}
    known = {*options.without, *config.profile.plugins, *refused}
    names = sorted(name for name, one in found.plugins.items() if one.distribution not in ours and name not in known)
    if names:
        before = [name for name in listed_plugins(config.config_path, config.profile.name) if name not in refused]
        listed = ", ".join(f'"{name}"' for name in (*before, *names))
        lines = (f"[profiles.{config.profile.name}]", f"plugins = [{listed}]")
        words = f"{', '.join(names)}: installed, but not named in profile {config.profile.name}"
        yield Finding("plugins", "note", words, f"to use any of them, add to {config.config_path}", lines)


def _model(app: App) -> Iterator[Finding]:
    from inarch_plugins.commands.models.automatic import auto_choice, key_findings, keys_set

    keys = keys_set(app)
    yield Finding("model", "fine", f"{app.config.profile.model}; keys: {', '.join(keys) or 'none is set'}")
    if not app.config.safe_mode:
        auto, why = auto_choice(app)
        yield Finding("model", "fine", f"auto means {auto}: {why}")
    yield from key_findings(app)
    if app.config.profile.model != "auto" and not app.config.safe_mode:
        try:
            note = app.choice().check_key()
        except InarchError as error:
            yield Finding("model", "wrong", error.message, error.remedy)
        else:
            yield from [Finding("model", "note", note)] if note else []
    for missing in app.parts.keys.notes:
        yield Finding("model", "wrong", missing)
    yield Finding("model", "fine", f"providers: {', '.join(sorted(app.composition.models)) or 'none'}")


def _servers(app: App, ports: Ports) -> Iterator[Finding]:
    """Look for model servers on this machine, unless one is configured; list the lines to write for each."""
    ready = next((one for one in app.ready if one.setting), None)
    if ready is None or app.ready[ready]:
        return
    config, name = app.config, ready.plugin
    for base_url, usual, models in local_servers(ports):
        lines = [f"[plugins.{name}]", f'{ready.setting} = "{base_url}"']
        if first := next((one for one in models if "embed" not in one.lower()), ""):
            lines.append(f"model = {json.dumps(first, ensure_ascii=False)}")
        remedy = f"to use it, add these lines to {config.config_path}"
        if config.profile.model != name and not config.profile.model.startswith(f"{name}/"):
            remedy += f", or try it once with --model {name}"
            first_of = next((one for one, is_given in app.ready.items() if is_given or one.setting), None)
            takes_it = config.profile.model == "auto" and first_of is not None and bool(first_of.setting)
            profile = json.dumps(config.profile.name, ensure_ascii=False)
            lines += [] if takes_it else ["", f"[profiles.{profile}]", f'model = "{name}"']
        named = ", ".join(models[:MOST_NAMED])
        more = f" and {len(models) - MOST_NAMED} more" if len(models) > MOST_NAMED else ""
        has = f"has {named}{more}" if named else "has no model yet"
        words = f"a model server answers at {base_url} (the port of {usual}): it {has}"
        yield Finding("local server", "note", words, remedy, tuple(lines))


def _commands(app: App) -> Iterator[Finding]:
    if app.config.safe_mode:
        yield Finding("commands", "note", "not checked: safe mode loads no workspace", "unset INARCH_SAFE_MODE")
        return
    try:
        found = app.workspace.confinement()
    except InarchError as error:
        yield Finding("commands", "wrong", error.message, error.remedy)
        return
    yield Finding("commands", "fine" if found.level == 3 else "note", confinement_words(found))
    yield from _hosts(app, found)
    if kept := [promise for promise, reached in found.promises.items() if not reached]:
        yield Finding("commands", "fine", f"tested and blocked: {', '.join(kept)}")
    for promise, reached in found.promises.items():
        if reached:
            yield Finding("commands", "note", f"tested and not blocked ({promise}): {reached}")


def _hosts(app: App, found: Confinement) -> Iterator[Finding]:
    """Report grants that name hosts if the sandbox cannot restrict commands to hosts."""
    if "network namespace" in found.layers:
        return
    tables = (("commands", app.config.commands), ("isolation", app.config.isolation))
    every = [(f"[{kind}.{name}]", one.network) for kind, table in tables for name, one in table.items()]
    if named := [name for name, network in every if network and not isinstance(network, bool)]:
        text = f"{', '.join(named)}: cannot limit the network to hosts here: {found.reason}"
        yield Finding("commands", "wrong", text, "network = true grants the whole network instead")


def _store(app: App) -> Iterator[Finding]:
    try:
        sessions = app.store.sessions(app.config.root)
    except InarchError as error:
        yield Finding("store", "wrong", error.message, error.remedy)
        return
    yield Finding("store", "fine", f"{app.config.profile.store}, {len(sessions)} sessions of this directory")
    for sentence in app.parts.storage.untold_damage():
        yield Finding("store", "wrong", sentence)
    for file in app.parts.storage.set_aside:
        yield Finding("store", "note", f"{file} was set aside because it was damaged", f"{WAY_ON}, then delete it")


def _of_plugins(app: App) -> Iterator[Finding]:
    """Yield the findings of plugins; their checks run at once, and one that fails or hangs is wrong."""
    asked = [(bound.plugin, bound.value.name, _asked(bound.plugin, bound.value)) for bound in app.composition.checks]
    end = time.monotonic() + CHECK_S
    for plugin, name, answer in asked:
        try:
            yield from answer.result(max(end - time.monotonic(), 0.0))
        except TimeoutError:
            text = f"check {name!r} of plugin {plugin!r} took longer than {CHECK_S:g} s"
            yield Finding("plugins", "wrong", text, f"leave it out with -p no:{plugin}, or report it to its author")
        except PluginError as error:
            yield Finding("plugins", "wrong", error.message, error.remedy)


def _asked(plugin: str, check: SelfCheck) -> Future[list[Finding]]:
    """Run a check in a thread, which is abandoned if it hangs."""
    answer: Future[list[Finding]] = Future()

    def look() -> None:
        try:
            with guarded(plugin, "check", ()):
                found = list(islice(check.run(), MOST_FINDINGS))
                if not all(isinstance(one, Finding) and one.state in _STATES for one in found):
                    raise TypeError(f"check {check.name!r} did not return findings")
            answer.set_result(found)
        except PluginError as error:
            answer.set_exception(error)

    Thread(target=look, daemon=True).start()
    return answer


def local_servers(ports: Ports = PORTS) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the address with `/v1`, the usual server on that port, and the models of each server on this machine."""
    for port, usual in ports:
        for host in ("127.0.0.1", "::1"):
            if (models := _models(host, port)) is not None:
                yield f"http://{f'[{host}]' if ':' in host else host}:{port}/v1", usual, models
                break


def _models(host: str, port: int) -> tuple[str, ...] | None:
    """Return the names of a server's models, or None if no such server answers."""
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(host, port, timeout=CONNECT_S)
    try:
        connection.connect()
        connection.sock.settimeout(READ_S)
        connection.request("GET", "/v1/models", headers={"Accept": "application/json"})
        answer = connection.getresponse()
        return _names(json.loads(answer.read(LONGEST))) if answer.status == 200 else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return None
    finally:
        connection.close()


def _names(data: Any) -> tuple[str, ...] | None:
    """Return the names in a list of models, or None for other data."""
    rows = data.get("data") if isinstance(data, dict) else None
    if rows is None and isinstance(data, dict) and data.get("object") == "list":
        return ()  # Ollama without models
    if not isinstance(rows, list):
        return None
    names = (row.get("id") for row in rows if isinstance(row, dict))
    return tuple(name for name in names if isinstance(name, str) and name and name.isprintable())

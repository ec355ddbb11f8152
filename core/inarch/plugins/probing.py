"""Has this plugin ever been loaded without harm? If not, a child process tries it first, under limits.

What a probe found is remembered (`remembering` says how long), so that a good plugin costs nothing any more and a bad
one costs its time once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from inarch.contract.errors import PluginError
from inarch.plugins.discovery import FoundPlugin
from inarch.plugins.remembering import Refusal, Verdicts, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inarch.plugins.verdicts import Tried

MEMORY_BYTES = 1 << 30

Outcome = Literal["passed", "settings"]


class ProbeJob(NamedTuple):
    """What a probe needs to know of the place where the plugin will run.

    Args:
        root: The workspace root that the hooks are told.
        settings: The plugin's table of the configuration, used where a setting has no default.
        variables: The environment variables that give settings.
        cache_dir: Where verdicts are remembered.
        seconds: Wall clock that importing and registering may take.
        memory_bytes: Address space that they may take.
        commands: Commands to be loaded as well, `module:attribute` each.
    """

    root: str
    settings: Mapping[str, Any]
    variables: Mapping[str, str]
    cache_dir: Path
    seconds: float
    memory_bytes: int = MEMORY_BYTES
    commands: tuple[str, ...] = ()

    @property
    def given(self) -> Mapping[str, Any]:
        """What, changed, could let a refused plugin pass."""
        return self._replace(root="", cache_dir=Path(), commands=())._asdict()


def probe(found: FoundPlugin, job: ProbeJob) -> Outcome:
    """Load the plugin in a child unless these very files have passed before, or were refused a short while ago.

    Returns "settings" where everything but its settings was in order, so that the configuration can name the wrong key.

    Raises:
        PluginError: The plugin must not be loaded.
    """
    with _telling(found):
        verdicts = Verdicts(job.cache_dir / "probes", key_of(found))
        if verdicts.passed():
            return "passed"
        refusal = verdicts.refusal(job.given)
        if refusal is not None:
            what = f"--plugin {found.file} plugins check" if found.file else f"plugins check {found.name}"
            again = f"`inarch {what}` tries it again"
            raise _error(found, refusal._replace(remedy=f"{refusal.remedy}; {again}"))
        tried = _try_and_keep(found, job, verdicts)
    if tried.refusal is not None:
        raise _error(found, tried.refusal)
    return "settings" if tried.settings else "passed"


def probe_afresh(found: FoundPlugin, job: ProbeJob) -> Tried:
    """Load the plugin in a child whatever is remembered, and remember what comes of it instead.

    Raises:
        PluginError: It could not be tried.
    """
    with _telling(found):
        verdicts = Verdicts(job.cache_dir / "probes", key_of(found))
        verdicts.forget()
        return _try_and_keep(found, job, verdicts)


@contextmanager
def _telling(found: FoundPlugin) -> Iterator[None]:
    """Blame what keeps a probe from being made: a file that can't be read, no room, no interpreter."""
    try:
        yield
    except OSError as error:
        raise PluginError(
            f"plugin {found.name!r} could not be probed: {error}",
            plugin=found.name,
            door="load",
            remedy=f"make room or mend its files, or leave it out with -p no:{found.name}",
        ) from error


def _try_and_keep(found: FoundPlugin, job: ProbeJob, verdicts: Verdicts) -> Tried:
    from inarch.plugins.verdicts import Tried
    from inarch.plugins.version_contract import version_contract

    contract = version_contract(found)
    if contract.reason:  # not kept: reading metadata costs little, and any installation may mend it
        return Tried(Refusal(contract.reason, f"{contract.remedy}, or leave it out with -p no:{found.name}", 0.0))
    tried = _run(found, job)
    if key_of(found) != verdicts.key:  # what was tried is not what would be loaded
        text = "changed its own files while it was probed, or somebody did"
        return tried._replace(refusal=Refusal(text, f"start again, or leave it out with -p no:{found.name}", 0.0))
    if tried.refusal is not None:
        verdicts.keep_refusal(tried.refusal, job.given)
    elif not tried.settings:
        verdicts.keep_pass()
    return tried


def _run(found: FoundPlugin, job: ProbeJob) -> Tried:
    from tempfile import TemporaryDirectory

    from inarch.plugins.verdicts import verdict
    from inarch.plugins.watching import watch

    with TemporaryDirectory(prefix="inarch-probe-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "cwd").mkdir()
        (folder / "job.json").write_text(_job_text(found, job), "utf-8")
        return verdict(found, folder, watch(folder, job.seconds), job.seconds, job.memory_bytes)


def _job_text(found: FoundPlugin, job: ProbeJob) -> str:
    text = job._replace(cache_dir=Path())._asdict()
    path = [entry for entry in sys.path if entry not in ("", ".")]
    return json.dumps({**text, "plugin": found._asdict(), "path": path}, default=str)


def _error(found: FoundPlugin, refusal: Refusal) -> PluginError:
    return PluginError(f"plugin {found.name!r} {refusal.text}", plugin=found.name, door="load", remedy=refusal.remedy)

"""Execution of judged commands: one command, or the pipelines of a line one after the other, with their result."""

from __future__ import annotations

import posixpath
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from inarch import Piped, Ran, Rights, ToolContext, ToolFailed
from inarch.capabilities import RunsPiped, TriesPrograms, able
from inarch_lib.secrets.secret_names import end_from, start_from
from inarch_lib.staging.copies import change_of
from inarch_plugins.sandbox_fs.commands import git_scopes, git_writes, secret_files, workspace_check
from inarch_plugins.sandbox_fs.commands.crossings import changes_repository
from inarch_plugins.sandbox_fs.commands.lines import place
from inarch_plugins.sandbox_fs.commands.rights_choice import REPOSITORY, put_together
from inarch_plugins.sandbox_fs.commands.runners import is_known
from inarch_plugins.sandbox_fs.processes.output import signal_name
from inarch_plugins.sandbox_fs.schemas import LONGEST_S

if TYPE_CHECKING:
    from inarch_plugins.sandbox_fs.commands.classified import Classified
    from inarch_plugins.sandbox_fs.processes.trial_folder import TrialFolder

MOST_CHARACTERS = 4_000_000
"""Maximum characters of stored output; beyond it the middle is dropped."""
_LAST = 2_000


def run(found: Classified, context: ToolContext, timeout_s: float, in_process: str = "") -> dict[str, Any]:
    """Run a command or a line and return its result.

    `in_process` is the id of a background process whose localhost it shares.
    """
    course = Course(found, context, timeout_s, in_process)
    return course.run()


def _pipelines(parts: Sequence[Classified]) -> Iterator[tuple[Classified, ...]]:
    """Yield the groups of commands that run at the same time, joined by pipes."""
    together: list[Classified] = []
    for part in parts:
        if together and (part.line is None or part.line.joint != "|"):
            yield tuple(together)
            together = []
        together.append(part)
    yield tuple(together)


@define(eq=False, repr=False)
class Course:
    """Progress of one line: what ran so far, and with what result."""

    found: Classified
    context: ToolContext
    timeout_s: float
    in_process: str = ""
    trial: TrialFolder | None = None
    began: float = field(init=False, factory=time.monotonic)
    last: Ran | None = field(init=False, default=None)
    level: int = field(init=False, default=3)
    texts: list[str] = field(init=False, factory=list)
    notes: list[str] = field(init=False, factory=list)
    programs: list[Mapping[str, Any]] = field(init=False, factory=list)
    is_cut: bool = field(init=False, default=False)
    show: Callable[[bytes], None] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.show = _shown_by(self.context.emit)  # a dry run shows nothing before its end

    def run(self) -> dict[str, Any]:
        """Run the whole line and return its result."""
        for pipeline in _pipelines(self.found.commands):
            self.go_on(pipeline)
        return self.result()

    def go_on(self, pipeline: Sequence[Classified]) -> None:
        """Run the next pipeline, unless the exit code of the previous one skips it."""
        joint = pipeline[0].line.joint if pipeline[0].line is not None else ""
        if self.last is not None and joint == ("&&" if self.last.exit_code != 0 else "||"):
            self.notes += [f"{self._named(part)}: did not run" for part in pipeline]
            return
        left_s = self.timeout_s - (time.monotonic() - self.began)
        if left_s <= 0:
            raise self._too_slow()
        try:
            prepared = [prepare(part, self.context, loopback=bool(self.in_process)) for part in pipeline]
            ran = self._run(pipeline, prepared, left_s)
        except ToolFailed as error:
            if self.last is None:
                raise
            told = f"{self._named(pipeline[0])}: {error.message}; the commands before it have run"
            raise ToolFailed(error.code, told, error.remedy) from None
        self._take(pipeline, prepared, ran)
        if ran.timed_out:
            raise self._too_slow()

    def _run(self, pipeline: Sequence[Classified], prepared: Sequence[Prepared], left_s: float) -> Ran:
        workspace, cwd = self.context.workspace, self.found.folder or "."
        (words, rights, _), line = prepared[0], pipeline[0].line
        is_plain = len(pipeline) == 1 and (line is None or (line.output, line.errors) == ("out", "err"))
        if self.trial is not None:
            tries = able(workspace, TriesPrograms)
            if tries is None:
                raise ToolFailed("execution", "this workspace has no copies to try a command in", "run it instead")
            programs = piped(pipeline, prepared)
            return tries.try_piped(programs, cwd=cwd, trial=self.trial, timeout_s=left_s, merged=True)
        if is_plain and not self.in_process:
            return workspace.run(words, rights, cwd=cwd, timeout_s=left_s, merged=True, on_output=self.show)
        joins = able(workspace, RunsPiped)
        if joins is None:
            raise ToolFailed("execution", "this workspace does not support pipes", "run one command a call")
        more: dict[str, Any] = {"in_process": self.in_process} if self.in_process else {}
        programs = piped(pipeline, prepared)
        return joins.run_piped(programs, cwd=cwd, timeout_s=left_s, merged=True, on_output=self.show, **more)

    def _take(self, pipeline: Sequence[Classified], prepared: Sequence[Prepared], ran: Ran) -> None:
        self.last = ran
        self.level = min(self.level, ran.level)
        text, is_cut = _cut(ran.output.decode("utf-8", "replace"))
        self.texts.append(text)
        self.is_cut = self.is_cut or is_cut or ran.truncated
        self.notes += dict.fromkeys([*ran.notes, *(left_out for _, _, left_out in prepared if left_out)])
        ended = ran.ended or ((ran.exit_code, ran.signal),)
        for part, (words, _, _), (code, killed_by) in zip(pipeline, prepared, ended, strict=True):
            self.programs.append({"argv": list(words), "exit_code": code})
            if killed_by != signal.SIGPIPE or part is pipeline[-1]:
                self.notes += self._ending(part, code, killed_by)

    def _ending(self, part: Classified, code: int | None, killed_by: int) -> Iterator[str]:
        """Yield the notes on how a command ended; within a line they name the command."""
        meaning = part.exits.get(code or 0, "")
        if self.found.parts and (code != 0 or killed_by):
            how = f"killed by {signal_name(killed_by)}" if killed_by else f"exit code {code}"
            yield f"{self._named(part)}: {how}" + (f": {meaning}" if meaning else "")
        elif killed_by:
            yield f"killed by {signal_name(killed_by)}"
        elif code and meaning:
            yield f"exit code {code}: {meaning}"

    def _named(self, part: Classified) -> str:
        return place(self.found.commands, part)

    def result(self) -> dict[str, Any]:
        """Return the result of the whole line."""
        assert self.last is not None
        text, is_cut = _cut("".join(self.texts))
        if is_cut or self.is_cut:
            self.notes.append("the middle of the output was dropped")
        found = {
            "argv": list(self.last.argv),
            "exit_code": self.last.exit_code,
            "output": text,
            "level": self.level,
            "tier": self.found.tier,
            "note": "; ".join(self.notes) or None,
        }
        return {**found, "argv": [self.found.text], "parts": self.programs} if self.found.parts else found

    def _too_slow(self) -> ToolFailed:
        whole = "".join(self.texts)
        last = whole[start_from(whole, max(len(whole) - _LAST, 0)) :].strip()
        said = f"; its last output was\n{last}" if last else " and wrote nothing"
        longer = f"run less of it, or give timeout_s up to {LONGEST_S}"
        remedy = "run less of it" if self.timeout_s >= LONGEST_S else longer
        told = f"{self.found.text} did not finish within {self.timeout_s:g} s{said}"
        return ToolFailed("timeout", told, remedy)


Prepared = tuple[tuple[str, ...], Rights, str]


def piped(pipeline: Sequence[Classified], prepared: Sequence[Prepared]) -> list[Piped]:
    """Return the programs of a pipeline in the form that a workspace runs."""
    return [
        Piped(words, rights, *(() if part.line is None else (part.line.output, part.line.errors)))
        for part, (words, rights, _) in zip(pipeline, prepared, strict=True)
    ]


def prepare(found: Classified, context: ToolContext, *, loopback: bool = False) -> Prepared:
    """Return the words and rights with which a command runs, and notes on omissions, after checking the workspace.

    With `loopback` of a process it has no other network, whatever the user granted.
    """
    words, rights, left_out = _prepared(found, context)
    if loopback and (rights.network or rights.hosts):
        rights = evolve(rights, network=False, hosts=())
        left_out = "; ".join(filter(None, (left_out, "it had loopback alone, not the network that it was granted")))
    return words, rights, left_out


def _prepared(found: Classified, context: ToolContext) -> Prepared:
    workspace, folder = context.workspace, found.folder
    workspace_check.require_inside(
        workspace, found.rule, [posixpath.join(folder, path) if path else "" for path in found.paths]
    )
    if found.tier == "read-only":
        argv, rights, left_out = found.argv, found.rights, ""
        if found.argv[0] == "git" and found.rule != "git --version":
            repository = workspace_check.repository_of(workspace)
            rights = workspace_check.without_filters(workspace, repository)
            argv = git_scopes.scoped(found.rule, found.words, repository.root) if repository.prefix else argv
        if found.options_end:
            argv, left_out = secret_files.passing_over(
                found.rule, argv, found.options_end, posixpath.join(workspace.root, folder)
            )
        return argv, rights, left_out
    if reader := git_writes.reader_of(found.argv, workspace.root):
        repository = workspace_check.repository_of(workspace)
        return found.argv, *git_writes.prepared(reader, workspace, repository)
    # A person's approval applies to what was asked, and to the program that they meant, not to one that the workspace
    # brings.
    chosen = (context.rights or {}) if found.tier != "granted" else {}
    if found.tier in ("asked", "workspace") and change_of(workspace.root) and changes_repository(found):
        chosen = {**chosen, REPOSITORY.name: ()}
    rights = put_together(found, chosen)
    if context.rights is None and found.tier != "granted":  # no person has seen it
        rights = evolve(rights, steers=False)
    runs_workspace = found.tier == "workspace" or (is_known(found.argv[0]) and not rights.home)
    folders = workspace_check.own_folders(workspace, folder) if runs_workspace else ()
    program = workspace_check.own_program(workspace, found.argv[0], folders)
    if folder and program != found.argv[0]:
        program = posixpath.join(workspace.root, program)
    env = {**workspace_check.own_variables(workspace.root, folders), **workspace_check.passed_on(found.passes)}
    left_out = ""
    if found.tier == "asked" or chosen:
        rights, left_out = workspace_check.without_orders(workspace, found.argv, rights, folder)
    return (program, *found.argv[1:]), evolve(rights, env={**env, **rights.env}), left_out


def _shown_by(emit: Callable[[str], None]) -> Callable[[bytes], None]:
    """Return a decoder for pieces of output, which may split a character."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def show(piece: bytes) -> None:
        text = decoder.decode(piece)
        if text:
            emit(text)

    return show


def _cut(text: str) -> tuple[str, bool]:
    left = len(text) - MOST_CHARACTERS
    if left <= 0:
        return text, False
    head = MOST_CHARACTERS * 3 // 4
    end, start = end_from(text, head), start_from(text, head + left)
    if start <= end:
        return text, False
    return f"{text[:end]}\n… {start - end} characters left out …\n{text[start:]}", True

"""Contract tests for tools, to inherit. Running them requires pytest, importing does not."""

from __future__ import annotations

import asyncio
import copy
import io
import json
import os
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from inarch.contract.approval_records import RightsOffer
from inarch.contract.capabilities import (
    AsksInParts,
    Choosy,
    Edits,
    NeedsRoom,
    OffersRights,
    Previews,
    SaysWhatAllows,
    Shaped,
    able,
)
from inarch.contract.codec import from_data, to_data
from inarch.contract.errors import ToolFailed
from inarch.contract.ports import Tool
from inarch.contract.records import Effects, ToolResult
from inarch_sdk.port_checks import fault_of
from inarch_testing.apps import write_files
from inarch_testing.model_bench import tasks_left
from inarch_testing.scripted import NASTY_TEXTS
from inarch_testing.tool_bench import PLUGIN, ToolBench, in_json, snapshot, text_arguments, tool_bench

Arguments = Mapping[str, Any]
LONGEST_DESCRIPTION = 2_000


class ToolContract(ABC):
    """Tests of a tool, called in a session over a real workspace.

        class TestShout(ToolContract):
            valid = ({"text": "a"}, {"text": "ü"})

            def make(self):
                return shout

    Attributes:
        valid: Arguments of successful calls; required.
        invalid: Further arguments that the schema must reject; wrong types and missing ones are always tested.
        failing: Arguments that fit the schema but must fail, with a code and a remedy.
        slow: Arguments of a call that takes long, for the tests of cancelling and timeouts.
        files: Path to text or bytes of the workspace's files before each call.
        settings: The value of `context.settings`.
        repeatable: Whether the same arguments always give the same data.
        grace_s: Seconds within which a stopped call must have ended.
    """

    valid: tuple[Arguments, ...] = ()
    invalid: tuple[Arguments, ...] = ()
    failing: tuple[Arguments, ...] = ()
    slow: Arguments | None = None
    files: Mapping[str, str | bytes] = {}
    settings: Any = MappingProxyType({})
    repeatable: bool = False
    grace_s: float = 30.0

    @abstractmethod
    def make(self) -> Tool:
        """Return the tool."""

    def prepare(self, folder: Path) -> None:
        """Fill the workspace's empty folder; writes `files` unless it is overridden."""
        write_files(folder, self.files)

    def bench(self, tmp_path: Path, **replaced: Any) -> AbstractContextManager[ToolBench]:
        """Compose an application with the tool in it."""
        assert self.valid, "give `valid`: a tuple of mappings of arguments with which a call succeeds"
        return tool_bench(self.make(), tmp_path, self.prepare, self.settings, **replaced)

    def test_name_description_and_options_fit(self, tmp_path: Path) -> None:
        """The kernel accepts the tool, and a model can read its purpose."""
        tool = self.make()
        assert not (fault := fault_of("tools", tool)), fault
        size = len(tool.description)
        assert size <= LONGEST_DESCRIPTION, f"the description has {size} characters; every request carries it: shorten"
        assert tool.description.replace("\n", " ").isprintable(), "the description has control characters; remove them"

    def test_what_it_offers_beyond_the_port_fits(self, tmp_path: Path) -> None:
        """Each of its capabilities returns what the kernel expects; a refusal is a `ToolFailed`."""
        tool = self.make()
        for arguments in self.valid:
            said = [
                *([shaped.shape(arguments)] if (shaped := able(tool, Shaped)) else ()),
                *([seen.preview(arguments)] if (seen := able(tool, Previews)) else ()),
                *([own.allowed_by(arguments)] if (own := able(tool, SaysWhatAllows)) else ()),
            ]
            strange = [one for one in said if not (one is None or isinstance(one, str))]
            assert not strange, f"it says {strange[0]!r:.80} of {arguments!r:.200}: return text or None"
            if (asking := able(tool, AsksInParts)) is not None:
                assert all(type(place) is int for place in asking.asking(arguments)), "asking gives places from 0"
            if (offering := able(tool, OffersRights)) is not None:
                with suppress(ToolFailed):
                    offer = offering.rights(arguments, {})
                    assert offer is None or isinstance(offer, RightsOffer), f"rights gave {offer!r:.80}"
        if (choosy := able(tool, Choosy)) is not None:
            assert isinstance(choosy.offered("provider/name"), bool), "offered(model) says True or False"
        if (editable := able(tool, Edits)) is not None:
            assert editable.text == "" or editable.text in tool.input_schema["properties"], "text names an argument"
        if (needing := able(tool, NeedsRoom)) is not None:
            assert type(needing.least_window) is int and needing.least_window >= 0, "least_window counts tokens"

    def test_schemas_are_valid_and_the_valid_arguments_fit(self, tmp_path: Path) -> None:
        """JSON Schema 2020-12, an object with named properties."""
        from jsonschema import Draft202012Validator
        from jsonschema.validators import validator_for

        tool = self.make()
        for schema in (dict(schema) for schema in (tool.input_schema, tool.output_schema) if schema is not None):
            validator_for(schema, default=Draft202012Validator).check_schema(schema)
        assert self.valid, "give `valid`: a tuple of mappings of arguments with which a call succeeds"
        json.dumps(to_data(tool.input_schema))
        for arguments in self.valid:
            faults = [error.message for error in Draft202012Validator(dict(tool.input_schema)).iter_errors(arguments)]
            assert not faults, f"`valid` has {arguments!r:.200}, which input_schema refuses: {faults[0]}"

    def test_valid_arguments_succeed(self, tmp_path: Path) -> None:
        """Each call runs in a fresh workspace."""
        with self.bench(tmp_path) as bench:
            for arguments in self.valid:
                result = bench.result(arguments)
                assert result.success, f"{arguments!r:.200} should succeed, but: {_said(result, bench)}"

    def test_the_result_is_plain_json_that_fits_the_output_schema(self, tmp_path: Path) -> None:
        """It is stored, sent and shown as JSON, and survives the conversion."""
        from jsonschema import Draft202012Validator

        with self.bench(tmp_path) as bench:
            for arguments in self.valid:
                result = bench.result(arguments)
                assert result.success, f"{arguments!r:.200}: return JSON data: {_said(result, bench)}"
                again = from_data(ToolResult, json.loads(in_json(result)))
                assert again == result, f"{arguments!r:.200}: the result is not the same after JSON: return plain data"
                schema = bench.tool.output_schema
                if schema is not None and not result.metadata.get("truncated"):
                    faults = [error.message for error in Draft202012Validator(dict(schema)).iter_errors(result.data)]
                    assert not faults, f"{arguments!r:.200}: the result is against output_schema: {faults[0]}"

    def test_wrong_arguments_are_refused_and_the_tool_does_not_run(self, tmp_path: Path) -> None:
        """The schema rejects missing, unknown and wrongly typed arguments, and the kernel answers `validation`."""
        with self.bench(tmp_path) as bench:
            wrong = [*self.invalid, {**self.valid[0], "argument_that_is_not_there": 1}, *self._wrong(bench.tool)]
            for arguments in wrong:
                result = bench.result(arguments, fresh=False)
                code = result.error.code if result.error else "success"
                assert code == "validation", (
                    f"{arguments!r:.200} should be refused with `validation`, not {code}: say in input_schema what is "
                    "required, of which type, and additionalProperties false"
                )
            assert not bench.tool.runs, "the tool ran with arguments that its schema refuses"

    def test_any_text_in_any_argument_is_answered(self, tmp_path: Path) -> None:
        """The call returns a result or a `ToolFailed`, never another exception."""
        with self.bench(tmp_path) as bench:
            for text in NASTY_TEXTS:
                for name, value in text_arguments(bench.tool.input_schema, text):
                    _answered(bench, {**self.valid[0], name: value})

    def test_failures_have_a_code_and_a_remedy(self, tmp_path: Path) -> None:
        """`ToolFailed(code, message, remedy)` says what is wrong and what to do instead."""
        with self.bench(tmp_path) as bench:
            for arguments in self.failing:
                error = _answered(bench, arguments, fresh=True).error
                assert error is not None, f"{arguments!r:.200} should fail, and succeeded"
                assert error.message.strip(), f"{arguments!r:.200}: say in the message what is wrong"
                assert error.remedy.strip(), f"{arguments!r:.200}: give ToolFailed a remedy, what to do instead"

    def test_effects_are_pure_and_inside_the_workspace(self, tmp_path: Path) -> None:
        """They are computed before the call, several times, and order the calls."""
        tool = self.make()
        for arguments in self.valid:
            given = copy.deepcopy(dict(arguments))
            effects = tool.effects(given)
            assert isinstance(effects, Effects), f"effects({arguments!r:.200}) gave {effects!r:.80}: return an Effects"
            assert given == arguments, "effects changed its arguments: copy them first"
            assert tool.effects(copy.deepcopy(dict(arguments))) == effects, "effects differ between two calls"
            for path in effects.reads | effects.writes:
                parts = path.split("/")
                inside = ".." not in parts and "\\" not in path and not path.startswith(("/", "~"))
                assert inside, f"effects name {path!r}: paths are relative to the workspace, with / and without .."

    def test_only_what_is_declared_is_written(self, tmp_path: Path) -> None:
        """Approvals, the order of calls and undo depend on `effects`."""
        with self.bench(tmp_path) as bench:
            for arguments in self.valid:
                bench.reset()
                before, beside = snapshot(bench.root), _names(tmp_path)
                effects = bench.tool.effects(dict(arguments))
                result = bench.result(arguments, fresh=False)
                assert _names(tmp_path) == beside, "files were written beside the workspace; use context.state"
                after = snapshot(bench.root)
                changed = [path for path in before | after if before.get(path, ...) != after.get(path, ...)]
                undeclared = [path for path in changed if not _declared(effects, path, after)]
                assert not undeclared, f"{undeclared} changed and effects doesn't declare it among writes"
                refusal = result.error.message if result.error else ""
                assert "declare" not in refusal, f"declare in effects what the call writes: {refusal}"

    def test_only_what_is_declared_is_read(self, tmp_path: Path) -> None:
        """Otherwise another call may write it at the same time."""
        with self.bench(tmp_path) as bench:
            for arguments in self.valid:
                effects = bench.tool.effects(dict(arguments))
                bench.result(arguments)
                reach = effects.reads | effects.writes
                read = {path for run in bench.tool.runs[-1:] for path in run.read}
                undeclared = [path for path in read if not effects.exclusive and not _covered(path, reach)]
                assert not undeclared, f"{undeclared} was read and effects doesn't declare it among reads"

    def test_a_cancelled_call_ends(self, tmp_path: Path) -> None:
        """Threads check `context.cancelled`; coroutines let `CancelledError` pass."""
        with self.bench(tmp_path) as bench:

            async def go() -> None:
                task = asyncio.create_task(bench.call(self.slow or self.valid[0]))
                while not bench.tool.runs and not task.done():  # noqa: ASYNC110 - it may begin in a thread
                    await asyncio.sleep(0.001)
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

            asyncio.run(go())
            self._ended(bench, "after it was cancelled")

    def test_a_call_beyond_its_time_limit_ends(self, tmp_path: Path) -> None:
        """After `timeout_s` the call is stopped like a cancelled one."""
        with self.bench(tmp_path, timeout_s=0.05) as bench:
            result = bench.result(self.slow or self.valid[0])
            if self.slow is not None:
                code = result.error.code if result.error else "success"
                assert code == "timeout", f"`slow` should take longer than 0.05 s, and gave {code}"
            self._ended(bench, "after its time limit")

    def test_nothing_is_left_running(self, tmp_path: Path) -> None:
        """No task or thread delays the exit."""
        with self.bench(tmp_path) as bench:
            threads = set(threading.enumerate())

            async def go() -> list[str]:
                await bench.call(self.valid[0])
                return await tasks_left(self.grace_s)

            left = asyncio.run(go())
            assert not left, f"tasks still run after the call: {left}; await or cancel them"
            deadline = time.monotonic() + self.grace_s
            while (new := _lasting(threads)) and time.monotonic() < deadline:
                time.sleep(0.005)
            assert not new, f"threads still run after the call: {new}; join them"

    def test_nothing_is_printed_and_the_surroundings_stay(self, tmp_path: Path) -> None:
        """Standard output belongs to the front end; the process shares working directory and environment."""
        out = io.StringIO()
        with self.bench(tmp_path) as bench:
            before = Path.cwd(), dict(os.environ), list(sys.path)
            with redirect_stdout(out), redirect_stderr(out):
                for arguments in self.valid:
                    bench.result(arguments)
            after = Path.cwd(), dict(os.environ), list(sys.path)
            os.chdir(before[0])
        assert not out.getvalue(), f"the tool printed {out.getvalue()!r:.200}: return it, or use context.emit"
        assert after == before, "the tool changed the working directory, the environment or sys.path"

    def test_the_same_call_gives_the_same_again(self, tmp_path: Path) -> None:
        """If `repeatable` is set, earlier calls have no effect."""
        with self.bench(tmp_path) as bench:
            for arguments in self.valid if self.repeatable else ():
                first = bench.result(arguments).data
                assert bench.result(arguments).data == first, f"{arguments!r:.200} gives something else when repeated"

    def _wrong(self, tool: Any) -> Iterator[Arguments]:
        """Yield arguments that the schema must reject: one is missing or of a wrong type."""
        properties = tool.input_schema.get("properties", {})
        for name in tool.input_schema.get("required", ()):
            yield {key: value for key, value in self.valid[0].items() if key != name}
        for name, schema in properties.items():
            if _typed(schema):
                yield {**self.valid[0], name: {"wrong": [object.__name__]} if not _is(schema, "object") else [[]]}

    def _ended(self, bench: ToolBench, when: str) -> None:
        for run in bench.tool.runs:
            ended = run.ended.wait(self.grace_s) and not isinstance(run.error, GeneratorExit)
            assert ended, (
                f"the tool continued {when}: check context.cancelled in loops, let CancelledError pass, and give "
                "waits a timeout"
            )


def _typed(schema: Any) -> bool:
    return isinstance(schema, Mapping) and any(word in schema for word in ("type", "enum", "anyOf"))


def _is(schema: Mapping[str, Any], kind: str) -> bool:
    return kind in json.dumps(to_data(schema))


def _said(result: ToolResult, bench: ToolBench) -> str:
    run = bench.tool.runs[-1] if bench.tool.runs else None
    raised = f" (it raised {run.fault!r:.200})" if run is not None and run.fault is not None else ""
    return f"{result.error}{raised}"


def _answered(bench: ToolBench, arguments: Arguments, *, fresh: bool = False) -> ToolResult:
    """Call the tool and check the answer: success, or a reported failure."""
    result = bench.result(arguments, fresh=fresh)
    return _told(bench, result, f"{arguments!r:.200}: ")


def _told(bench: ToolBench, result: ToolResult, what: str = "") -> ToolResult:
    for run in bench.tool.runs:
        assert run.fault is None, f"{what}the tool raised {run.fault!r:.300}; raise ToolFailed(code, message, remedy)"
    in_json(result)
    if result.error is not None:
        message = result.error.message
        assert message.strip(), f"{what}the failure has no message"
        assert f"plugin {PLUGIN!r}" not in message, f"{what}{message}"
    return result


def _declared(effects: Effects, path: str, after: Mapping[str, bytes | None]) -> bool:
    """Return whether a change is declared; folders that are created or removed with their files need no declaration."""
    if effects.exclusive or _covered(path, effects.writes):
        return True
    return after.get(path, None) is None and any(one.startswith(f"{path}/") for one in effects.writes)


def _covered(path: str, declared: Collection[str]) -> bool:
    """Return whether a path is at or below a declared one; one with `..` covers everything."""
    return any(".." in one.split("/") or PurePosixPath(path).is_relative_to(one) for one in declared)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in ("home", "cache", "state"))


def _lasting(before: set[threading.Thread]) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread not in before and not thread.daemon]

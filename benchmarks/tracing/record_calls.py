"""Record which functions of a project call which, while a program (its tests, say) runs.

    python benchmarks/tracing/record_calls.py --root FOLDER --pkg src/shop --out shop.json -m pytest tests

Words of the program that begin with a dash stand behind two: `-m pytest -- -q tests`.

An edge leads from the nearest function of the project on the stack to the function called: `direct` where nothing
foreign stands between them, `via` where something does. Chains are the project's functions on the stack, the entry
first, when a function was first called; beside each stands how many foreign frames came before it. Names are
`package.module.Class.method`, nested functions without `<locals>`, comprehensions part of what they stand in.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import runpy
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

FUNCTION, MODULE, CLASS, COMPREHENSION = "function", "module", "class", "comprehension"
_COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>")
_GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_FIRST_RESUME = 8
"""A generator whose last instruction lies behind this one is resumed, not called."""


class Name(NamedTuple):
    """A code object of the project."""

    qualname: str
    kind: str
    is_generator: bool
    file: str
    line: int


class Recorder:
    """Sees every call of the process through `sys.setprofile`."""

    def __init__(self, root: str, packages: list[str]) -> None:
        self.root = os.path.join(os.path.realpath(root), "")
        self.folders = tuple(self.root + package for package in packages)
        self.names: dict[CodeType, Name | None] = {}
        self.edges: dict[tuple[str, str], list[Any]] = {}
        self.chains: dict[str, list[list[Any]]] = {}

    def saw(self, frame: FrameType, event: str, arg: object) -> None:
        """Take one event of the profiler."""
        if event != "call":
            return
        callee = self.name(frame.f_code)
        if callee is None or callee.kind != FUNCTION or (callee.is_generator and frame.f_lasti > _FIRST_RESUME):
            return
        self._edge(frame, callee)
        if callee.qualname not in self.chains:
            self.chains[callee.qualname] = self._chain(frame, callee)

    def _edge(self, frame: FrameType, callee: Name) -> None:
        between, above = 0, frame.f_back
        while above is not None and (caller := self.name(above.f_code)) is None:
            between, above = between + 1, above.f_back
        if above is None or caller is None or caller.kind == CLASS:
            return
        edge = self.edges.setdefault((caller.qualname, callee.qualname), [False, callee.is_generator, 0])
        edge[0] = edge[0] or not between
        edge[2] += 1

    def _chain(self, frame: FrameType, callee: Name) -> list[list[Any]]:
        chain: list[list[Any]] = [[callee.qualname, None]]
        foreign, above = 0, frame.f_back
        while above is not None:
            name = self.name(above.f_code)
            if name is None:
                foreign += 1
            elif name.kind in (FUNCTION, MODULE):
                chain.append([name.qualname, foreign])
                foreign = 0
            above = above.f_back
        return chain[::-1]

    def name(self, code: CodeType) -> Name | None:
        """Give the name of a code object of the project, None for what is foreign."""
        if code not in self.names:
            self.names[code] = self._name(code)
        return self.names[code]

    def _name(self, code: CodeType) -> Name | None:
        file = code.co_filename
        if not file.startswith(self.root):
            file = os.path.realpath(file)
        if not file.startswith(self.folders) or not file.endswith(".py"):
            return None
        inside = file[len(self.root) :]
        module = inside.removesuffix(".py").replace(os.sep, ".").removesuffix(".__init__")
        parts = code.co_qualname.replace(".<locals>", "").split(".")
        while parts and parts[-1] in (*_COMPREHENSIONS, "<module>"):
            parts.pop()
        is_generator = bool(code.co_flags & _GENERATOR)
        return Name(".".join([module, *parts]), _kind(code), is_generator, inside, code.co_firstlineno)


def _kind(code: CodeType) -> str:
    if code.co_name == "<module>":
        return MODULE
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return CLASS
    return COMPREHENSION if code.co_name in _COMPREHENSIONS else FUNCTION


def run(recorder: Recorder, module: str | None, words: list[str]) -> object:
    """Run a module or a script under the recorder and return its exit code."""
    threading.setprofile(recorder.saw)
    sys.setprofile(recorder.saw)
    try:
        if module:
            sys.argv = [module, *words]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        else:
            sys.argv = words
            sys.path.insert(0, str(Path(words[0]).parent.resolve()))
            runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        return end.code
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return 0


def main() -> None:
    """Record one program and write what was seen."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", required=True, help="folder that qualified names begin in")
    parser.add_argument("--pkg", required=True, help="folders of the project inside it, with commas")
    parser.add_argument("--out", required=True)
    parser.add_argument("-m", dest="module")
    parser.add_argument("words", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    words = given.words[1:] if given.words[:1] == ["--"] else given.words
    recorder = Recorder(given.root, given.pkg.split(","))
    code = run(recorder, given.module, words)
    edges = (
        [caller, callee, "direct" if direct else "via", "gen" if generator else "plain", count]
        for (caller, callee), (direct, generator, count) in recorder.edges.items()
    )
    functions = (name for name in recorder.names.values() if name is not None and name.kind == FUNCTION)
    found = {
        "pkg": given.pkg,
        "edges": sorted(edges),
        "chains": dict(sorted(recorder.chains.items())),
        "functions": {name.qualname: [name.file, name.line] for name in functions},
    }
    Path(given.out).write_text(json.dumps(found, indent=0), encoding="utf-8")
    print(f"{given.out}: {len(recorder.edges)} edges, {len(recorder.chains)} functions, exit code {code}")


if __name__ == "__main__":
    main()

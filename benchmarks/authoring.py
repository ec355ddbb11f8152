"""A plugin's author: lines of the smallest working tool, and three commands to a tested plugin in use.

Run with `python benchmarks/authoring.py`; it makes a new virtual environment in a temporary folder, installs this
checkout and pytest there (which may fetch what they need), and prints one line for each figure.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
import venv
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "contrib" / "inarch-word-count"
KINDS = ("tool", "model", "strategy", "store", "tracer")
USES: Mapping[str, tuple[tuple[str, ...], dict[str, str], str]] = {
    "tool": (("tools", "call", "{function}", '{"text": "hello"}'), {}, '"data": "HELLO!"'),
    "model": (("--model", "{name}", "hello there"), {}, "hello there"),
    "strategy": (("which files are there?",), {"INARCH_STRATEGY": "{name},native"}, ""),
    "store": (("hello there",), {"INARCH_STORE": "{name}"}, ""),
    "tracer": (("which files are there?",), {}, "list_files 1"),
}
"""Words, variables and what is printed when a new plugin of each kind is used."""


def lines(path: Path) -> int:
    """Count the lines that say something."""
    return sum(bool(line.strip()) for line in path.read_text("utf-8").splitlines())


def environment(folder: Path) -> Path:
    """Make an environment with this checkout and pytest in it; return the folder of its programs."""
    venv.create(folder, with_pip=True, symlinks=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-e", str(ROOT), "pytest"], check=True)
    return folder / "bin"


class Author:
    """Works in a folder, with an environment's programs and a home of its own."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder = folder
        self.programs = programs
        home = folder / "home"
        home.mkdir()
        self.environ = {"PATH": os.pathsep.join([str(programs), os.environ["PATH"]]), "HOME": str(home)}

    def calls(self, *words: str, **variables: str) -> tuple[float, str]:
        """Run a command and return its seconds and what it printed."""
        program, *rest = words
        argv = (
            [str(self.programs / "python"), "-m", "pytest"] if program == "pytest" else [str(self.programs / program)]
        )
        start = time.perf_counter()
        done = subprocess.run(
            [*argv, *rest],
            cwd=self.folder,
            env=self.environ | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        took = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"{' '.join(words)} gave {done.returncode}:\n{done.stdout}{done.stderr}")
        return took, done.stdout + done.stderr

    def starts(self, kind: str) -> None:
        """Make, test and use a plugin: three commands."""
        name = "shout" if kind == "tool" else f"my-{kind}"
        function = name.replace("-", "_")
        made, _ = self.calls("inarch", "plugins", "new", name, "--kind", kind)
        tested, told = self.calls("pytest", f"inarch-{name}")
        words, variables, expected = USES[kind]
        places = {"{name}": name, "{function}": function}
        filled = [places.get(word, word) for word in words]
        more = {key: value.replace("{name}", name) for key, value in variables.items()}
        file = f"inarch-{name}/inarch_{function}.py"
        used, answer = self.calls("inarch", "--plugin", file, *filled, **more)
        if expected not in answer:
            raise SystemExit(f"{kind}: {expected!r} is not in {answer!r}")
        passed = next((line for line in told.splitlines() if " passed" in line), "")
        count = passed.partition(" passed")[0].split(" ")[-1]
        print(
            f"{kind}: 3 commands: new {made:.2f} s, {count} tests {tested:.2f} s, used {used:.2f} s; "
            f"together {made + tested + used:.2f} s"
        )


def main() -> None:
    module, project = lines(EXAMPLE / "inarch_word_count.py"), lines(EXAMPLE / "pyproject.toml")
    print(f"smallest tool: {module} lines of Python, {project} of TOML (reach 10 + 5)")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        programs = environment(place / "venv")
        author = Author(place, programs)
        for kind in KINDS:
            author.starts(kind)


if __name__ == "__main__":
    main()

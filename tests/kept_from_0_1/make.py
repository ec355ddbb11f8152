"""Makes what is kept here: what a person has on disk who used Inarch 0.1.0.

It was run once, with 0.1.0 installed, and refuses to run with any other version:

    python tests/kept_from_0_1/make.py

The tests read what it made with the code of today. A store, a log or an approval names the folder it was made in; here
that is always `/tmp/kept/project`, which the tests replace by their own.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
PLACE = Path("/tmp/kept")
PROJECT = PLACE / "project"
LONG = 10_000
FILES = {
    "README.md": "# shop\n\nSells apples by the basket.\n",
    "Makefile": "made.txt:\n\techo made > made.txt\n",
    "notes.txt": "one\ntwo\n",
    "old.txt": "nobody reads this\n",
    "count.txt": "|\n",
    "shop/__init__.py": '"""A shop for apples."""\n',
    "shop/greeting.py": 'GREETING = "Moin"\n',
    "shop/basket.py": "def weigh(apples: int) -> int:\n    return apples * 150\n\n\ndef pay():\n    return weigh(2)\n",
    ".inarch/config.toml": '[commands.made]\nargv = ["make", "made.txt"]\n',
}
CONFIG = '[profiles.default]\nmodel = "speaking/words"\n'


def environ(home: Path) -> dict[str, str]:
    """Return an environment whose home, with configuration, state and caches, is this folder."""
    places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "STATE", "CACHE")}
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(home), **places}


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def run(home: Path, *words: str, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "inarch", *words],
        cwd=PROJECT,
        env=environ(home) | more,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    print(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def ask(home: Path, prompt: str, *words: str, **more: str) -> None:
    run(home, "ask", prompt, "--plugin", str(PLACE / "speaking.py"), "--quiet", *words, **more)


def newest(home: Path) -> str:
    return run(home, "sessions", "list").split(" ", 1)[0]


def cancel(home: Path, prompt: str) -> None:
    """Cancel a turn as Ctrl-C does, while its answer is waited for."""
    words = ["ask", prompt, "--plugin", str(PLACE / "speaking.py"), "--output", "jsonl"]
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "inarch", *words],
        cwd=PROJECT, env=environ(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    while b'"model.requested"' not in child.stdout.readline():
        pass
    child.send_signal(signal.SIGINT)
    child.wait()


async def converse(home: Path, prompts: Sequence[str], approve: str, until: int = 0) -> None:
    """Have a conversation through the library, with a person who approves for good in this project."""
    import inarch

    class Yes:
        name = "yes"

        def show(self, event: inarch.Event) -> None:
            pass

        async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
            return [inarch.Approval(request.call.id, "approve", "project") for request in batch]

        def close(self) -> None:
            pass

    app = inarch.compose(
        root=PROJECT,
        files=[str(PLACE / "speaking.py")],
        flags={"approve": approve},
        without=["jsonl-logger"] if until else [],
        front_end=Yes(),
        environ=environ(home),
    )
    session = app.session()
    for prompt in prompts:
        await session.run(prompt)
    while until and app.store.sessions()[0].events < until:
        for number in range(20):
            await session.run("count up" if number == 0 else f"look around {number}")
    await app.aclose()


def type_lines(home: Path) -> None:
    """Keep two lines in the history of the prompt, which a terminal would have done."""
    os.environ.update(environ(home))
    from inarch.config.directories import state_dir
    from inarch_plugins.terminal.conversation.line_history import KeptHistory

    history = KeptHistory(str(PROJECT), lambda: state_dir(os.environ))
    history.hide_with(str)
    for line in ("greet in English", "/sessions"):
        history.store_string(line)


def make_everyday(home: Path) -> None:
    """Make what some days of work leave: sessions of every kind, approvals, trust, memory, caches."""
    write(home / "config" / "inarch", {"config.toml": CONFIG})
    run(home, "config", "trust", "--yes")
    ask(home, "greet in English", "--approve", "edits")
    ask(home, "tidy up", "--continue", "--approve", "edits")
    ask(home, "greet in French", "--continue", "--approve", "edits")
    run(home, "undo")
    ask(home, "look around again", "--continue")
    run(home, "sessions", "fork", newest(home), "--at", "1")
    ask(home, "list and count", "--approve", "ask")
    ask(home, "make the file", "--continue")
    ask(home, "remember the basket", "--approve", "all")
    ask(home, "trace the basket")
    ask(home, "what does it sell", INARCH_STRATEGY="structured,native")
    ask(home, "write what is not granted: tidy up", "--approve", "ask")
    cancel(home, "wait for it")
    asyncio.run(converse(home, ["greet in French", "make the file"], "ask"))
    type_lines(home)


def make_long(home: Path) -> None:
    """Make a session of ten thousand events."""
    write(home / "config" / "inarch", {"config.toml": CONFIG})
    asyncio.run(converse(home, ["look around"], "edits", LONG))


def pack(name: str) -> None:
    """Keep everything that is in the place, without a path or an owner of this machine."""

    def nobody(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return None if member.name.endswith(("/__pycache__", "-shm")) else member

    with tarfile.open(HERE / f"{name}.tar.xz", "w:xz", preset=9) as archive:
        for part in ("project", "home"):
            archive.add(PLACE / part, part, filter=nobody)


def note_configurations(home: Path) -> None:
    """Write down what 0.1.0 made of each configuration: what stands in it, and what it loads."""
    noted = {}
    for file in sorted((HERE / "configurations").glob("*.toml")):
        shown = json.loads(run(home, "config", "show", "--json", INARCH_CONFIG=str(file)))
        given = [key.rpartition(".")[2] for key, origin in shown["origins"].items() if origin["source"] != "built-in"]
        listed = json.loads(run(home, "plugins", "list", "--json", INARCH_CONFIG=str(file)))["plugins"]
        noted[file.name] = {
            "profile": {key: value for key, value in shown["profile"].items() if key in ("name", *given)},
            **{key: shown[key] for key in ("profiles", "plugins", "isolation", "commands", "rules")},
            "loaded": {plugin["name"]: plugin["tools"] for plugin in listed if plugin["state"] == "loaded"},
        }
    (HERE / "configurations" / "resolved.json").write_text(json.dumps(noted, indent=1) + "\n")


def write_distributions(home: Path) -> None:
    for kind in ("tool", "model", "strategy", "store", "tracer"):
        run(home, "plugins", "new", f"kept-{kind}", "--kind", kind, "--into", str(HERE / "distributions"))


def main() -> None:
    import inarch

    assert inarch.__version__ == "0.1.0", "what is kept here was made by 0.1.0"
    for name, make in (("everyday", make_everyday), ("long", make_long)):
        shutil.rmtree(PLACE, ignore_errors=True)
        write(PROJECT, FILES)
        shutil.copy(HERE / "speaking.py", PLACE)
        make(PLACE / "home")
        pack(name)
    shutil.rmtree(HERE / "distributions", ignore_errors=True)
    (HERE / "distributions").mkdir()
    write_distributions(PLACE / "home")
    shutil.rmtree(PROJECT / ".inarch")
    note_configurations(PLACE / "home")


if __name__ == "__main__":
    main()

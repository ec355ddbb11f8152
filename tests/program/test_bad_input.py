"""Words, settings, folders and plugins that are wrong: one line that says what, where and what to do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..forking import LONGEST_S
from .beside import beside

PROGRAM = (sys.executable, "-P", "-m", "inarch")
ASKED = "summarize this codebase"
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


def refused(done: Done, *said: str, code: int = 2) -> None:
    """Make sure that the run ended with one line that says all this."""
    assert (done.returncode, done.stdout) == (code, ""), done
    assert done.stderr.startswith("inarch: error: ") and done.stderr.count("\n") == 1, done.stderr
    for words in said:
        assert words in done.stderr, done.stderr


def answered(done: Done) -> None:
    assert done.returncode == 0, done
    assert done.stdout.strip() and "Traceback" not in done.stderr, done


@pytest.fixture
def configured(cli: Run, environ: dict[str, str]) -> Run:
    """Run the program with this text as the user's configuration file."""
    path = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"

    def run(text: str | bytes, *words: str, **extra: str) -> Done:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return cli(*(words or (ASKED,)), **extra)

    return run


@pytest.fixture
def without_rights(project: Path, environ: dict[str, str]) -> Run:
    """Run the program so that permissions count, also for root."""
    prefix: tuple[str, ...] = ()
    if os.geteuid() == 0:
        prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
        if not shutil.which("setpriv") or subprocess.run([*prefix, "true"], check=False).returncode:
            pytest.skip("root can't give its rights up here")

    def run(*words: str, **extra: str) -> Done:
        return subprocess.run(
            [*prefix, *PROGRAM, *words], cwd=project, env=environ | extra, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=LONGEST_S, check=False,
        )  # fmt: skip

    return run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("",), "there is nothing to ask"),
        (("--root", "", ASKED), "--root is empty"),
        (("--root", "nowhere", ASKED), "nowhere does not exist"),
        (("--root", "README.md", ASKED), "README.md is not a directory"),
        (("--root", "x" * 5000, ASKED), "can't be opened"),
        (("--profile", "nope", ASKED), "--profile: there is no profile 'nope' (known: default)"),
        (("--model", "gemni/x", "hi there"), "--model: no plugin provides the model 'gemni/x'"),
        (("--model", "ofline", "hi there"), "did you mean 'offline'?"),
        (("-p", "no:offlin", ASKED), "no plugin is called 'offlin' (did you mean 'offline'?)"),
        (("-p", "no:sandbox-fs", ASKED), "take -p no:sandbox-fs away"),
        (("--session", "0123", ASKED), "there is no session '0123'"),
    ],
)
def test_wrong_words_are_one_line(cli: Run, words: tuple[str, ...], said: str) -> None:
    refused(cli(*words), said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nprofil = 'x'", "config.toml:2: profil: unknown key (did you mean 'profile'?)"),
        ("[profiles.default]\nmodel = 'gemeni/x'", "config.toml:2: profiles.default.model: no plugin provides"),
        ("[profiles.default]\ndecision_model = 'a/b'", "config.toml:2: profiles.default.decision_model: no plugin"),
        ("[profiles.default]\nstore = 'sqlite'", "config.toml:2: profiles.default.store: no plugin provides the store"),
        ("[profiles.default]\nworkspace = 'nope'", "'nope' (known: sandbox-fs)"),
        ("[profiles.default]\nstrategy = 'natve'", "did you mean 'native'?"),
        ("[profiles.default]\nplugins = []", "add 'sqlite-store' to the profile's `plugins`"),
        ("[profiles.default]\nplugins = ['...', 'a', '...']", "not ['...', 'a', '...']"),
        ("[plugins.sandbox-fs]\nnope = 1", "config.toml:2: plugins.sandbox-fs.nope: unknown key"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_one_line_with_its_place(configured: Run, text: str | bytes, said: str) -> None:
    refused(configured(text), said)


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("INARCH_MODLE=x", "INARCH_MODLE: unknown variable (did you mean 'INARCH_MODEL'?)"),
        ("INARCH_MODEL=nope", "INARCH_MODEL: model: no plugin provides the model 'nope'"),
        ("INARCH_PROFILE=nope", "INARCH_PROFILE: there is no profile 'nope'"),
        ("INARCH_CONFIG=/nope", "INARCH_CONFIG: there is no file /nope"),
        ("INARCH_PLUGIN_SANDBOX_FS__NOPE=1", "INARCH_PLUGIN_SANDBOX_FS__NOPE: unknown setting"),
    ],
)
def test_a_wrong_variable_is_one_line_with_its_name(cli: Run, variable: str, said: str) -> None:
    name, _, value = variable.partition("=")
    refused(cli(ASKED, **{name: value}), said)


def test_config_check_finds_parts_that_no_plugin_provides_and_tells_each_once(configured: Run) -> None:
    done = configured("[profiles.default]\nmodel = 'gemeni/x'\nstore = 'nope'\n", "config", "check")
    assert done.returncode == 2
    assert [line.split(": ")[1] for line in done.stdout.splitlines()] == [
        "profiles.default.model", "profiles.default.store",
    ]  # fmt: skip
    assert beside(done.stderr) == ""


def test_a_session_of_another_directory_is_refused_while_that_is_there(cli: Run, project: Path, tmp_path: Path) -> None:
    session = json.loads(cli(ASKED, "--output", "json").stdout)["session_id"]
    other = tmp_path / "other"
    other.mkdir()
    refused(cli("--root", str(other), "--session", session, ASKED), f"is about {project}", "--root")
    project.rename(tmp_path / "moved")
    other.rename(project)  # where the program is started
    answered(cli("--root", str(tmp_path / "moved"), ASKED))
    project.rmdir()
    project.symlink_to(tmp_path / "moved")
    answered(cli("--session", session, ASKED))


def test_the_second_plugin_of_a_tool_name_is_left_out_and_a_flag_chooses(cli: Run, project: Path) -> None:
    for name in ("first", "second"):
        text = f'import inarch\n\n\n@inarch.tool\ndef shout(text: str) -> str:\n    """Shout."""\n    return "{name}"\n'
        (project / f"{name}.py").write_text(text)
    both = ("--plugin", "first.py", "--plugin", "second.py")
    done = cli(*both, "tools", "call", "shout", '{"text": "a"}')
    assert json.loads(done.stdout)["data"] == "first"
    assert "plugin 'second' was refused: claims the tool name 'shout'" in done.stderr
    assert "-p no:first" in done.stderr and done.stderr.count("\n") == 1
    other = cli(*both, "-p", "no:first", "tools", "call", "shout", '{"text": "a"}')
    assert (json.loads(other.stdout)["data"], other.stderr) == ("second", "")


def test_plugins_that_can_not_be_loaded_are_named_and_the_run_goes_on(cli: Run, project: Path) -> None:
    bodies = {
        "exits": "raise SystemExit(3)",
        "dies": "import os; os._exit(9)",
        "broken": "def (",
        "absent": "import nope",
    }
    for name, body in bodies.items():
        (project / f"{name}.py").write_text(body)
    done = cli(*(word for name in bodies for word in ("--plugin", f"{name}.py")), ASKED)
    answered(done)
    assert beside(done.stderr).count("\n") == len(bodies)
    for name in bodies:
        assert f"plugin {name!r} was refused: " in done.stderr


@pytest.mark.parametrize(
    "words", [(ASKED,), ("tools", "list"), ("sessions", "list"), ("config", "show"), ("config", "trust")]
)
def test_a_current_directory_that_is_gone(tmp_path: Path, environ: dict[str, str], words: tuple[str, ...]) -> None:
    (tmp_path / "gone").mkdir()
    script = 'cd "$0" && rmdir "$0" && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, str(tmp_path / "gone"), *PROGRAM, *words], env=environ, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=LONGEST_S, check=False,
    )  # fmt: skip
    refused(done, "--root")


def test_state_and_cache_that_can_not_be_written(without_rights: Run, environ: dict[str, str]) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        shutil.rmtree(environ[name], ignore_errors=True)
        Path(environ[name]).mkdir(mode=0o500)
    refused(without_rights(ASKED), "sessions.db", "Permission denied", "--no-journal", code=1)
    done = without_rights(ASKED, "--no-journal")
    answered(done)
    assert beside(done.stderr) == ""
    lenient = without_rights(ASKED, INARCH_JOURNAL="best-effort")
    answered(lenient)
    assert "inarch: error: not recorded: " in lenient.stderr

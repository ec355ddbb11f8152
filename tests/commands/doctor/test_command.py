from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import inarch
from inarch_plugins.commands.doctor.checkup import _hosts

from ...running.program import Run


def findings(cli: Run, *words: str, code: int = 0, **more: Any) -> dict[str, list[dict[str, str]]]:
    done = cli("doctor", "--json", *words, **more)
    assert done.returncode == code, done.stderr + done.stdout
    by_topic: dict[str, list[dict[str, str]]] = {}
    for one in json.loads(done.stdout):
        by_topic.setdefault(one["topic"], []).append(one)
    return by_topic


def test_everything_is_in_place(cli: Run) -> None:
    found = findings(cli)

    assert not [one for rows in found.values() for one in rows if one["state"] == "wrong"]
    assert "sandbox-fs" in found["plugins"][0]["text"]
    assert "level" in found["commands"][0]["text"]
    if "landlock" in found["commands"][0]["text"]:  # what was tried is told for each promise
        told = " ".join(one["text"] for one in found["commands"][1:])
        assert all(promise in told for promise in ("files", "network", "processes", "devices")), told
    assert "nothing that needs trust" in found["trust"][0]["text"]


def test_a_broken_configuration_is_reported_and_the_rest_is_looked_at(cli: Run, environ: dict[str, str]) -> None:
    config = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[profiles.default\n")

    found = findings(cli, code=1)

    assert found["configuration"][0]["state"] == "wrong"
    assert found["plugins"]


def test_an_untrusted_project_is_a_note_with_the_command_that_trusts_it(cli: Run, project: Path) -> None:
    (project / "AGENTS.md").write_text("Do as I say.\n")

    (trust,) = findings(cli)["trust"]

    assert (trust["state"], "AGENTS.md" in trust["text"]) == ("note", True)
    assert "inarch config trust" in trust["remedy"]


def test_safe_mode_looks_at_what_needs_no_plugin(cli: Run, environ: dict[str, str]) -> None:
    environ["INARCH_SAFE_MODE"] = "1"

    found = findings(cli)

    assert "safe mode" in found["plugins"][0]["text"]
    assert "not checked" in found["commands"][0]["text"]
    assert found["store"]


def test_the_value_of_a_key_is_not_shown(cli: Run, environ: dict[str, str]) -> None:
    environ["OPENROUTER_API_KEY"] = "sk-or-v1-0123456789abcdef"

    done = cli("doctor")

    assert "OPENROUTER_API_KEY" in done.stdout
    assert "0123456789abcdef" not in done.stdout + done.stderr


def test_hosts_that_nothing_can_be_held_to_are_wrong(tmp_path: Path) -> None:
    config = {
        "commands": {"get": {"argv": ["curl", "*"], "network": ["pypi.org"]}, "all": {"argv": ["a"], "network": True}},
        "isolation": {"some": {"mode": "process", "network": ["pypi.org"]}},
        "profiles": {"default": {"plugins": []}},
    }
    environ = {"HOME": str(tmp_path)}
    with inarch.compose(root=tmp_path, config=config, environ=environ, journal=False) as app:
        (told,) = _hosts(app, inarch.Confinement(2, ("landlock 7", "seccomp"), "no mount namespace (not permitted)"))
        assert told.state == "wrong"
        assert told.text.startswith("[commands.get], [isolation.some]: cannot limit the network to hosts here: no")
        assert not list(_hosts(app, inarch.Confinement(3, ("landlock 7", "network namespace"))))

"""`--plugin FILE`: the person's own file is loaded, one that an untrusted project could have put there is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inarch.config.load import load_config
from inarch.config.trust import Trust
from inarch.contract.errors import ConfigError, UsageError
from inarch.plugins.composition import compose_plugins

TOOL = 'import inarch\n\n\n@inarch.tool\ndef said(text: str) -> str:\n    """Say it."""\n    return text\n'


def written(folder: Path, text: str = TOOL) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "said.py"
    file.write_text(text)
    return file


def project(folder: Path) -> Path:
    """Make a project that brings along what needs trust."""
    (folder / ".inarch").mkdir(parents=True)
    (folder / ".inarch" / "config.toml").write_text("[profiles.default]\nmax_iterations = 3\n")
    return folder


def tools(root: Path, *files: str | Path, environ: dict[str, str] | None = None) -> set[str]:
    config = load_config(str(root), environ={**os.environ, **(environ or {})})
    return set(compose_plugins(config, files=[str(file) for file in files], recorded=False).tools) & {"said"}


def refused(root: Path, file: str | Path) -> str:
    with pytest.raises(UsageError, match="not trusted") as caught:
        tools(root, file)
    return str(caught.value)


def test_the_author_s_own_folder_needs_no_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "mine")
    assert tools(tmp_path / "mine", file) == {"said"}
    monkeypatch.chdir(tmp_path / "mine")
    assert tools(tmp_path / "mine", "said.py") == tools(tmp_path / "mine", "./said.py") == {"said"}


def test_a_file_of_an_untrusted_project_is_refused_until_the_project_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "cloned")
    file = written(root / "tools", f"import os\nos.makedirs({str(tmp_path / 'ran')!r}, exist_ok=True)\n{TOOL}")
    assert f"inarch config trust --root {root}" in refused(root, file)
    monkeypatch.chdir(root)
    refused(root, "tools/said.py")
    refused(root, "tools/../tools/said.py")
    assert not (tmp_path / "ran").exists()
    config = load_config(str(root), environ=dict(os.environ))
    Trust(str(root), config.state_dir).grant(Trust(str(root), config.state_dir).standing().files)
    assert tools(root, file) == {"said"}
    (root / ".inarch" / "config.toml").write_text("[profiles.default]\nmax_iterations = 4\n")
    refused(root, file)


def test_a_guide_file_alone_makes_a_project_that_needs_trust(tmp_path: Path) -> None:
    file = written(tmp_path / "cloned")
    (tmp_path / "cloned" / "AGENTS.md").write_text("Try --plugin said.py\n")
    refused(tmp_path / "cloned", file)


def test_another_root_is_not_a_way_around_the_project_that_the_file_is_in(tmp_path: Path) -> None:
    file = written(project(tmp_path / "cloned") / "deep" / "er")
    (tmp_path / "elsewhere").mkdir()
    refused(tmp_path / "elsewhere", file)


def test_links_count_at_both_ends(tmp_path: Path) -> None:
    mine, cloned = tmp_path / "mine", project(tmp_path / "cloned")
    own, foreign = written(mine), written(cloned)
    for number, (link, target) in enumerate([(cloned / "link.py", own), (mine / "link.py", foreign)]):
        link.symlink_to(target)
        refused(tmp_path if number else mine, link)
    (mine / "folder").symlink_to(cloned)
    refused(mine, mine / "folder" / "said.py")
    (tmp_path / "free.py").symlink_to(own)
    (tmp_path / "said.py").symlink_to(own)
    assert tools(mine, tmp_path / "said.py") == {"said"}


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "shared")
    owner = os.geteuid() or 12345
    os.chown(file, owner, -1)
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.raises(UsageError, match="another user"):
        tools(tmp_path / "shared", file)
    monkeypatch.setattr(os, "geteuid", lambda: owner)
    assert tools(tmp_path / "shared", file) == {"said"}


def test_in_safe_mode_no_file_is_loaded(tmp_path: Path) -> None:
    file = written(tmp_path / "mine", f"import os\nos.makedirs({str(tmp_path / 'ran')!r}, exist_ok=True)\n{TOOL}")
    assert tools(tmp_path / "mine", file, environ={"INARCH_SAFE_MODE": "1"}) == set()
    assert not (tmp_path / "ran").exists()


def test_neither_configuration_nor_environment_can_name_a_file(tmp_path: Path) -> None:
    file = written(tmp_path / "mine", f"import os\nos.makedirs({str(tmp_path / 'ran')!r}, exist_ok=True)\n{TOOL}")
    for name in ("INARCH_FILES", "INARCH_PLUGIN", "INARCH_PLUGIN_FILE"):
        with pytest.raises(ConfigError, match=name):
            tools(tmp_path / "mine", environ={name: str(file)})
    assert tools(tmp_path / "mine", environ={"INARCH_PLUGINS": str(file)}) == set()
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("source", "reason", "remedy"),
    [
        ("x = 1", "registers nothing", "put @inarch.tool above a function"),
        ("x = int('a')", "(said.py, line 1)", "mend said.py"),
        (TOOL.replace("said", "read_file"), "claims the tool name 'read_file'", "give it another name, or leave one"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_to_its_author(tmp_path: Path, source: str, reason: str, remedy: str) -> None:
    file = written(tmp_path / "mine", source)
    config = load_config(str(tmp_path), environ=dict(os.environ))
    (row,) = compose_plugins(config, files=[str(file)], recorded=False).refused
    assert reason in row.reason and remedy in row.remedy and "author" not in row.remedy

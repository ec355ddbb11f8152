"""Files that other tools obey or run: a person is asked before one is written, by whatever tool and spelling."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inarch
from inarch_lib.staging.steering_names import STEERING, steers

NAMES = [(name, what) for what, names in STEERING.items() for name in names.split()]
PLAIN = st.sampled_from(["src", "docs", "a b", "x.y", ".github", "agents", "vscode", "sub"])


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str]:
    """A path of a steering file in some folder, spelled as file systems may take it for the same file."""
    name, what = draw(st.sampled_from(NAMES))
    file = name.replace("*", draw(st.sampled_from(["", "-x", ".a"])))
    path = "/".join([*draw(st.lists(PLAIN, max_size=3)), file, *draw(st.lists(PLAIN, max_size=1))])
    swapped = draw(st.lists(st.booleans(), min_size=len(path), max_size=len(path)))
    letters = (char.swapcase() if swap else char for char, swap in zip(path, swapped, strict=True))
    between = draw(st.sampled_from(["/", "//", "/./"]))
    return draw(st.sampled_from(["", "./"])) + "".join(letters).replace("/", between), what


@given(spellings())
def test_every_spelling_in_every_folder_is_known(spelled: tuple[str, str]) -> None:
    path, what = spelled
    assert steers(path), what


@pytest.mark.parametrize(
    "path",
    ["README.md", "docs/agents.md.txt", "src/agents/a.py", "package.json", "conftest.py", ".github/CODEOWNERS", ".env",
     "my.vscode", ".gitignore", ".gitattributes", "vscode/tasks.json", "claude.py", "", "src/", "Jenkinsfile.md"],
)  # fmt: skip
def test_ordinary_files_are_not(path: str) -> None:
    assert not steers(path)


def test_a_folder_above_is_known_by_itself_and_nothing_else_in_it_is() -> None:
    assert steers(".github") and not steers(".github/ISSUE_TEMPLATE/bug.md")


FILLING = '''
import inarch

@inarch.tool(category="file", effects=lambda arguments: inarch.Effects(writes=frozenset({str(arguments["folder"])})))
def fill(context: inarch.ToolContext, folder: str, file_path: str) -> str:
    """Write a file below a folder that is declared as a whole."""
    context.workspace.replace(file_path, [b"x"], None)
    return file_path
'''


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("plugin") / "inarch_filling.py"
    place.write_text(FILLING)
    return str(place)


def called(
    root: Path, plugin: str, name: str, arguments: Any, approve: str = "edits", **more: Any
) -> inarch.ToolResult:
    options: dict[str, Any] = {"config": more, "flags": {"approve": approve}, "without": ["agents", "hooks", "skills"]}
    app = inarch.compose(root=root, files=[plugin], journal=False, **options)
    return asyncio.run(app.call_tool(name, arguments))


PATCH = "*** Begin Patch\n*** Add File: sub/AGENTS.md\n+x\n*** End Patch\n"
WRITING = {
    "write_file": {"file_path": "./sub/agents.MD", "content": "x"},
    "create_file": {"file_path": ".vscode/tasks.json", "content": "{}"},
    "patch_source_file": {"file_path": "CLAUDE.md", "search": "one", "replace": "two"},
    "move_file": {"file_path": "a.txt", "new_path": ".envrc"},
    "delete_file": {"file_path": "CLAUDE.md"},
    "apply_patch": {"patch": PATCH},
    "fill": {"folder": ".github/workflows", "file_path": ".github/workflows/ci.yml"},
}


@pytest.mark.parametrize("name", WRITING)
def test_every_tool_that_writes_one_is_asked_about_without_any_other_plugin(
    tmp_path: Path, plugin: str, name: str
) -> None:
    for file in ("a.txt", "CLAUDE.md"):
        (tmp_path / file).write_text("one\n")
    settings = {"plugins": {"sandbox-fs": {"patch_models": ["*"]}}} if name == "apply_patch" else {}
    result = called(tmp_path, plugin, name, WRITING[name], "all", **settings)
    assert result.error is not None and "needs approval" in result.error.message, result
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CLAUDE.md", "a.txt"]
    assert any(what in result.error.message for what in STEERING)


def test_a_tool_that_declared_a_folder_can_not_write_one_in_it(tmp_path: Path, plugin: str) -> None:
    (tmp_path / "docs").mkdir()
    assert called(tmp_path, plugin, "fill", {"folder": "docs", "file_path": "docs/a.md"}).success
    result = called(tmp_path, plugin, "fill", {"folder": "docs", "file_path": "docs/AGENTS.md"})
    assert result.error is not None and "not among what this call declared" in result.error.message
    assert not (tmp_path / "docs/AGENTS.md").exists()


@pytest.mark.parametrize(
    ("path", "runs"), [("AGENTS.md", True), ("**/AGENTS.md", True), ("*.md", False), (None, False)]
)
def test_a_rule_answers_for_the_person_if_it_names_the_file(
    tmp_path: Path, plugin: str, path: str | None, runs: bool
) -> None:
    rule = {"tool": "write_file", "decision": "allow", **({"path": path} if path else {})}
    arguments = {"file_path": "AGENTS.md", "content": "x"}
    result = called(tmp_path, plugin, "write_file", arguments, rules=[rule])
    assert result.success == runs
    if result.error is not None:  # what the denial says to add is such a rule
        assert 'path = "AGENTS.md"' in (result.error.remedy or "")

"""`inarch bundles`: through the command line, from folders and from repositories."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inarch
from inarch_lib.bundles import enabled
from inarch_lib.bundles.store import File, hash_of, keep, records
from inarch_plugins.importing.bundles.contents import contents_of, described, entries_of
from inarch_plugins.importing.bundles.fetch import Source, fetch

from ..running.program import Run

HEAD = "---\nname: {0}\ndescription: It is {0}.\n---\nDo it.\n"
HOOK = {
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh ${CLAUDE_PLUGIN_ROOT}/g.sh"}]}]
    }
}
NAMED = {
    "name": "Named Things",
    "skills": ["./deep/pdf"],
    "agents": "./one.md",
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]},
    "mcpServers": {"db": {"command": "db", "args": ["--root", "${CLAUDE_PLUGIN_ROOT}"]}},
    "lspServers": {},
}


class Shelf:
    """Sources of bundles, and the stored ones."""

    def __init__(self, cli: Run, environ: dict[str, str], folder: Path, project: Path) -> None:
        self.cli, self.environ, self.top, self.project = cli, environ, folder / "source", project
        self.folder = Path(environ["XDG_STATE_HOME"]) / "inarch" / "bundles"
        self.top.mkdir()

    def write(self, name: str, data: Any) -> None:
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data))

    def simple(self) -> None:
        self.write(".claude-plugin/plugin.json", {"name": "kit", "version": "1.0", "description": "Things."})
        self.write("skills/pdf/SKILL.md", HEAD.format("pdf"))
        self.write("agents/helper.md", HEAD.format("helper"))
        self.write("commands/go.md", "Go.\n")
        self.write("hooks/hooks.json", HOOK)
        self.write("g.sh", "exit 0\n")

    def run(self, *words: str, code: int = 0) -> str:
        done = self.cli("bundles", *words)
        assert done.returncode == code, (done.stdout, done.stderr)
        return done.stdout + done.stderr

    def git(self, *words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false")
        done = subprocess.run(["git", "-C", self.top, *identity, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def remote(self) -> None:
        """Have the repository at an address of the hub."""
        rewrite = f'[url "file://{self.top.parent}/"]\n\tinsteadOf = https://github.com/me/\n'
        (Path(self.environ["HOME"]) / ".gitconfig").write_text(rewrite)
        (self.top.parent / "source.git").symlink_to(self.top)

    def commit(self, message: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def shelf(cli: Run, environ: dict[str, str], tmp_path: Path, project: Path) -> Shelf:
    return Shelf(cli, environ, tmp_path, project)


def test_a_bundle_is_shown_added_updated_and_removed(shelf: Shelf) -> None:
    shelf.simple()
    source = str(shelf.top)
    assert "nothing was added" in shelf.run("add", source, code=2) and not records(shelf.folder)
    said = shelf.run("add", source, "--yes")
    for line in ("kit 1.0 Things.", "skills: pdf", "agents: helper", "commands: go"):
        assert line in said
    assert "  hook PreToolUse Bash: sh ${CLAUDE_PLUGIN_ROOT}/g.sh\n" in said
    assert said.splitlines()[:-1] == shelf.run("show", "kit").splitlines()
    assert f"kit  {source}  on\n" == shelf.run("list")
    assert f"there is a bundle kit from {source}" in shelf.run("add", source, "--yes", code=2)
    assert "kit is unchanged" in shelf.run("update")
    shelf.write("hooks/hooks.json", json.dumps(HOOK).replace("g.sh", "evil.sh"))
    tree = records(shelf.folder)["kit"]["tree"]
    refused = shelf.run("update", code=2)
    assert "evil.sh" in refused and "+++ hooks/hooks.json" in refused and records(shelf.folder)["kit"]["tree"] == tree
    shelf.run("update", "kit", "--yes")
    assert records(shelf.folder)["kit"]["tree"] != tree and not (shelf.folder / tree).exists()
    assert "ok    bundles        bundles: kit" in shelf.cli("doctor").stdout
    shelf.run("remove", "kit")
    assert sorted(one.name for one in shelf.folder.iterdir()) == ["bundles.json", "bundles.json.lock"]


def test_a_file_that_changes_in_the_store_does_not_count(shelf: Shelf) -> None:
    shelf.simple()
    shelf.run("add", str(shelf.top), "--yes")
    (bundle,) = enabled(str(shelf.folder.parent / "plugins" / "hooks"))
    assert bundle.read("commands/go.md") == b"Go.\n" and bundle.names("agents") == ["agents/helper.md"]
    (bundle.top / "commands/go.md").write_text("Go away.\n")
    assert bundle.read("commands/go.md") is None and bundle.read("../bundles.json") is None
    assert "kit:commands/go.md has changed since you added the bundle" in shelf.cli("doctor").stdout


@pytest.mark.needs("git")
def test_a_repository_is_read_by_commit_and_a_project_names_it(shelf: Shelf) -> None:
    shelf.simple()
    shelf.git("init", "-q")
    first = shelf.commit("one")
    shelf.git("tag", "v1")
    shelf.write("hooks/hooks.json", json.dumps(HOOK).replace("g.sh", "other.sh"))
    hook = shelf.top / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\ntouch /tmp/never-run-by-bundles\n")
    second = shelf.commit("two")
    shelf.remote()
    assert first[:12] in shelf.run("add", "me/source@v1", "--for-projects", "--yes")
    named = shelf.project / ".inarch" / "bundles.json"
    named.parent.mkdir()

    def is_used(source: str, sha: str) -> bool:
        named.write_text(json.dumps([{"source": source, "sha": sha}]))
        before = shelf.cli("doctor").stdout
        assert "kit:helper" not in before, "nothing counts before trust"
        assert shelf.cli("config", "trust", "--yes").returncode == 0
        return "kit:helper" in shelf.cli("doctor").stdout

    assert not is_used("me/source", second) and not is_used("x/y", first) and is_used("me/source", first)
    shelf.git("tag", "-f", "v1")
    assert "other.sh" in shelf.run("update", "--yes")
    assert records(shelf.folder)["kit"]["sha"] == second and not is_used("me/source", first)
    assert first[:12] in shelf.run("add", f"me/source@{first}", "--name", "old", "--yes")
    assert "git fetch failed" in shelf.run("add", "me/source@no-such", "--yes", code=2)


@pytest.mark.needs("git")
def test_paths_of_a_commit_that_leave_it_are_refused(shelf: Shelf) -> None:
    shelf.git("init", "-q")
    shelf.write("a.md", "")
    shelf.commit("one")
    blob = shelf.git("hash-object", "-w", "a.md")
    tree = shelf.top.parent / "tree"
    tree.write_bytes(b"100644 ..\0" + bytes.fromhex(blob))
    bad = shelf.git("hash-object", "-w", "-t", "tree", "--literally", str(tree))
    shelf.git("update-ref", "HEAD", shelf.git("commit-tree", "-m", "two", bad))
    shelf.remote()
    assert shelf.run("add", "me/source", "--yes", code=2).count("inarch: error: ") == 1
    assert not records(shelf.folder)


@pytest.mark.needs("git")
@pytest.mark.parametrize("target", ["/etc/passwd", "../../../etc/passwd", "x/../../../../y"])
def test_links_that_leave_the_source_are_refused(shelf: Shelf, target: str) -> None:
    shelf.simple()
    (shelf.top / "skills" / "pdf" / "leak.md").symlink_to(target)
    assert "which leaves it" in shelf.run("add", str(shelf.top), "--yes", code=2)
    shelf.git("init", "-q")
    shelf.commit("one")
    shelf.remote()
    assert "which leaves it" in shelf.run("add", "me/source", "--yes", code=2)
    assert not records(shelf.folder)


def test_a_source_that_is_too_large_is_refused(shelf: Shelf) -> None:
    shelf.simple()
    with (shelf.top / "big").open("wb") as file:
        file.truncate(50_000_001)
    assert "more than 50 MB" in shelf.run("add", str(shelf.top), "--yes", code=2)


def test_links_inside_the_source_become_copies(shelf: Shelf) -> None:
    shelf.simple()
    (shelf.top / "agents" / "same.md").symlink_to("helper.md")
    (shelf.top / "skills" / "copy").symlink_to("pdf")
    files, sha = fetch(Source(str(shelf.top)))
    assert sha == "" and files["agents/same.md"] == files["agents/helper.md"]
    assert files["skills/copy/SKILL.md"] == files["skills/pdf/SKILL.md"]


def test_a_catalogue_lists_its_bundles_and_the_broken_entries(shelf: Shelf) -> None:
    shelf.write("plugins/a/.codex-plugin/plugin.json", {"name": "a", "skills": "./skills/"})
    shelf.write("plugins/a/skills/x/SKILL.md", HEAD.format("x"))
    shelf.write("skills/y/SKILL.md", HEAD.format("y"))
    shelf.write("skills/z/SKILL.md", HEAD.format("z"))
    ours = {"name": "only-y", "source": "./", "strict": False, "skills": ["./skills/y"]}
    bad = [
        {"name": "out", "source": "../x"},
        {"name": "npm", "source": {"source": "npm", "package": "x"}},
        {"name": "no"},
        5,
    ]
    shelf.write(".claude-plugin/marketplace.json", {"name": "m", "plugins": [ours, *bad]})
    theirs = {
        "name": "a",
        "source": {"source": "local", "path": "./plugins/a"},
        "policy": {"installation": "AVAILABLE"},
    }
    shelf.write(".agents/plugins/marketplace.json", {"name": "m", "plugins": [theirs]})
    said = shelf.run("add", str(shelf.top), code=4)
    assert "only-y\n" in said and "a\n" in said and "inarch bundles add" in said
    for why in (
        "'out' is left out: its path '../x' leaves",
        "'npm' is left out: the source npm",
        "'no' is left out: it has no 'source'",
    ):
        assert why in said
    assert "skills: y\n" in shelf.run("add", str(shelf.top), "only-y", "a", "--yes")
    assert sorted(records(shelf.folder)) == ["a", "only-y"] and "only-y is unchanged" in shelf.run("update")
    assert "has no bundle 'z'" in shelf.run("add", str(shelf.top), "z", code=2)


def test_a_manifest_names_its_parts_and_what_is_not_supported_is_told(shelf: Shelf) -> None:
    shelf.write(".claude-plugin/plugin.json", NAMED)
    shelf.write("deep/pdf/SKILL.md", HEAD.format("pdf"))
    shelf.write("one.md", HEAD.format("one"))
    shelf.write("agents/not-named.md", HEAD.format("no"))
    shelf.write("hooks/hooks.json", HOOK)
    shelf.write("bin/tool", "")
    said = shelf.run("add", str(shelf.top), "--yes")
    for line in ("skills: pdf", "agents: one", "hook PreToolUse Bash: sh", "hook Stop: true", "server db: db --root"):
        assert line in said
    assert "not supported: bin/, lspServers" in said and "inarch import " in said
    words = said.split("inarch import ")[1].split()[0]
    done = shelf.cli("import", words, "--yes")
    top = Path(words).parent
    assert done.returncode == 0 and f'args = ["--root", "{top}"]' in done.stdout


@pytest.mark.parametrize("manifest", ["[", "[]", '{"name": ""}', '{"name": "ok", "skills": 5, "hooks": 3}'])
def test_a_broken_manifest_is_told(shelf: Shelf, manifest: str) -> None:
    shelf.write(".claude-plugin/plugin.json", manifest)
    done = shelf.cli("bundles", "add", str(shelf.top), "--yes")
    assert done.returncode in (0, 2) and "Traceback" not in done.stderr


_JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=8) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    ["name", "plugins", "source", "skills", "agents", "hooks", "mcpServers", "metadata", "description"]
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(_KEYS, _JSON, max_size=6), st.dictionaries(_KEYS, _JSON, max_size=6), _JSON)
def test_no_manifest_or_catalogue_breaks_the_reader(manifest: Any, catalogue: Any, hooks: Any) -> None:
    tree = {
        ".claude-plugin/plugin.json": File(json.dumps(manifest).encode()),
        ".claude-plugin/marketplace.json": File(json.dumps(catalogue).encode()),
        "hooks/hooks.json": File(json.dumps({"hooks": hooks}).encode()),
        ".mcp.json": File(json.dumps({"mcpServers": hooks}).encode()),
    }
    entries_of(tree, Source("/x"))
    try:
        contents = contents_of(tree, "", {"name": "kit"})
    except inarch.UsageError:
        return
    assert list(described(contents))
    assert not [path for path in contents.files if path.startswith(("/", "..")) or "/../" in path]


def test_a_tree_has_one_hash(tmp_path: Path) -> None:
    tree = {"a": File(b"1"), "b/c": File(b"2", True)}
    assert hash_of(tree) == hash_of(dict(reversed(tree.items()))) != hash_of({**tree, "a": File(b"1", True)})
    keep(tmp_path, "kit", tree)
    assert (tmp_path / hash_of(tree) / "kit/b/c").stat().st_mode & 0o777 == 0o700

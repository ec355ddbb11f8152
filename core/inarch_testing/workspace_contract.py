"""Contract tests for workspaces, to inherit. Running them requires pytest, importing does not."""

from __future__ import annotations

import hashlib
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from inarch.contract.capabilities import able
from inarch.contract.errors import ToolFailed
from inarch.contract.files import FileState, whole_mode
from inarch.contract.workspaces import Restorable, Workspace
from inarch_sdk.port_checks import opened_fault

CONTENTS = (
    b"", b"\n", b"no end", b"one\ntwo\n", b"one\r\ntwo\r\n", b"\xef\xbb\xbfmark\n", bytes(range(256)), b"\0" * 1000,
    "zwölf 日本語 \U0001f331\n".encode(), b"\xff\xfe not UTF-8\n", b"x" * 100_000,
)  # fmt: skip
OUTSIDE = ("../outside.txt", "/outside.txt", "folder/../../outside.txt", "..", "./../outside.txt")
NAMES = (
    "a b.txt", "zwölf.txt", "日本語.md", "\U0001f331", "e\u0301.txt", ".hidden", "-rf", "a'b\"c", "tab\tname", "a*?[c]",
    "n" * 250, "n" * 300, "nul\0name", "\ud800", "new\nline", "back\\slash", " ", "trailing ",
)  # fmt: skip


class WorkspaceContract(ABC):
    """Tests of a workspace, each over a new folder on this machine.

    class TestMine(WorkspaceContract):
        def make(self, path):
            return MyWorkspace(path)
    """

    @abstractmethod
    def make(self, path: str) -> Workspace:
        """Open the workspace over an existing folder."""

    @contextmanager
    def opened(self, tmp_path: Path) -> Iterator[tuple[Workspace, Path]]:
        """Open a workspace over a new folder, with a file beside it that must not change."""
        root = tmp_path / "root"
        root.mkdir(parents=True)
        beside = tmp_path / "outside.txt"
        beside.write_bytes(b"outside")
        workspace = self.make(str(root))
        try:
            yield workspace, root
        finally:
            workspace.close()
        assert beside.read_bytes() == b"outside", "a file outside the root was changed"

    def test_methods_fit(self, tmp_path: Path) -> None:
        """The kernel accepts the workspace."""
        with self.opened(tmp_path) as (workspace, root):
            assert not (fault := opened_fault("workspace", workspace)), fault
            assert isinstance(workspace.root, str) and workspace.root, "root is the folder's path, for messages"
            assert Path(workspace.root).resolve() == root.resolve(), f"root is {workspace.root!r}, not {str(root)!r}"

    def test_bytes_come_back_as_they_were(self, tmp_path: Path) -> None:
        """Line ends, marks and encodings stay, in memory and on disk."""
        with self.opened(tmp_path) as (workspace, root):
            for number, content in enumerate(CONTENTS):
                path = f"folder/below/{number}.bin"
                change = workspace.replace(path, [content], None)
                assert (change.path, change.before, change.after) == (path, None, sha(content)), f"{change!r}"
                found = workspace.read(path)
                assert found.data == content, f"read gave {found.data!r:.60} for {content!r:.60}"
                assert (found.hash, found.size, found.truncated) == (sha(content), len(content), False), (
                    f"{found!r:.200}"
                )
                assert (root / path).read_bytes() == content, "what is on disk differs from what was written"
                entry = workspace.stat(path)
                assert entry is not None and (entry.kind, entry.size) == ("file", len(content)), f"stat gave {entry!r}"

    def test_a_part_of_a_file_is_read(self, tmp_path: Path) -> None:
        """`offset` and `max_bytes`; the hash is of the whole file, or empty."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "a.txt").write_bytes(b"0123456789")
            for offset, most, data, cut in ((2, 3, b"234", True), (8, 10, b"89", False), (20, 5, b"", False)):
                found = workspace.read("a.txt", offset, most)
                assert found.data == data, f"read from {offset} at most {most} gave {found.data!r}, not {data!r}"
                assert found.truncated == cut, f"read from {offset} at most {most}: truncated is {found.truncated}"
                assert found.hash in ("", sha(b"0123456789")), "hash is of the whole file, or empty"

    def test_replacing_needs_the_present_hash(self, tmp_path: Path) -> None:
        """None means that no file exists; other mismatches are a `conflict` and change nothing."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "a.txt").write_bytes(b"now")
            for path, expected in (("a.txt", sha(b"before")), ("a.txt", None), ("missing.txt", sha(b"x"))):
                with failing("conflict", "not_found"):
                    workspace.replace(path, [b"new"], expected)
            assert (root / "a.txt").read_bytes() == b"now", "a conflict changed the file anyway"
            assert not (root / "missing.txt").exists(), "a conflict made a file"
            workspace.replace("a.txt", [b"new"], sha(b"now"))
            assert (root / "a.txt").read_bytes() == b"new", "the present hash was given, and nothing was written"

    def test_removing_needs_the_present_hash(self, tmp_path: Path) -> None:
        """A file that changed since then stays."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "a.txt").write_bytes(b"now")
            with failing("conflict"):
                workspace.remove("a.txt", sha(b"before"))
            assert (root / "a.txt").exists(), "a conflict removed the file anyway"
            change = workspace.remove("a.txt", sha(b"now"))
            assert (change.before, change.after) == (sha(b"now"), None), f"{change!r}"
            assert not (root / "a.txt").exists(), "remove left the file"

    def test_moving_keeps_the_bytes_and_covers_nothing(self, tmp_path: Path) -> None:
        """An existing target is a `conflict`."""
        with self.opened(tmp_path) as (workspace, root):
            for name in ("a.txt", "b.txt"):
                (root / name).write_bytes(name.encode())
            with failing("conflict"):
                workspace.move("a.txt", "b.txt", sha(b"a.txt"))
            with failing("conflict"):
                workspace.move("a.txt", "c.txt", sha(b"before"))
            assert (root / "b.txt").read_bytes() == b"b.txt", "a move covered another file"
            assert (root / "a.txt").exists(), "a refused move took the file away"
            change = workspace.move("a.txt", "folder/c.txt", sha(b"a.txt"))
            assert (change.path, change.new_path) == ("a.txt", "folder/c.txt"), f"{change!r}"
            assert (root / "folder/c.txt").read_bytes() == b"a.txt", "the bytes are not the same after the move"
            assert not (root / "a.txt").exists(), "the file is still at its old path"

    def test_restoring_puts_bytes_and_mode_back(self, tmp_path: Path) -> None:
        """Undo depends on it; the file may have been removed."""
        with self.opened(tmp_path) as (workspace, root):
            file = root / "a.sh"
            for is_gone in (False, True):
                file.write_bytes(b"before")
                file.chmod(0o755)
                entry = workspace.stat("a.sh")
                assert entry is not None, "stat gave None for a file that is there"
                file.write_bytes(b"after")
                file.chmod(0o600)
                if is_gone:
                    file.unlink()
                workspace.restore("a.sh", entry, b"before")
                assert file.read_bytes() == b"before", "restore did not put the bytes back"
                assert file.stat().st_mode & 0o777 == 0o755, "restore did not put the mode back"

    def test_the_mode_of_a_file_is_kept(self, tmp_path: Path) -> None:
        """An edited script is still executable."""
        with self.opened(tmp_path) as (workspace, root):
            file = root / "a.sh"
            file.write_bytes(b"before")
            file.chmod(0o750)
            workspace.replace("a.sh", [b"after"], sha(b"before"))
            assert file.stat().st_mode & 0o777 == 0o750, "replace changed the file's mode"

    def test_paths_that_leave_the_root_are_refused(self, tmp_path: Path) -> None:
        """The error is `permission` or `validation`, for all methods."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "folder").mkdir()
            (root / "a.txt").write_bytes(b"a")
            works: tuple[Callable[[str], object], ...] = (
                workspace.stat,
                workspace.read,
                workspace.digest,
                workspace.entries,
                lambda path: workspace.replace(path, [b"x"], None),
                lambda path: workspace.remove(path, sha(b"outside")),
                lambda path: workspace.move(path, "b.txt", sha(b"outside")),
                lambda path: workspace.move("a.txt", path, sha(b"a")),
                lambda path: workspace.search("outside", path),
            )
            for path in OUTSIDE:
                for work in works:
                    with failing("permission", "validation", what=f"{path!r} leaves the root"):
                        work(path)

    def test_links_that_lead_out_are_not_followed(self, tmp_path: Path) -> None:
        """A repository may contain links."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "file").symlink_to(tmp_path / "outside.txt")
            (root / "folder").symlink_to(tmp_path)
            entry = workspace.stat("file")
            assert entry is not None and entry.kind == "link", f"stat of a link gave {entry!r}: it doesn't follow"
            for path in ("file", "folder/outside.txt"):
                with failing(what=f"{path!r} leads out by a link"):
                    workspace.read(path)
                with failing(what=f"{path!r} leads out by a link"):
                    workspace.replace(path, [b"x"], sha(b"outside"))
            assert workspace.walk().paths == (), f"walk followed a link: {workspace.walk().paths}"
            hits = workspace.search("outside").hits
            assert not hits, f"search followed a link: {hits}"

    def test_any_name_is_kept_or_refused(self, tmp_path: Path) -> None:
        """Names that the system cannot store are a `ToolFailed`; others are stored exactly."""
        with self.opened(tmp_path) as (workspace, root):
            for name in NAMES:
                try:
                    workspace.replace(name, [b"content"], None)
                except ToolFailed:
                    continue
                assert (root / name).read_bytes() == b"content", f"{name!r} was written under another name"
                assert workspace.read(name).data == b"content", f"{name!r} was written and cannot be read"
                listed = [entry.path for entry in workspace.entries()]
                assert name in listed, f"{name!r} is not among the entries {listed!r:.200}"
                workspace.remove(name, sha(b"content"))
            assert list(root.iterdir()) == [], "refused names left something behind"

    def test_what_is_not_there_is_not_found(self, tmp_path: Path) -> None:
        """`stat` returns None; other methods raise a `ToolFailed` of code `not_found`."""
        with self.opened(tmp_path) as (workspace, _):
            assert workspace.stat("missing/below") is None, "stat of what isn't there is None"
            works: tuple[Callable[[str], object], ...] = (workspace.read, workspace.digest, workspace.entries)
            for work in works:
                with failing("not_found"):
                    work("missing")
            with failing("not_found", "conflict"):
                workspace.remove("missing", sha(b""))
            assert workspace.walk().paths == (), "nothing is there, and walk found something"

    def test_folders_are_no_files(self, tmp_path: Path) -> None:
        """Reading, writing or removing a folder is a `ToolFailed`."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "folder").mkdir()
            (root / "file").write_bytes(b"x")
            works: tuple[Callable[[str], object], ...] = (
                workspace.read,
                lambda path: workspace.replace(path, [b"x"], None),
                lambda path: workspace.replace(path, [b"x"], sha(b"")),
                lambda path: workspace.remove(path, sha(b"")),
            )
            for work in works:
                with failing(what="'folder' is a folder"):
                    work("folder")
            with failing(what="'file' is not a folder"):
                workspace.replace("file/below", [b"x"], None)
            assert (root / "folder").is_dir(), "the folder is gone"

    def test_entries_list_one_folder(self, tmp_path: Path) -> None:
        """They are sorted by name, with hidden entries and links, without entries below."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "folder/below").mkdir(parents=True)
            (root / "folder/b.txt").write_bytes(b"12")
            (root / "folder/.hidden").write_bytes(b"")
            (root / "folder/link").symlink_to("b.txt")
            found = {Path(entry.path).name: entry.kind for entry in workspace.entries("folder")}
            kinds = {".hidden": "file", "b.txt": "file", "below": "directory", "link": "link"}
            assert found == kinds, f"entries gave {found}"
            assert list(found) == sorted(found), f"entries are not in the order of their names: {list(found)}"

    def test_walk_finds_files_in_order_up_to_a_limit(self, tmp_path: Path) -> None:
        """Globs and `truncated` work, and files that Git ignores are missing."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "src").mkdir()
            for name in ("b.py", "a.py", "src/c.py", "src/d.txt", "ignored.log"):
                (root / name).write_bytes(b"x\n")
            (root / ".gitignore").write_bytes(b"*.log\n")
            (root / ".git").mkdir()
            assert workspace.walk("**/*.py").paths == ("a.py", "b.py", "src/c.py"), f"{workspace.walk('**/*.py')}"
            assert workspace.walk("src/*").paths == ("src/c.py", "src/d.txt"), f"{workspace.walk('src/*')}"
            assert "ignored.log" not in workspace.walk().paths, "walk lists what Git ignores"
            few = workspace.walk("**/*.py", 2)
            assert len(few.paths) == 2, f"walk with a limit of 2 gave {len(few.paths)} paths"
            assert few.truncated, "walk was cut by its limit and truncated is False"
            assert not workspace.walk("**/*.py", 3).truncated, "walk found all there is and truncated is True"

    def test_search_finds_lines_up_to_a_limit(self, tmp_path: Path) -> None:
        """It takes a regular expression, a folder, a glob and a case option; an invalid expression is `validation`."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "src").mkdir()
            (root / "a.txt").write_bytes("first\nZwölf 12\nlast 3\n".encode())
            (root / "src/b.py").write_bytes(b"number = 4\n")
            hits = workspace.search(r"\d+").hits
            places = [(hit.path, hit.line, hit.text.rstrip("\n")) for hit in hits]
            assert places == [("a.txt", 2, "Zwölf 12"), ("a.txt", 3, "last 3"), ("src/b.py", 1, "number = 4")], places
            assert [hit.path for hit in workspace.search(r"\d", "src").hits] == ["src/b.py"], "path is not kept to"
            assert [hit.path for hit in workspace.search(r"\d", glob="*.py").hits] == ["src/b.py"], (
                "glob is not kept to"
            )
            assert not workspace.search("zwölf").hits, "search ignores case without being asked to"
            assert workspace.search("zwölf", ignore_case=True).hits, "ignore_case finds nothing"
            few = workspace.search(r"\d", limit=1)
            assert (len(few.hits), few.truncated) == (1, True), f"search with a limit of 1 gave {few!r:.200}"
            with failing("validation"):
                workspace.search("(")

    def test_of_several_who_replace_at_once_one_wins(self, tmp_path: Path) -> None:
        """The others get a `conflict`; the file is one of the texts, whole."""
        with self.opened(tmp_path) as (workspace, root):
            for round_ in range(5):
                (root / "a.txt").write_bytes(b"start %d" % round_)
                texts = [b"%d" % number * 50_000 for number in range(6)]
                begin = threading.Barrier(len(texts))

                def write(text: bytes, expected: str, begin: threading.Barrier) -> str:
                    begin.wait()
                    try:
                        workspace.replace("a.txt", [text], expected)
                    except ToolFailed as error:
                        return error.code
                    return "won"

                with ThreadPoolExecutor(len(texts)) as pool:
                    expected = sha(b"start %d" % round_)
                    outcomes = list(pool.map(write, texts, [expected] * len(texts), [begin] * len(texts)))
                assert outcomes.count("won") == 1, f"of {len(texts)} at once {outcomes.count('won')} won: {outcomes}"
                assert set(outcomes) <= {"won", "conflict"}, f"the others should have a conflict: {outcomes}"
                assert (root / "a.txt").read_bytes() == texts[outcomes.index("won")], "the file isn't the winner's text"

    def test_a_write_that_breaks_off_changes_nothing(self, tmp_path: Path) -> None:
        """If its chunks raise, the old bytes stay, and no temporary file remains."""
        with self.opened(tmp_path) as (workspace, root):
            (root / "a.txt").write_bytes(b"before")

            def chunks() -> Iterator[bytes]:
                yield b"half"
                raise BrokenOff

            for path, expected in (("a.txt", sha(b"before")), ("new.txt", None)):
                try:
                    workspace.replace(path, chunks(), expected)
                except BrokenOff:
                    pass
                else:
                    raise AssertionError("replace swallowed what its chunks raised: let it pass")
            assert (root / "a.txt").read_bytes() == b"before", (
                "a write that broke off changed the file: write beside it"
            )
            left = sorted(os.listdir(root))  # noqa: PTH208 - names only
            assert left == ["a.txt"], f"a write that broke off left {left}"

    def test_one_that_restores_does_so_with_all_or_none(self, tmp_path: Path) -> None:
        """This tests workspaces that are `Restorable`."""
        with self.opened(tmp_path) as (workspace, root):
            restoring = able(workspace, Restorable)
            if restoring is None:
                return
            for name in ("a.txt", "b.txt"):
                workspace.replace(name, [b"new"], None)
            listed = {entry.path for entry in restoring.survey(100).entries}
            assert listed >= {"a.txt", "b.txt"}, f"survey(100) gave {sorted(listed)}"
            mode = whole_mode(workspace.stat("a.txt"))
            states = [FileState(name, mode, b"old", sha(b"new"), mode) for name in ("a.txt", "b.txt")]
            (root / "b.txt").write_bytes(b"other")
            with failing("conflict"):
                restoring.restore_all(states)
            assert (root / "a.txt").read_bytes() == b"new", "a.txt was restored though b.txt could not be"
            assert restoring.restore_all(states[:1]) == ()
            assert (root / "a.txt").read_bytes() == b"old"

    def test_closing_twice_is_fine(self, tmp_path: Path) -> None:
        """An application always closes it, used or not."""
        with self.opened(tmp_path) as (workspace, _):
            workspace.replace("a.txt", [b"x"], None)
            workspace.close()
            workspace.close()


class BrokenOff(Exception):
    """Example of an exception during a write."""


def sha(data: bytes) -> str:
    """Return the hash of bytes in a workspace's format."""
    return hashlib.sha256(data).hexdigest()


@contextmanager
def failing(*codes: str, what: str = "") -> Iterator[None]:
    """Expect a `ToolFailed` of one of these codes, or of any."""
    try:
        yield
    except ToolFailed as error:
        fits = not codes or error.code in codes
        assert fits, f"{what or error.message}: the code is {error.code!r}, and should be {' or '.join(codes)}"
        assert error.message.strip(), "the ToolFailed has no message"
    else:
        raise AssertionError(
            f"{what or 'this'} should be refused: raise ToolFailed({' or '.join(codes) or 'a code'!r})"
        )

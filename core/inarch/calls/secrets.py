"""Secrets in the files that calls touch: learned before Inarch shows them, restored when it writes them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from attrs import frozen

from inarch.contract.capabilities import Isolated, able
from inarch.contract.errors import InarchError, ToolFailed
from inarch.contract.files import FileBytes, SearchHits
from inarch.contract.ports import Tool
from inarch.contract.processes import Rights
from inarch.contract.records import Effects
from inarch.contract.workspaces import Workspace
from inarch.journal.redactor import placeholders

if TYPE_CHECKING:
    from inarch.journal.redactor import Redactor

_LARGEST = 1 << 18
_LARGEST_EDITED = 1 << 26
_HISTORY_SECONDS = 10.0
_WORD_GIT = re.compile(r"\bgit\b")
_GIT_PLACES = frozenset({"-C", "--git-dir", "--work-tree"})
_GIT_TELLS_OF = frozenset({"config", "rev-parse", "status", "ls-files", "ls-tree", "check-attr"})
"""Git subcommands that show no contents of files or messages, except `git status -v`."""
# `learn_kept` uses globs as pathspecs. A lazy fetch would use the network, an optional lock would write to `.git`.
_GIT_VARIABLES = {"GIT_LITERAL_PATHSPECS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}
_LOOKED_AT: WeakKeyDictionary[Redactor, set[bytes]] = WeakKeyDictionary()
"""Repository objects that each redactor has learned from."""


@frozen(eq=False, repr=False)
class Secrets:
    """Secrets that the calls of one session know."""

    redactor: Redactor
    workspace: Workspace

    def learn_read(self, found: FileBytes) -> None:
        """Learn from a `.env` file that was read; from the whole file even if only a part was read."""
        if _is_dotenv(found.path):
            self._learn(found.path if not found.hash else found)

    def learn_hits(self, hits: SearchHits) -> None:
        """Learn from the `.env` files in which a search found something."""
        for path in {hit.path for hit in hits.hits if _is_dotenv(hit.path)}:
            self._learn(path)

    def learn_run(self, words: Sequence[str], cwd: str, rights: Rights) -> None:
        """Learn from `.env` files that a command names or Git stores, and from files that its rights let it read."""
        for word in words[1:]:
            # A path may be in `--file=.env`, or in `HEAD:.env` of git show.
            for path in {word, word.rpartition("=")[2], word.rpartition(":")[2]}:
                if _is_dotenv(path):
                    self._learn(path if cwd in ("", ".") else f"{cwd}/{path}")
        if given := (*rights.home.values(), *rights.reads):
            from inarch_lib.secrets.credentials import secrets_of_file

            self.redactor.learn_values(secret for path in given for secret in secrets_of_file(path))
        if any(map(_WORD_GIT.search, words)) and (places := _git_places(words)) is not None:
            self._learn_kept(places, cwd, rights)

    def _learn_kept(self, places: Sequence[str], cwd: str, rights: Rights) -> None:
        """Learn from every version of a `.env` file that a command's repository stores."""
        from inarch_lib.secrets.dotenv import learn_kept

        env = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **rights.env, **_GIT_VARIABLES}
        only_reads = Rights(reads=rights.reads, env=env)

        def run(argv: Sequence[str], stdin: bytes) -> bytes:
            words = ("git", "--no-pager", "-c", "safe.directory=*", *places, *argv)
            ran = self.workspace.run(words, only_reads, cwd=cwd, stdin=stdin, timeout_s=_HISTORY_SECONDS)
            return ran.output

        try:
            learn_kept(run, self.redactor.learn_file, _LOOKED_AT.setdefault(self.redactor, set()))
        except InarchError:
            return  # no Git or no repository: the command itself will find none either

    def arguments(self, tool: Tool, arguments: Mapping[str, Any], effects: Effects) -> Mapping[str, Any]:
        """Return the arguments for the tool, with real values only if the tool is marked to receive them.

        A tool that writes files gets a value only for a file that already contains it. So a secret does not spread, and
        an edit around it does not destroy it.

        Raises:
            ToolFailed: A placeholder would be written in place of the secret, or the secret into another file.
        """
        if tool.category == "file" and (effects.writes or effects.exclusive):
            words = dict.fromkeys(placeholders(arguments))
            kept = {word for word in words if self._is_restored(word, tool, effects.writes)}
            return self._revealed(arguments, kept)
        if not tool.receives_secrets:
            return arguments
        isolated = able(tool, Isolated)  # such a plugin marks its tools itself, so its table decides
        known = {
            word
            for word in placeholders(arguments)
            if isolated is None or self.redactor.value(word) in isolated.given_values
        }
        return self._revealed(arguments, known)

    def _revealed(self, arguments: Mapping[str, Any], words: set[str]) -> Mapping[str, Any]:
        revealed: Mapping[str, Any] = self.redactor.reveal(arguments, words) if words else arguments
        return revealed

    def _is_restored(self, word: str, tool: Tool, paths: Iterable[str]) -> bool:
        """Return whether to replace a placeholder by its value; False if the file contains the placeholder itself."""
        files = [path for path in paths if path and not path.endswith("/")]
        value = self.redactor.value(word)
        if value is not None and tool.receives_secrets and any(self._file_contains(path, value) for path in files):
            return True
        if any(self._file_contains(path, word) for path in files):
            return False
        where = " or ".join(sorted(files)) or "what this call writes"
        raise ToolFailed(
            "permission",
            f"{word} is a placeholder for a secret that is not in {where}; nothing was written",
            "leave the line of the secret as it is, or ask the user to write it",
        )

    def _file_contains(self, path: str, value: str) -> bool:
        needles = {_encoded(value, encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be", "latin-1")} - {b""}
        try:
            data = self.workspace.read(path, 0, _LARGEST_EDITED).data
        except InarchError:
            return False  # the file does not exist yet, or the tool will report what is wrong with it
        return any(needle in data for needle in needles)

    def _learn(self, found: FileBytes | str) -> None:
        try:
            whole = self.workspace.read(found, 0, _LARGEST) if isinstance(found, str) else found
        except InarchError:
            return  # it is unreadable, so none of it is shown
        self.redactor.learn_file(whole.data[:_LARGEST])


def _git_places(words: Sequence[str]) -> Sequence[str] | None:
    """Return Git's options that locate a command's repository; None if it shows nothing that was stored."""
    if words[0].rpartition("/")[2] != "git":
        return ()  # a shell or a build may start it
    found: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word in _GIT_PLACES or word == "-c":
            value = next(rest, "")
            found += (word, value) if word in _GIT_PLACES else ()
        elif not word.startswith("-"):
            shows = word not in _GIT_TELLS_OF or not {"-v", "-vv", "--verbose"}.isdisjoint(words)
            return found if shows else None
        elif word.partition("=")[0] in _GIT_PLACES:
            found.append(word)
    return None


def _is_dotenv(path: str) -> bool:
    if "env" not in path.lower():
        return False
    from inarch_lib.secrets.dotenv import is_dotenv

    return is_dotenv(path)


def _encoded(value: str, encoding: str) -> bytes:
    try:
        return value.encode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    except UnicodeEncodeError:
        return b""

"""Files that hold secrets, and the read-only commands that could show them.

Known values are replaced in a command's output, but not in the pieces that `od -c` or `cut -c` make. So a command that
names such a file needs an approval, and a search of folders skips such files. A command that splits lines also needs an
approval if another file that it reads holds a known value.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inarch_lib.secrets.dotenv import is_dotenv

MOST_ENTRIES = 50_000
"""Maximum names that are checked for such files; in a larger tree, matching names are skipped unread."""
MOST_BYTES = 1 << 26
"""Maximum bytes of files that are searched for known values; beyond it, one counts as found."""
LEFT_OUT = "files that hold secrets were left out: "

_KEYS = frozenset({"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"})
_LIKE_SECRETS = (".env", ".env.*", "*.env", *sorted(_KEYS), "*.pem")
_HEAD = 1 << 16
_NAMES_ONLY = frozenset({
    "ls", "find", "stat", "du", "tree", "file", "realpath", "wc", "sha256sum", "md5sum", "pwd", "echo", "basename",
    "dirname", "date", "true", "false",
})  # fmt: skip
_GIT_CONTENTS = frozenset({"git diff", "git log", "git show", "git blame", "git grep", "git cat-file"})
_RECURSIVE = {"grep": frozenset({"-r", "--recursive", "-d", "--directories"}), "diff": frozenset({"-r", "--recursive"})}
_PATCHES = frozenset({
    "-p", "-u", "--patch", "-U", "--unified", "-W", "--function-context", "--word-diff", "--color-words",
    "--patch-with-stat", "--binary", "-c", "-m", "--cc", "-L",
})  # fmt: skip
"""Options that make `git log` show more than the names of commits."""
_OF_MATCHES = frozenset({"-o", "--only-matching", "--color=always", "--colour=always"})  # colors split values, too
_IN_PIECES: Mapping[str, frozenset[str]] = {
    "head": frozenset({"-c", "--bytes"}),
    "tail": frozenset({"-c", "--bytes"}),
    "grep": _OF_MATCHES,
    "git grep": _OF_MATCHES,
    "tac": frozenset({"-s", "--separator", "-r", "--regex"}),
    "diff": frozenset({"-y", "--side-by-side", "-W", "--width"}),
}

_PICKS = re.compile(r"-[SG]|-L=(?:.*,)?[/^:]", re.S)
"""Options of git that match a pattern with contents: `-S`, `-G`, and `-L` with anything but numbers."""


def named(rule: str, words: Iterable[str], root: str) -> str:
    """Return the first word that names a file with secrets that the command could show, "" for none."""
    shows = rule in _GIT_CONTENTS if rule.startswith("git ") else rule not in _NAMES_ONLY
    if not shows:
        return ""
    return next((word for word in words if is_secret(word.rpartition(":")[2], root)), "")


def is_secret(path: str, root: str) -> bool:
    """Return whether a file holds secrets: a `.env` file except samples, or a private key.

    A private key is recognized by its name or its text.
    """
    path = path.rstrip("/")
    where = os.path.join(root, path)
    if is_dotenv(path):
        return not (root and os.path.isdir(where))  # `.env/` is a virtual environment
    name = path.rpartition("/")[2].lower()
    return name in _KEYS or (name.endswith(".pem") and (not root or (b"PRIVATE KEY-----" in _head(where, _HEAD))))


def leads_to_secret(path: str, root: str) -> str:
    """Return the file with secrets that a link leads to, relative to the root; "" if it does not."""
    real = os.path.relpath(os.path.realpath(os.path.join(root, path)), root)
    return real if os.path.basename(real) != os.path.basename(path) and is_secret(real, root) else ""


def searches(rule: str, given: Iterable[str]) -> bool:
    """Return whether a command with these options shows the content of files in whole folders."""
    return rule == "git grep" or not _RECURSIVE.get(rule, frozenset()).isdisjoint(given)


def shows_history(rule: str, given: Iterable[str]) -> bool:
    """Return whether a command with these options may show earlier contents, and so former secrets."""
    return rule in _GIT_CONTENTS and (rule != "git log" or not _PATCHES.isdisjoint(given))


def takes_apart(rule: str, given: Iterable[str]) -> bool:
    """Return whether a command with these options shows less than whole lines of its input."""
    return rule in ("cut", "od", "cmp") or not _IN_PIECES.get(rule, frozenset()).isdisjoint(given)


def in_pieces(rule: str, where: str) -> str:
    """Return the reason to ask about a command that splits lines."""
    return f"{rule} could show secrets of {where} in pieces"


def could_show(rule: str, paths: Iterable[str], root: str, is_search: bool) -> str:
    """Return the first file or folder that a command reads and that contains a known secret, "" for none."""
    if not root or rule in _NAMES_ONLY:
        return ""
    from inarch_lib.secrets.shapes import holds_known_secret

    named = list(paths)
    if is_search and not any(os.path.isdir(os.path.join(root, path)) for path in named):
        named.append(".")
    left_files, left_bytes = MOST_ENTRIES, MOST_BYTES
    for path in named:
        for data in _contents(os.path.join(root, path), is_search):
            left_files, left_bytes = left_files - 1, left_bytes - len(data)
            if left_files < 0 or left_bytes <= 0 or holds_known_secret(data):
                return path
    return ""


def _contents(path: str, is_search: bool) -> Iterator[bytes]:
    """Yield the content of a file, or of each file in a searched folder."""
    yield _head(path, MOST_BYTES, follow=True)
    if is_search:
        yield from (_head(os.path.join(path, name), MOST_BYTES) for name in _files(path) if not is_secret(name, path))


def tries(rule: str, given: Iterable[str], rest: Sequence[str], objects: Sequence[str], root: str) -> bool:
    """Return whether a git command reports if a pattern matches earlier content: repeated tries reveal secrets."""
    if rule == "git grep":
        return "--cached" in given or names_revision(rest, objects, root)
    return any(_PICKS.match(option) for option in given)


def names_revision(words: Sequence[str], objects: Sequence[str], root: str) -> bool:
    """Return whether one of git's objects is not a file of the workspace: files of a revision are not skipped."""
    if "--" in words:  # git takes the part before it for a revision, even if a file has that name
        return len(objects) >= len(words) - words.index("--")
    return any(not (root and os.path.lexists(os.path.join(root, word))) for word in objects)


def passing_over(rule: str, argv: Sequence[str], options_end: int, root: str) -> tuple[tuple[str, ...], str]:
    """Return a search's words so that it skips files with secrets, and the note about that."""
    found = _below(root)
    shown = _LIKE_SECRETS if found is None else tuple(sorted(found))
    if not shown:
        return tuple(argv), ""
    note = LEFT_OUT + ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")
    if rule == "git grep":
        magic = "exclude,glob" if found is None else "exclude,literal"
        return (*argv, *(f":({magic}){'**/' * (found is None)}{path}" for path in shown)), note
    option = "-x" if rule == "diff" else "--exclude"
    names = shown if found is None else dict.fromkeys(_as_glob(path.rpartition("/")[2]) for path in shown)
    more = [word for name in names for word in ((option, name) if rule == "diff" else (f"{option}={name}",))]
    return (*argv[:options_end], *more, *argv[options_end:]), note


def _as_glob(name: str) -> str:
    return re.sub(r"([*?\[\]\\])", r"\\\1", name)


def _below(root: str) -> list[str] | None:
    """Return the files with secrets in a folder, None if there are too many names to check."""
    found: list[str] = []
    for count, path in enumerate(_files(root)):
        if count > MOST_ENTRIES:
            return None
        if is_secret(path, root):
            found.append(path)
    return found


def _files(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        start = os.path.relpath(folder, root)
        yield from (name if start == "." else f"{start}/{name}" for name in names)


def _head(path: str, size: int, *, follow: bool = False) -> bytes:
    """Return a regular file's first bytes; nothing if it cannot be opened, because then no command can show it."""
    no_link = 0 if follow else os.O_NOFOLLOW  # the target of a link is checked separately
    try:
        with open(os.open(path, os.O_RDONLY | no_link | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(size) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return b""

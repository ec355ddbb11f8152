"""Workspace tier: the ways to run tests and builds, which run code of the workspace."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from attrs import Factory, frozen

from inarch_plugins.sandbox_fs.commands.kinds import Refused, check_path

VENVS = (".venv/bin", "venv/bin", "env/bin", "node_modules/.bin", "vendor/bin")
"""Folders of the workspace that are searched for a project's own programs, before the user's."""

_OWN = re.compile(r"(?:\./)?(?P<folder>(?:[\w.-]+/)*(?:bin|\.bin))/(?P<name>[\w.-]+)")
_SCRIPT = re.compile(r"[\w@:.+-]+")


@frozen(slots=False)
class Runner:
    """One way to run tests or builds.

    Args:
        pattern: The words it begins with: literal words, alternatives with `|`, `FILE` for a path of the workspace,
            `NAME` for a plain word.
        is_exact: Whether "always" covers only this exact command, not all that begin like it.
        requires: A word that must be among the rest, such as `--check`; several with `|`; empty for none.
        exits: Meanings of exit codes other than 0.
    """

    pattern: str
    is_exact: bool = False
    requires: str = ""
    exits: Mapping[int, str] = Factory(dict)

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """Return the alternatives for each of the first words."""
        return tuple(frozenset(word.split("|")) for word in self.pattern.split())

    def takes(self, words: Sequence[str], root: str) -> bool:
        """Return whether a command line begins like this."""
        if len(words) < len(self.words):
            return False
        if not all(_is(word, wanted, root) for word, wanted in zip(words, self.words, strict=False)):
            return False
        return not self.requires or bool(set(self.requires.split("|")).intersection(words))

    def shape(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the common first words of all command lines that one answer covers."""
        return tuple(words) if self.is_exact else tuple(words[: len(self.words)])


def program_name(word: str) -> str:
    """Return the name by which a runner knows a program: `.venv/bin/pytest` is `pytest`."""
    own = _OWN.fullmatch(word)
    return own["name"] if own else word


def _is(word: str, wanted: frozenset[str], root: str) -> bool:
    if word in wanted:
        return True
    if "NAME" in wanted:
        return bool(_SCRIPT.fullmatch(word)) and not word.startswith("-")
    if "FILE" in wanted and not word.startswith("-"):
        try:
            check_path(word, root)
        except Refused:
            return False
        return True
    return False


_PYTHON = "python|python3|python3.11|python3.12|python3.13|python3.14|pypy3"

_PYTEST = {1: "tests failed", 2: "interrupted, or tests could not be collected", 4: "wrong usage", 5: "no tests found"}

RUNNERS: tuple[Runner, ...] = (
    Runner("pytest|py.test", exits=_PYTEST),
    Runner(f"{_PYTHON} -m pytest", exits=_PYTEST),
    Runner(
        f"{_PYTHON} -m unittest|doctest|tox|nox|mypy|ruff|flake8|pylint|pyright|coverage|compileall|py_compile|build",
    ),
    Runner(f"{_PYTHON} -m black|isort", requires="--check|--check-only|--diff|-c"),
    Runner(f"{_PYTHON} FILE"),
    Runner("tox|nox"),
    Runner("coverage run|report|html|xml|json"),
    Runner("mypy|flake8|pylint|pyright"),
    Runner("ruff check|format"),
    Runner("black|isort", requires="--check|--check-only|--diff|-c"),
    Runner("uv|poetry|pdm|hatch|pipenv|rye run pytest|mypy|ruff|tox|nox|unittest|pyright|coverage"),
    Runner(f"uv|poetry|pdm|hatch|pipenv|rye run {_PYTHON} -m pytest|unittest|mypy|ruff|coverage"),
    Runner(f"uv|poetry|pdm|hatch|pipenv|rye run {_PYTHON} FILE"),
    Runner("hatch test"),
    Runner("npm|pnpm|yarn|bun test|t"),
    Runner("npm|pnpm|yarn|bun run NAME"),
    Runner("jest|vitest|mocha|tsc|eslint|playwright|ava|tap"),
    Runner("prettier", requires="--check|-c|--list-different|-l"),
    Runner("node --test"),
    Runner("deno test|lint|check"),
    Runner("node|bun FILE"),
    Runner("cargo test|build|check|clippy|bench|nextest|doc|tree|metadata"),
    Runner("cargo fmt", requires="--check"),
    Runner("cargo run"),
    Runner("go test|build|vet|list|run"),
    Runner("gofmt", requires="-l|-d"),
    Runner("mvn|mvnw|./mvnw", is_exact=True),
    Runner("gradle|gradlew|./gradlew", is_exact=True),
    Runner("make|gmake|just|task|rake", is_exact=True),
    Runner("ninja", is_exact=True),
    Runner("cmake --build"),
    Runner("ctest"),
    Runner("meson test|compile"),
    Runner("dotnet test|build"),
    Runner("swift test|build"),
    Runner("rspec|phpunit|rubocop|phpstan"),
    Runner("bundle exec rspec|rake|rubocop|rails"),
    Runner("composer test"),
    Runner("mix test|compile"),
    Runner("ruby|php|perl FILE"),
    Runner("sh|bash FILE"),
)  # fmt: skip


def is_known(name: str) -> bool:
    """Return whether a program runs workspace code anyway, so that the workspace may also provide it."""
    return any(name in runner.words[0] for runner in RUNNERS)

"""The workspace tier: the ways in which tests and builds are run. What runs is code of the workspace."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from attrs import Factory, field, frozen

from inarch_sandbox_fs.commands.kinds import Refused, check_path

VENVS = (".venv/bin", "venv/bin", "env/bin", "node_modules/.bin", "vendor/bin")
"""Folders of the workspace in which a program of a project's own is looked for, before the user's."""

_OWN = re.compile(r"(?:\./)?(?P<folder>(?:[\w.-]+/)*(?:bin|\.bin))/(?P<name>[\w.-]+)")
_SCRIPT = re.compile(r"[\w@:.+-]+")


@frozen(slots=False)
class Runner:
    """One way to run tests or builds.

    Args:
        pattern: The words it begins with: words as they stand, several with `|`, `FILE` for a path of the workspace,
            `NAME` for a plain word.
        is_exact: Whether "always" means this very command and not all that begin like it.
        requires: A word that must be among the rest, such as `--check`; several with `|`; empty for none.
        exits: What an exit code other than 0 means.
        match: Command lines that it takes.
        not_match: Command lines that it doesn't take.
    """

    pattern: str
    is_exact: bool = False
    requires: str = ""
    exits: Mapping[int, str] = Factory(dict)
    match: tuple[str, ...] = field(kw_only=True)
    not_match: tuple[str, ...] = field(kw_only=True, default=())

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """What each of the first words may be."""
        return tuple(frozenset(word.split("|")) for word in self.pattern.split())

    def takes(self, words: Sequence[str], root: str) -> bool:
        """Whether a command line begins like this."""
        if len(words) < len(self.words):
            return False
        if not all(_is(word, wanted, root) for word, wanted in zip(words, self.words, strict=False)):
            return False
        return not self.requires or bool(set(self.requires.split("|")).intersection(words))

    def shape(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the words that all command lines share for which one answer may count."""
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
    Runner("pytest|py.test", exits=_PYTEST, match=("pytest", "pytest -q tests/test_a.py::test_b",
           ".venv/bin/pytest -x")),
    Runner(f"{_PYTHON} -m pytest", exits=_PYTEST, match=("python -m pytest -q", ".venv/bin/python -m pytest")),
    Runner(
        f"{_PYTHON} -m unittest|doctest|tox|nox|mypy|ruff|flake8|pylint|pyright|coverage|compileall|py_compile|build",
        match=("python3 -m unittest discover", ".venv/bin/python -m mypy src"),
        not_match=("python -m pip install x", "python -c 'print(1)'", "python -m http.server", "python"),
    ),
    Runner(f"{_PYTHON} -m black|isort", requires="--check|--check-only|--diff|-c",
           match=("python -m black --check .",), not_match=("python -m black .",)),
    Runner(f"{_PYTHON} FILE", match=("python manage.py test", "python3 src/main.py --x=1"),
           not_match=("python -", "python -i", "python ../x.py", "python /tmp/x.py")),
    Runner("tox|nox", match=("tox", "tox -e py311", "nox -s tests")),
    Runner("coverage run|report|html|xml|json", match=("coverage run -m pytest",), not_match=("coverage",)),
    Runner("mypy|flake8|pylint|pyright", match=("mypy src", "pyright")),
    Runner("ruff check|format", match=("ruff check .", "ruff format --check ."), not_match=("ruff server",)),
    Runner("black|isort", requires="--check|--check-only|--diff|-c",
           match=("black --check .", "isort --check-only src"), not_match=("black .", "isort src")),
    Runner("uv|poetry|pdm|hatch|pipenv|rye run pytest|mypy|ruff|tox|nox|unittest|pyright|coverage",
           match=("uv run pytest -q", "poetry run mypy src"), not_match=("uv pip install x", "uv run sh -c x")),
    Runner(f"uv|poetry|pdm|hatch|pipenv|rye run {_PYTHON} -m pytest|unittest|mypy|ruff|coverage",
           match=("uv run python -m pytest",), not_match=("uv run python -c 1",)),
    Runner(f"uv|poetry|pdm|hatch|pipenv|rye run {_PYTHON} FILE", match=("uv run python a.py",)),
    Runner("hatch test", match=("hatch test",)),
    Runner("npm|pnpm|yarn|bun test|t", match=("npm test", "npm test -- --watch=false", "yarn test"),
           not_match=("npm install", "npm exec x", "npx x", "npm ci")),
    Runner("npm|pnpm|yarn|bun run NAME", match=("npm run test:unit", "npm run build -- --x", "pnpm run lint"),
           not_match=("npm run", "npm run --silent x", "npm run 'a b'")),
    Runner("jest|vitest|mocha|tsc|eslint|playwright|ava|tap",
           match=("jest src", "node_modules/.bin/tsc --noEmit"), not_match=("npx jest",)),
    Runner("prettier", requires="--check|-c|--list-different|-l", match=("prettier --check .",),
           not_match=("prettier --write .",)),
    Runner("node --test", match=("node --test", "node --test tests")),
    Runner("deno test|lint|check", match=("deno test",)),
    Runner("node|bun FILE", match=("node src/main.js --flag",), not_match=("node -e 1", "node /tmp/x.js")),
    Runner("cargo test|build|check|clippy|bench|nextest|doc|tree|metadata",
           match=("cargo test -- --nocapture", "cargo clippy"), not_match=("cargo install x", "cargo publish")),
    Runner("cargo fmt", requires="--check", match=("cargo fmt --check",), not_match=("cargo fmt",)),
    Runner("cargo run", match=("cargo run --example a",)),
    Runner("go test|build|vet|list|run", match=("go test ./...", "go vet ./..."), not_match=("go get x",
           "go install x")),
    Runner("gofmt", requires="-l|-d", match=("gofmt -l .",), not_match=("gofmt -w .",)),
    Runner("mvn|mvnw|./mvnw", match=("mvn test", "./mvnw -q verify"), not_match=("mvnd test",), is_exact=True),
    Runner("gradle|gradlew|./gradlew", match=("gradle test", "./gradlew check"), is_exact=True),
    Runner("make|gmake|just|task|rake", match=("make", "make -j4 test", "just test"), is_exact=True),
    Runner("ninja", match=("ninja -C build",), is_exact=True),
    Runner("cmake --build", match=("cmake --build build",), not_match=("cmake -E rm x", "cmake .")),
    Runner("ctest", match=("ctest --test-dir build",)),
    Runner("meson test|compile", match=("meson test -C build",), not_match=("meson install",)),
    Runner("dotnet test|build", match=("dotnet test",), not_match=("dotnet add x",)),
    Runner("swift test|build", match=("swift test",)),
    Runner("rspec|phpunit|rubocop|phpstan", match=("rspec spec/a_spec.rb", "vendor/bin/phpunit")),
    Runner("bundle exec rspec|rake|rubocop|rails", match=("bundle exec rspec",), not_match=("bundle exec sh",
           "bundle install")),
    Runner("composer test", match=("composer test",), not_match=("composer install",)),
    Runner("mix test|compile", match=("mix test",), not_match=("mix deps.get",)),
    Runner("ruby|php|perl FILE", match=("ruby a.rb",), not_match=("perl -e 1", "php -r 1")),
    Runner("sh|bash FILE", match=("bash scripts/test.sh --fast",), not_match=("sh -c ls", "bash", "bash /tmp/x.sh")),
)  # fmt: skip


def is_known(name: str) -> bool:
    """Whether a program runs code of the workspace anyway, so that the workspace may bring it too."""
    return any(name in runner.words[0] for runner in RUNNERS)

"""What manifest files declare: name, purpose, dependencies, licence, how to test. Each fact with its line."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from inarch_offline.material import FileText
from inarch_offline.readme import Fact, licence_of
from inarch_offline.writing import Place, cut, one_line

MANIFESTS = (
    "pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "package.json", "Cargo.toml", "go.mod", "pom.xml",
    "build.gradle", "build.gradle.kts", "Gemfile", "composer.json", "CMakeLists.txt", "Makefile", "mix.exs",
    "tox.ini", "noxfile.py", "pytest.ini",
)  # fmt: skip
"""File names that are read, the most telling first."""


@define(eq=False, repr=False)
class Project:
    """What a project says of itself; what no manifest declares stays None or empty."""

    name: Fact | None = None
    version: str = ""
    description: Fact | None = None
    python: Fact | None = None
    licence: Fact | None = None
    test_command: Fact | None = None
    nothing_needed: Fact | None = None
    """Said of a manifest that could list dependencies and lists none."""
    dependencies: list[Fact] = field(factory=list)
    extras: list[Fact] = field(factory=list)
    scripts: list[Fact] = field(factory=list)
    manifests: list[Place] = field(factory=list)
    broken: list[Fact] = field(factory=list)
    """Manifests that could not be parsed, each with the reason."""

    def offer(self, **facts: Fact | None) -> None:
        """Set what is not known yet: the first manifest that says something holds."""
        for name, fact in facts.items():
            if fact is not None and fact.text and getattr(self, name) is None:
                setattr(self, name, fact)

    def cannot_parse(self, text: FileText, error: Exception) -> None:
        """Keep that a manifest could not be parsed: what it declares is not known."""
        said = one_line(str(error)) or type(error).__name__
        self.broken.append(Fact(f"{text.path} could not be parsed: {cut(said, 120)}", text.place(0)))


def read_project(texts: Sequence[FileText], paths: Sequence[str]) -> Project:
    """Read manifests and licence files; `paths` are all files, for conventions such as a test runner."""
    from inarch_offline.manifests.others import read_other
    from inarch_offline.manifests.python import read_python

    project = Project()
    runner = next((path for path in paths if path in ("tests/runtests.py", "manage.py")), "")
    if runner:
        command = f"python {runner}" + (" test" if runner == "manage.py" else "")
        project.offer(test_command=Fact(command, Place(runner)))
    others = []
    for text in texts:
        base = text.path.rpartition("/")[2]
        if base.lower().startswith(("licen", "copying", "unlicen")):
            others.append(text)
        elif not base.lower().startswith("readme"):
            project.manifests.append(Place(text.path))
            if not read_python(project, base, text):
                others.append(text)
    for text in others:  # where Python is there, it comes first: a package.json beside it is for its tools
        base = text.path.rpartition("/")[2]
        if Place(text.path) in project.manifests:
            read_other(project, base, text)
        else:
            project.offer(licence=licence_of(text))
    return project


def is_manifest(path: str) -> bool:
    """Whether a path is a manifest's by its name or ending."""
    base = path.rpartition("/")[2]
    return base in MANIFESTS or base.endswith((".gemspec", ".csproj", ".cabal"))

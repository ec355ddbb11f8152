"""Facts that manifests declare: name, purpose, dependencies, licence, scripts, how to test. Each with its line."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from inarch_offline.page import Place, cut, one_line
from inarch_offline.prose import Fact, licence_of
from inarch_offline.results import FileText

MANIFESTS = (
    "pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "tox.ini", "noxfile.py", "pytest.ini",
    "package.json", "Cargo.toml", "go.mod", "pom.xml", "build.gradle", "build.gradle.kts", "Gemfile", "composer.json",
    "CMakeLists.txt", "Makefile",
)  # fmt: skip
"""File names that are read, the most telling first."""
_GRADLE = (("dependencies", r"^\s*(?:implementation|api|compile)\s*\(?[\"']([^\"']+)[\"']"),)
_PLAIN: Mapping[str, tuple[tuple[str, str], ...]] = {
    "requirements.txt": (("dependencies", r"^([A-Za-z][^#\n]*[^#\s])"),),
    "go.mod": (
        ("name", r"^module\s+(\S+)"),
        ("dependencies", r"^(?:require\s+|\t)([\w.-]+\.[\w./-]+\s+v\S+)(?!.*// indirect)"),
    ),
    "pom.xml": (("name", r"<artifactId>([^<]+)<"), ("description", r"<description>([^<]+)<")),
    "build.gradle": _GRADLE,
    "build.gradle.kts": _GRADLE,
    "Gemfile": (("dependencies", r"^\s*gem\s+[\"']([^\"']+)"),),
    "CMakeLists.txt": (
        ("name", r"(?i)^\s*project\s*\(\s*\"?([\w.+-]+)"),
        ("dependencies", r"(?i)^\s*find_package\s*\(\s*(\w+)"),
    ),
    "Makefile": (("scripts", r"^((?:run|start|serve))\s*:"),),
}
"""Manifests that are read line by line: what a group of an expression is."""
_TESTS = {
    "go.mod": ("go test ./...", ""), "Cargo.toml": ("cargo test", ""), "pom.xml": ("mvn test", ""),
    "build.gradle": ("gradle test", ""), "build.gradle.kts": ("gradle test", ""), "pytest.ini": ("pytest", ""),
    "Makefile": ("make test", r"^test\s*:"), "CMakeLists.txt": ("ctest", r"(?i)enable_testing"),
    "tox.ini": ("tox", r"^\[testenv|^\[tox"), "noxfile.py": ("nox", r"@nox\.session"),
    "setup.cfg": ("pytest", r"^\[tool:pytest\]"),
}  # fmt: skip
"""The command that runs the tests, and the line that says so if it must be there."""


@define(eq=False, repr=False)
class Project:
    """What a project says of itself; what no manifest declares stays None or empty."""

    name: Fact | None = None
    version: str = ""
    description: Fact | None = None
    python: Fact | None = None
    licence: Fact | None = None
    test_command: Fact | None = None
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


def is_manifest(path: str) -> bool:
    """Whether a path is a manifest's by its name or ending."""
    base = path.rpartition("/")[2]
    return base in MANIFESTS or base.endswith((".gemspec", ".csproj", ".cabal"))


def read_project(texts: Sequence[FileText], paths: Sequence[str]) -> Project:
    """Read manifests and licence files; `paths` are all files, for conventions such as a test runner."""
    project = Project()
    for runner, command in (("tests/runtests.py", "python tests/runtests.py"), ("manage.py", "python manage.py test")):
        if runner in paths:
            project.offer(test_command=Fact(command, Place(runner)))
    order = {name: index for index, name in enumerate(MANIFESTS)}
    for text in sorted(texts, key=lambda text: order.get(text.path.rpartition("/")[2], len(order))):
        base = text.path.rpartition("/")[2]
        if base.lower().startswith(("licen", "copying", "unlicen")):
            project.offer(licence=licence_of(text))
        elif is_manifest(text.path):
            project.manifests.append(Place(text.path))
            try:
                _read(project, base, text)
            except (ValueError, SyntaxError, RecursionError) as error:
                said = one_line(str(error)) or type(error).__name__
                project.broken.append(Fact(f"{text.path} could not be parsed: {cut(said, 120)}", text.place(0)))
    return project


def _read(project: Project, base: str, text: FileText) -> None:
    if base in ("pyproject.toml", "Cargo.toml"):
        from inarch_toml import loads

        (_pyproject if base == "pyproject.toml" else _cargo)(project, text, loads(text.text))
    elif base in ("package.json", "composer.json"):
        _package_json(project, text, json.loads(text.text))
    elif base == "setup.cfg":
        _setup_cfg(project, text)
    elif base == "setup.py":
        _setup_py(project, text)
    had = bool(project.dependencies)
    for name, pattern in _PLAIN.get(base, ()):
        for index, line in enumerate(text.text.split("\n")):
            found = re.search(pattern, line)
            if found and name in ("name", "description"):
                project.offer(**{name: Fact(found[1].strip(), text.place(index))})
            elif found and name == "scripts":
                project.scripts.append(Fact(f"make {found[1]}", text.place(index)))
            elif found and not had:
                project.dependencies.append(Fact(one_line(found[1]), text.place(index)))
    command, pattern = _TESTS.get(base, ("", ""))
    if command and (not pattern or re.search(pattern, text.text, re.M)):
        project.offer(test_command=Fact(command, _line_of(text, pattern)))


def _pyproject(project: Project, text: FileText, data: Mapping[str, Any]) -> None:
    main, poetry = _table(data, "project"), _table(data, "tool", "poetry")
    own, section = (main, r"^\[project\]") if main else (poetry, r"^\[tool\.poetry\]")
    _say_of_itself(project, text, own, section)
    needed = main.get("requires-python") or _table(poetry, "dependencies").get("python")
    python = f"Python {needed}" if isinstance(needed, str) else ""
    project.offer(python=_fact(text, python, r"^requires-python\s*=|^python\s*="))
    start = _line_of(text, r"^dependencies\s*=", section)
    project.dependencies += [Fact(one, _from(text, one, start)) for one in _strings(main.get("dependencies"))]
    _requirements(project, text, {"dependencies": _table(poetry, "dependencies")}, "dependencies", project.dependencies)
    for group, listed in [*_table(main, "optional-dependencies").items(), *_table(data, "dependency-groups").items()]:
        if needed_there := ", ".join(_strings(listed)):
            place = _key(text, group, r"optional-dependencies|dependency-groups")
            project.extras.append(Fact(f"{group}: {needed_there}", place))
    for name, target in [*_table(main, "scripts").items(), *_table(poetry, "scripts").items()]:
        if isinstance(target, str):
            project.scripts.append(Fact(f"{name} = {target}", _key(text, name, r"scripts\]")))
    for tool in ("pytest", "tox"):
        if tool in _table(data, "tool"):
            project.offer(test_command=Fact(tool, _line_of(text, rf"^\[+tool\.{tool}\b")))


def _cargo(project: Project, text: FileText, data: Mapping[str, Any]) -> None:
    _say_of_itself(project, text, _table(data, "package"), r"^\[package\]")
    _requirements(project, text, data, "dependencies", project.dependencies)
    _requirements(project, text, data, "dev-dependencies", project.extras)


def _package_json(project: Project, text: FileText, data: Any) -> None:
    if not isinstance(data, Mapping):
        return
    php = text.path.endswith("composer.json")
    _say_of_itself(project, text, data, "")
    scripts, bins = _table(data, "scripts"), data.get("bin")
    if scripts.get("test"):
        place = _line_of(text, r'"test"\s*:', r'"scripts"\s*:')
        project.offer(test_command=Fact("composer test" if php else "npm test", place))
    told = {"npm start": scripts.get("start"), **(bins if isinstance(bins, Mapping) else {data.get("name"): bins})}
    for name, target in told.items():
        if isinstance(target, str):
            project.scripts.append(Fact(f"{name} = {target}", _line_of(text, r'"start"\s*:|"bin"\s*:')))
    if isinstance(data.get("main"), str):
        project.scripts.append(Fact(f"main module {data['main']}", _line_of(text, r'"main"\s*:')))
    _requirements(project, text, data, "require" if php else "dependencies", project.dependencies)
    _requirements(project, text, data, "require-dev" if php else "devDependencies", project.extras)


def _say_of_itself(project: Project, text: FileText, own: Mapping[str, Any], section: str) -> None:
    for name, key in (("name", "name"), ("description", "description"), ("licence", "license")):
        value = own.get(key)
        if isinstance(value, Mapping):
            value = value.get("text") or value.get("name")
        if isinstance(value, str) and len(value) < 1_000:
            project.offer(
                **{name: _fact(text, value if key != "license" else value[:60], rf'^\s*"?{key}"?\s*[:=]', section)}
            )
    if isinstance(own.get("version"), str):
        project.version = project.version or own["version"]


def _requirements(project: Project, text: FileText, data: Mapping[str, Any], section: str, into: list[Fact]) -> None:
    """Add a table of names and versions."""
    for name, value in _table(data, section).items():
        said = value if isinstance(value, str) else value.get("version", "") if isinstance(value, Mapping) else ""
        if name != "python":
            into.append(Fact(f"{name} {said}".strip(), _key(text, name, rf'{section}"?\s*[\]:]|{section}\.')))


def _setup_cfg(project: Project, text: FileText) -> None:
    from configparser import ConfigParser, Error

    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text.text)
    except Error as error:
        raise ValueError(str(error)) from error
    if parser.has_section("metadata"):
        _say_of_itself(project, text, dict(parser["metadata"]), r"^\[metadata\]")
    options = parser["options"] if parser.has_section("options") else {}
    if needed := options.get("python_requires", ""):
        project.offer(python=_fact(text, f"Python {needed}", r"^python_requires\s*="))
    start = _line_of(text, r"^install_requires\s*=")
    listed = [one for one in options.get("install_requires", "").split("\n") if one]
    project.dependencies += [] if project.dependencies else [Fact(one, _from(text, one, start)) for one in listed]


def _setup_py(project: Project, text: FileText) -> None:
    """Read the literal arguments of `setup(...)`; nothing is run."""
    for node in ast.walk(ast.parse(text.text)):
        if not isinstance(node, ast.keyword):
            continue
        value = [
            one.value for one in ast.walk(node.value) if isinstance(one, ast.Constant) and isinstance(one.value, str)
        ]
        place = text.place(node.value.lineno - 1)
        name = {"license": "licence", "python_requires": "python"}.get(node.arg or "", node.arg)
        if value and name in ("name", "description", "licence", "python"):
            project.offer(**{name: Fact(f"Python {value[0]}" if name == "python" else one_line(value[0]), place)})
        elif name == "install_requires" and not project.dependencies:
            project.dependencies += [Fact(one, _from(text, one, place)) for one in value]


def _line_of(text: FileText, pattern: str, after: str = "") -> Place:
    """Find the first line that matches, after the first line that matches `after`; else the line of that."""
    lines = text.text.split("\n")
    start = next((index for index, line in enumerate(lines) if re.search(after, line)), 0) if after else 0
    return text.place(next((index for index in range(start, len(lines)) if re.search(pattern, lines[index])), start))


def _key(text: FileText, name: str, after: str) -> Place:
    """Find the line of a key, bare or quoted, behind the head of its table."""
    return _line_of(text, rf'^\s*"?{re.escape(name)}"?\s*[:=]', after)


def _fact(text: FileText, value: str, pattern: str, after: str = "") -> Fact | None:
    return Fact(one_line(value), _line_of(text, pattern, after)) if value.strip() else None


def _from(text: FileText, wanted: str, start: Place) -> Place:
    """Find a text at or below a place."""
    lines = text.text.split("\n")
    rows = range(max(start.line - text.start, 0), len(lines))
    return text.place(next((row for row in rows if wanted in lines[row].replace('\\"', '"')), start.line - text.start))


def _table(data: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        inner = data.get(name)
        data = inner if isinstance(inner, Mapping) else {}
    return data


def _strings(value: object) -> Sequence[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []

"""Facts in manifests, each with its line: name, purpose, dependencies, licence, scripts, test command."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from inarch_brief.offline.layout import MANIFESTS, is_manifest
from inarch_brief.offline.page import cut, one_line
from inarch_brief.offline.prose import Fact, licence_of
from inarch_brief.offline.results import FileText, Place

_CFG = {
    "name": r"^name\s*=\s*(\S.*)", "description": r"^description\s*=\s*(\S.*)", "licence": r"^license\s*=\s*(\S.*)",
    "python": r"^python_requires\s*=\s*(\S.*)", "dependencies": r"^[ \t]+([A-Za-z][^\n]*)",
}  # fmt: skip
_GRADLE = {"dependencies": r"^\s*(?:implementation|api|compile)\s*\(?[\"']([^\"']+)[\"']"}
_PLAIN: Mapping[str, Mapping[str, str]] = {
    "setup.cfg": _CFG,
    "setup.py": {
        "name": r"(?i)\bname\s*=\s*[\"']([\w.-]+)[\"']", "description": r"\bdescription\s*=\s*[\"']([^\"'\n]+)",
        "licence": r"\blicense\s*=\s*[\"']([^\"'\n]+)", "python": r"\bpython_requires\s*=\s*[\"']([^\"'\n]+)",
        "dependencies": r"[\"']([A-Za-z][^\"'\n]*)",
    },
    "requirements.txt": {"dependencies": r"^([A-Za-z][^#\n]*[^#\s])"},
    "go.mod": {"name": r"^module\s+(\S+)", "dependencies": r"^(?:require\s+|\t)(\S+\s+v\S+)(?!.*// indirect)"},
    "pom.xml": {"name": r"<artifactId>([^<]+)<", "description": r"<description>([^<]+)<"},
    "build.gradle": _GRADLE,
    "build.gradle.kts": _GRADLE,
    "Gemfile": {"dependencies": r"^\s*gem\s+[\"']([^\"']+)"},
    "CMakeLists.txt": {
        "name": r"^\s*(?i:project)\s*\(\s*\"?([\w.+-]+)", "dependencies": r"^\s*(?i:find_package)\s*\(\s*(\w+)",
    },
    "Makefile": {"scripts": r"^((?:run|start|serve))\s*:"},
}  # fmt: skip
"""Manifests read by expressions, with the field of each group."""
_WITHIN = {
    "setup.cfg": r"^install_requires\s*=(?:.*\n(?:[ \t]+.*\n?)*)",
    "setup.py": r"\b(?:install_requires|\w*requires|REQ\w*)\s*=\s*\[[^\]]*\]",
}
"""The part of a manifest with its dependencies."""
_TESTS = {
    "go.mod": ("go test ./...", ""), "Cargo.toml": ("cargo test", ""), "pom.xml": ("mvn test", ""),
    "build.gradle": ("gradle test", ""), "build.gradle.kts": ("gradle test", ""), "pytest.ini": ("pytest", ""),
    "Makefile": ("make test", r"^test\s*:"), "CMakeLists.txt": ("ctest", r"(?i)enable_testing"),
    "tox.ini": ("tox", r"^\[testenv|^\[tox"), "noxfile.py": ("nox", r"@nox\.session"),
    "setup.cfg": ("pytest", r"^\[tool:pytest\]"), "pyproject.toml": ("pytest", r"^\[+tool\.pytest\b"),
    "package.json": ("npm test", r'"test"\s*:'), "composer.json": ("composer test", r'"test"\s*:'),
}  # fmt: skip
"""The command that runs the tests, and the line that must be present, if any."""


@define(eq=False, repr=False)
class Project:
    """A project's facts. Undeclared ones stay None or empty."""

    name: Fact | None = None
    version: str = ""
    is_private: bool = False
    """Whether the first manifest is only the frame of a workspace of JavaScript: it is never published."""
    description: Fact | None = None
    python: Fact | None = None
    licence: Fact | None = None
    test_command: Fact | None = None
    dependencies: list[Fact] = field(factory=list)
    extras: list[Fact] = field(factory=list)
    scripts: list[Fact] = field(factory=list)
    packages: list[str] = field(factory=list)
    """Names and folders of what is installed, as far as a manifest lists it."""
    manifests: list[Place] = field(factory=list)
    broken: list[Fact] = field(factory=list)
    """Manifests that do not parse, each with the reason."""

    def offer(self, **facts: Fact | None) -> None:
        """Set facts that are not known yet: the first manifest with a fact wins."""
        for name, fact in facts.items():
            if fact is not None and fact.text and getattr(self, name) is None:
                setattr(self, name, fact)


def read_project(texts: Sequence[FileText], paths: Sequence[str]) -> Project:
    """Read manifests and licence files; `paths` are all files, for conventions such as a test runner.

    A nested manifest's facts are the project's: it is read for the part that is the product.
    """
    project = Project()
    for runner, command in (("tests/runtests.py", "python tests/runtests.py"), ("manage.py", "python manage.py test")):
        if runner in paths:
            project.offer(test_command=Fact(command, Place(runner)))
    order = {name: index for index, name in enumerate(MANIFESTS)}
    for text in sorted(texts, key=lambda one: ("/" not in one.path, order.get(one.path.rpartition("/")[2], 99))):
        base = text.path.rpartition("/")[2]
        if base.lower().startswith(("licen", "copying", "unlicen")):
            project.offer(licence=licence_of(text))
        elif is_manifest(text.path):
            project.manifests.append(Place(text.path))
            try:
                _read(project, base, text)
            except (ValueError, RecursionError) as error:
                said = one_line(str(error)) or type(error).__name__
                project.broken.append(Fact(f"{text.path} could not be parsed: {cut(said, 120)}", text.place(0)))
    return project


def _read(project: Project, base: str, text: FileText) -> None:
    if text.truncated and base.endswith((".toml", ".json")):
        raise ValueError(f"only its first {text.text.count(chr(10)):,} lines could be read")
    if base.endswith(".toml"):
        from inarch_lib.toml import loads

        _declared(project, text, loads(text.text))
    elif base.endswith(".json"):
        _declared(project, text, json.loads(text.text))
    had = bool(project.dependencies)
    for name, pattern in _PLAIN.get(base, {}).items():
        start, end = 0, len(text.text)
        if name == "dependencies" and base in _WITHIN:
            within = re.search(_WITHIN[base], text.text, re.M)
            start, end = within.span() if within else (0, 0)
        for found in re.compile(pattern, re.M).finditer(text.text, start, end):
            fact = Fact(one_line(found[1]), text.place(text.text.count("\n", 0, found.start(1))))
            if name == "scripts":
                project.scripts.append(fact._replace(text=f"make {fact.text}"))
            elif name != "dependencies":
                project.offer(**{name: fact._replace(text=f"Python {fact.text}") if name == "python" else fact})
            elif not had:
                project.dependencies.append(fact)
    listed = " ".join(re.findall(r"(?m)^\s*packages\s*=\s*\[([^\]]*)\]", text.text))
    project.packages += re.findall(r"[\"']([\w./-]+)[\"']", listed)
    command, pattern = _TESTS.get(base, ("", ""))
    if command and (not pattern or re.search(pattern, text.text, re.M)):
        project.offer(test_command=Fact(command, _line(text, pattern)))


def _declared(project: Project, text: FileText, data: Any) -> None:
    """Read a parsed manifest: pyproject.toml, Cargo.toml, package.json or composer.json."""
    if not isinstance(data, Mapping):
        return
    poetry = _table(data, "tool", "poetry")
    own = _table(data, "project") or poetry or _table(data, "package") or data
    shared = _table(data, "workspace", "package")
    for name, key in (("name", "name"), ("description", "description"), ("licence", "license")):
        value = own.get(key) or shared.get(key)
        value = (value.get("text") or value.get("name")) if isinstance(value, Mapping) else value
        if isinstance(value, str) and value.strip():
            told = one_line(value)[: 60 if name == "licence" else 1_000]
            project.offer(**{name: Fact(told, _key(text, key, r"^\[(?:project|package|tool\.poetry)\]"))})
    version = own.get("version")
    project.version = project.version or (version if isinstance(version, str) else "")
    project.is_private |= data.get("private") is True
    if needed := own.get("requires-python") or _table(poetry, "dependencies").get("python"):
        project.offer(python=Fact(f"Python {needed}", _line(text, r"^(?:requires-python|python)\s*=")))
    for section in ("dependencies", "require"):
        project.dependencies += _requirements(text, section, own.get(section) or data.get(section))
    for section in ("dev-dependencies", "devDependencies", "require-dev"):
        project.extras += _requirements(text, section, data.get(section))
    groups = {**_table(own, "optional-dependencies"), **_table(data, "dependency-groups")}
    for group, listed in groups.items():
        if isinstance(listed, list) and (names := ", ".join(one for one in listed if isinstance(one, str))):
            place = _key(text, group, r"optional-dependencies|dependency-groups")
            project.extras.append(Fact(f"{group}: {names}", place))
    commands, bins = _table(own, "scripts"), data.get("bin")
    known: dict[str, object] = {"npm start": commands.get("start")} if text.path.endswith(".json") else dict(commands)
    known.update(bins if isinstance(bins, Mapping) else {str(data.get("name")): bins})
    for name, target in {**known, "main module": data.get("main")}.items():
        if isinstance(target, str):
            project.scripts.append(Fact(f"{name} = {target}", _key(text, name, r"scripts|\"bin\"|\"main\"")))


def _requirements(text: FileText, section: str, listed: object) -> list[Fact]:
    """Return requirements from a list of texts, or from a table of names and versions."""
    start = _line(text, rf"^\s*\[?[\w.]*\"?{section}\"?\s*[\]=:]")
    if isinstance(listed, list):
        names = [one for one in listed if isinstance(one, str)]
        return [Fact(one, _line(text, re.escape(one.replace('"', '\\"')), start.line, one)) for one in names]
    rows = listed.items() if isinstance(listed, Mapping) else ()
    told = ((name, value.get("version", "") if isinstance(value, Mapping) else value) for name, value in rows)
    return [
        Fact(f"{name} {version}".strip(), _line(text, rf'^\s*"?{re.escape(name)}"?\s*[:=]', start.line))
        for name, version in told
        if name != "python"
    ]


def _line(text: FileText, pattern: str, after: int = 0, otherwise: str = "") -> Place:
    """Find the first matching line at or below a line, or return that line."""
    lines, start = text.text.split("\n"), max(after - text.start, 0)
    matching = (row for row in range(start, len(lines)) if re.search(pattern, lines[row]) or
                (otherwise and otherwise in lines[row]))  # fmt: skip
    return text.place(next(matching, min(start, len(lines) - 1)))


def _key(text: FileText, name: str, after: str) -> Place:
    """Find the line of a key, bare or quoted, below the head of its table."""
    return _line(text, rf'^\s*"?{re.escape(name)}"?\s*[:=]', _line(text, after).line)


def _table(data: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        inner = data.get(name)
        data = inner if isinstance(inner, Mapping) else {}
    return data

"""Python's manifests: pyproject.toml, setup.cfg, setup.py, requirements files, tox, nox and pytest configuration."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

from inarch_offline.manifests import Project
from inarch_offline.manifests.lines import fact, line_of
from inarch_offline.material import FileText
from inarch_offline.readme import Fact
from inarch_offline.writing import Place


def read_python(project: Project, base: str, text: FileText) -> bool:
    """Read a manifest of a Python project; False if it is none."""
    if base == "pyproject.toml":
        _pyproject(project, text)
    elif base == "setup.cfg":
        _setup_cfg(project, text)
    elif base == "setup.py":
        _setup_py(project, text)
    elif re.fullmatch(r"requirements.*\.txt", base):
        _requirements(project, text)
    elif base in ("tox.ini", "noxfile.py", "pytest.ini"):
        command, pattern = {
            "tox.ini": ("tox", r"^\[testenv|^\[tox"),
            "noxfile.py": ("nox", "@nox.session"),
            "pytest.ini": ("pytest", ""),
        }[base]
        project.offer(test_command=Fact(command, line_of(text, pattern)))
    else:
        return False
    return True


def _pyproject(project: Project, text: FileText) -> None:
    from inarch_toml import loads

    try:
        data = loads(text.text)
    except (ValueError, RecursionError) as error:
        _broken(project, text, error)
        return
    main, poetry = _table(data, "project"), _table(data, "tool", "poetry")
    own, section = (main, r"^\[project\]") if main else (poetry, r"^\[tool\.poetry\]")
    needed = main.get("requires-python")
    project.offer(
        name=fact(text, own.get("name"), r"^name\s*=", section),
        description=fact(text, own.get("description"), r"^description\s*=", section),
        python=fact(text, f"Python {needed}" if isinstance(needed, str) else "", r"^requires-python\s*="),
        licence=fact(text, _licence(own), r"^license\s*=", section),
    )
    project.version = project.version or (own["version"] if isinstance(own.get("version"), str) else "")
    _standard_dependencies(project, text, main, section)
    _poetry_dependencies(project, text, poetry)
    for group, requirements in [
        *_table(main, "optional-dependencies").items(),
        *_table(data, "dependency-groups").items(),
    ]:
        listed = ", ".join(_strings(requirements))
        if listed:
            place = _key(text, group, r"optional-dependencies|dependency-groups")
            project.extras.append(Fact(f"{group}: {listed}", place))
    for name, target in [*_table(main, "scripts").items(), *_table(poetry, "scripts").items()]:
        if isinstance(target, str):
            project.scripts.append(Fact(f"{name} = {target}", _key(text, name, r"scripts\]")))
    for tool in ("pytest", "tox"):
        if tool in _table(data, "tool"):
            project.offer(test_command=Fact(tool, line_of(text, rf"^\[+tool\.{tool}\b")))


def _standard_dependencies(project: Project, text: FileText, main: Mapping[str, Any], section: str) -> None:
    listed = _strings(main.get("dependencies"))
    if main and not listed and "dependencies" not in _strings(main.get("dynamic")):
        project.offer(nothing_needed=Fact("nothing, by its manifest", line_of(text, section)))
    start = line_of(text, r"^dependencies\s*=", section)
    project.dependencies += [Fact(requirement, _from(text, requirement, start)) for requirement in listed]


def _poetry_dependencies(project: Project, text: FileText, poetry: Mapping[str, Any]) -> None:
    listed = _table(poetry, "dependencies")
    for name, version in listed.items():
        said = version if isinstance(version, str) else _table(listed, name).get("version", "")
        if name == "python":
            project.offer(python=Fact(f"Python {said}", _key(text, name, r"^\[tool\.poetry\.dependencies")))
            continue
        project.dependencies.append(Fact(f"{name} {said}".strip(), _key(text, name, r"^\[tool\.poetry\.dependencies")))


def _key(text: FileText, name: str, after: str) -> Place:
    """Find the line of a key, bare or quoted, behind its table's head."""
    return line_of(text, rf"^\"?{re.escape(name)}\"?\s*=", after)


def _setup_cfg(project: Project, text: FileText) -> None:
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text.text)
    except configparser.Error as error:
        _broken(project, text, error)
        return

    def value(section: str, name: str) -> str:
        return parser.get(section, name, fallback="")

    needed = value("options", "python_requires")
    project.offer(
        name=fact(text, value("metadata", "name"), r"^name\s*="),
        description=fact(text, value("metadata", "description"), r"^description\s*="),
        licence=fact(text, value("metadata", "license"), r"^license\s*="),
        python=fact(text, f"Python {needed}" if needed else "", r"^python_requires\s*="),
    )
    if not project.dependencies:
        start = line_of(text, r"^install_requires\s*=")
        project.dependencies += [
            Fact(one, _from(text, one, start)) for one in value("options", "install_requires").split("\n") if one
        ]
    if parser.has_section("tool:pytest"):
        project.offer(test_command=Fact("pytest", line_of(text, r"^\[tool:pytest\]")))


def _setup_py(project: Project, text: FileText) -> None:
    """Read the literal arguments of `setup(...)`; nothing is run."""
    try:
        tree = ast.parse(text.text)
    except (SyntaxError, ValueError, RecursionError) as error:
        _broken(project, text, error)
        return
    lists = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not ast.unparse(node.func).endswith("setup"):
            continue
        for word in node.keywords:
            value = lists.get(word.value.id, word.value) if isinstance(word.value, ast.Name) else word.value
            place = text.place(value.lineno - 1)
            literal = _literal(value)
            if isinstance(literal, str) and word.arg in ("name", "description", "license"):
                project.offer(**{"licence" if word.arg == "license" else word.arg: Fact(literal, place)})
            elif word.arg == "python_requires" and isinstance(literal, str):
                project.offer(python=Fact(f"Python {literal}", place))
            elif word.arg == "install_requires" and not project.dependencies:
                project.dependencies += [Fact(one, _from(text, one, place)) for one in _strings(literal)]


def _requirements(project: Project, text: FileText) -> None:
    if project.dependencies:
        return
    for index, line in enumerate(text.text.split("\n")):
        requirement = line.partition("#")[0].strip()
        if requirement and not requirement.startswith("-"):
            project.dependencies.append(Fact(requirement, text.place(index)))


def _broken(project: Project, text: FileText, error: Exception) -> None:
    """Keep what a scan finds in a file that can't be parsed, and why it can't."""
    project.cannot_parse(text, error)
    for name in ("name", "description"):
        found = re.search(rf"^\s*{name}\s*=\s*[\"']?([^\"'\n]+)", text.text, re.M)
        if found:
            project.offer(**{name: fact(text, found[1].rstrip(",\"' "), rf"^\s*{name}\s*=")})


def _from(text: FileText, wanted: str, start: Place) -> Place:
    """Find a text at or below a place."""
    lines = text.text.split("\n")
    first = start.line - text.start
    for index in range(max(first, 0), len(lines)):
        if wanted in lines[index].replace('\\"', '"'):
            return text.place(index)
    return start


def _licence(table: Mapping[str, Any]) -> str:
    value = table.get("license")
    if isinstance(value, Mapping):
        named = value.get("text") or value.get("name") or ""
        return named if isinstance(named, str) and len(named) < 60 else ""
    return value if isinstance(value, str) else ""


def _table(data: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        inner = data.get(name)
        data = inner if isinstance(inner, Mapping) else {}
    return data


def _strings(value: object) -> Sequence[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None

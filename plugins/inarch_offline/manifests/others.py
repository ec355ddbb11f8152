"""Manifests of other languages: npm, Cargo, Go, Maven, Gradle, Bundler, Composer, CMake, Make, .NET."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from inarch_offline.manifests import Project
from inarch_offline.manifests.lines import fact, line_of
from inarch_offline.material import FileText
from inarch_offline.readme import Fact
from inarch_offline.writing import Place


def read_other(project: Project, base: str, text: FileText) -> None:
    """Read a manifest by its file name; an unknown one adds nothing."""
    readers: dict[str, Callable[[Project, FileText], None]] = {
        "package.json": _package_json,
        "composer.json": _package_json,
        "Cargo.toml": _cargo,
        "go.mod": _go,
        "pom.xml": _maven,
        "build.gradle": _gradle,
        "build.gradle.kts": _gradle,
        "Gemfile": _ruby,
        "CMakeLists.txt": _cmake,
        "Makefile": _make,
        "mix.exs": _mix,
    }
    reader = readers.get(base) or (
        _ruby if base.endswith(".gemspec") else _dotnet if base.endswith(".csproj") else None
    )
    if reader is not None:
        reader(project, text)


def _package_json(project: Project, text: FileText) -> None:
    try:
        data = json.loads(text.text)
    except (ValueError, RecursionError) as error:
        project.cannot_parse(text, error)
        return
    if not isinstance(data, Mapping):
        return
    php = text.path.endswith("composer.json")
    project.offer(
        name=fact(text, data.get("name"), r'"name"\s*:'),
        description=fact(text, data.get("description"), r'"description"\s*:'),
        licence=fact(text, data.get("license"), r'"license"\s*:'),
    )
    if isinstance(data.get("version"), str):
        project.version = project.version or data["version"]
    scripts = _table(data, "scripts")
    if scripts.get("test"):
        project.offer(
            test_command=Fact("composer test" if php else "npm test", line_of(text, r'"test"\s*:', r'"scripts"\s*:'))
        )
    if isinstance(scripts.get("start"), str):
        project.scripts.append(Fact(f"npm start = {scripts['start']}", line_of(text, r'"start"\s*:', r'"scripts"\s*:')))
    bins = data.get("bin")
    for name, target in (
        bins.items() if isinstance(bins, Mapping) else [(data.get("name"), bins)] if isinstance(bins, str) else []
    ):
        project.scripts.append(Fact(f"{name} = {target}", line_of(text, r'"bin"\s*:')))
    if isinstance(data.get("main"), str):
        project.scripts.append(Fact(f"main module {data['main']}", line_of(text, r'"main"\s*:')))
    for section, into in (
        ("require" if php else "dependencies", project.dependencies),
        ("require-dev" if php else "devDependencies", project.extras),
    ):
        for name, version in _table(data, section).items():
            into.append(Fact(f"{name} {version}", line_of(text, rf'"{re.escape(name)}"\s*:', rf'"{section}"\s*:')))


def _cargo(project: Project, text: FileText) -> None:
    from inarch_toml import loads

    try:
        data = loads(text.text)
    except (ValueError, RecursionError) as error:
        project.cannot_parse(text, error)
        return
    own = _table(data, "package")
    project.offer(
        name=fact(text, own.get("name"), r"^name\s*=", r"^\[package\]"),
        description=fact(text, own.get("description"), r"^description\s*="),
        licence=fact(text, own.get("license"), r"^license\s*="),
        test_command=Fact("cargo test", Place(text.path)),
    )
    for one in data.get("bin", ()) if isinstance(data.get("bin"), list) else ():
        if isinstance(one, Mapping) and isinstance(one.get("name"), str):
            name = one["name"]
            target = f" = {one['path']}" if isinstance(one.get("path"), str) else ""
            place = line_of(text, rf'^name\s*=\s*"{re.escape(name)}"', r"^\[\[bin\]\]")
            project.scripts.append(Fact(f"{name}{target}", place))
    for section, into in (("dependencies", project.dependencies), ("dev-dependencies", project.extras)):
        for name, value in _table(data, section).items():
            version = (
                value if isinstance(value, str) else value.get("version", "") if isinstance(value, Mapping) else ""
            )
            into.append(
                Fact(
                    f"{name} {version}".strip(),
                    line_of(text, rf"^\"?{re.escape(name)}\b|^\[{section}\.{re.escape(name)}", rf"^\[{section}"),
                )
            )


def _go(project: Project, text: FileText) -> None:
    project.offer(test_command=Fact("go test ./...", Place(text.path)))
    for index, line in enumerate(text.text.split("\n")):
        module = re.match(r"module\s+(\S+)", line)
        needed = re.match(r"(?:require\s+|\t)([\w.-]+\.[\w./-]+)\s+(v\S+)(?!.*// indirect)", line)
        if module:
            project.offer(name=Fact(module[1], text.place(index)))
        elif needed:
            project.dependencies.append(Fact(f"{needed[1]} {needed[2]}", text.place(index)))


def _maven(project: Project, text: FileText) -> None:
    outer = re.sub(
        r"<(parent|dependencies|build|dependencyManagement|profiles)>.*?</\1>",
        lambda found: "\n" * found[0].count("\n"),
        text.text,
        flags=re.S,
    )
    blank = FileText(text.path, outer)
    project.offer(test_command=Fact("mvn test", Place(text.path)))
    for name, tag in (("name", "artifactId"), ("description", "description")):
        found = re.search(rf"<{tag}>([^<]+)</{tag}>", outer)
        if found:
            project.offer(**{name: fact(blank, found[1], rf"<{tag}>")})
    for found in re.finditer(r"<dependency>.*?<artifactId>([^<]+)<", text.text, re.S):
        project.dependencies.append(Fact(found[1].strip(), text.place(text.text.count("\n", 0, found.end()))))


def _gradle(project: Project, text: FileText) -> None:
    project.offer(test_command=Fact("gradle test", Place(text.path)))
    _matches(project, text, r"^\s*(?:implementation|api|compile)\s*\(?[\"']([^\"']+)[\"']")


def _ruby(project: Project, text: FileText) -> None:
    for name, pattern in (
        ("name", r"\.name\s*=\s*[\"']([^\"']+)"),
        ("description", r"\.summary\s*=\s*[\"']([^\"']+)"),
        ("licence", r"\.licenses?\s*=\s*\[?[\"']([^\"']+)"),
    ):
        found = re.search(pattern, text.text)
        if found:
            project.offer(**{name: Fact(found[1], text.place(text.text.count("\n", 0, found.start())))})
    _matches(project, text, r"^\s*(?:gem|\w+\.add_(?:runtime_)?dependency)[\s(]+[\"']([^\"']+)")


def _cmake(project: Project, text: FileText) -> None:
    found = re.search(r"^\s*project\s*\(\s*(\"?[\w.+-]+)", text.text, re.M | re.I)
    if found:
        project.offer(name=Fact(found[1].strip('"'), text.place(text.text.count("\n", 0, found.start(1)))))
    if re.search(r"enable_testing\s*\(", text.text, re.I):
        project.offer(test_command=Fact("ctest", line_of(text, r"(?i)enable_testing")))
    _matches(project, text, r"(?i)^\s*find_package\s*\(\s*(\w+)")


def _make(project: Project, text: FileText) -> None:
    for target in ("test", "tests", "check"):
        if re.search(rf"^{target}\s*:", text.text, re.M):
            project.offer(test_command=Fact(f"make {target}", line_of(text, rf"^{target}\s*:")))
    for target in ("run", "start", "serve"):
        if re.search(rf"^{target}\s*:", text.text, re.M):
            project.scripts.append(Fact(f"make {target}", line_of(text, rf"^{target}\s*:")))


def _mix(project: Project, text: FileText) -> None:
    project.offer(test_command=Fact("mix test", Place(text.path)))
    found = re.search(r"\bapp:\s*:(\w+)", text.text)
    if found:
        project.offer(name=Fact(found[1], text.place(text.text.count("\n", 0, found.start()))))
    _matches(project, text, r"^\s*\{:(\w+),")


def _dotnet(project: Project, text: FileText) -> None:
    project.offer(
        name=Fact(text.path.rpartition("/")[2].removesuffix(".csproj"), Place(text.path)),
        test_command=Fact("dotnet test", Place(text.path)),
    )
    _matches(project, text, r"<PackageReference\s+Include=\"([^\"]+)\"")


def _matches(project: Project, text: FileText, pattern: str) -> None:
    """Add each match of a line as a dependency."""
    for index, line in enumerate(text.text.split("\n")):
        found = re.search(pattern, line)
        if found:
            project.dependencies.append(Fact(found[1], text.place(index)))


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = data.get(name)
    return inner if isinstance(inner, Mapping) else {}

"""Manifests are read into facts, each with the line where it stands."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.offline.manifests import MANIFESTS, read_project
from inarch_brief.offline.results import FileText


def text(path, content):
    return FileText(path, textwrap.dedent(content).lstrip("\n"))


def told(fact):
    return (fact.text, fact.place.line)


def test_pyproject():
    project = read_project(
        [
            text(
                "pyproject.toml",
                """
                [build-system]
                requires = ["hatchling"]

                [project]
                name = "bell"
                version = "2"
                description = "Rings"
                requires-python = ">=3.9"
                license = { text = "MIT" }
                dependencies = [
                  "attrs>=23",
                  "click",
                ]
                [project.optional-dependencies]
                dev = ["pytest", "ruff"]
                [project.scripts]
                bell = "bell.cli:main"
                [tool.pytest.ini_options]
                """,
            )
        ],
        [],
    )
    assert told(project.name) == ("bell", 5)
    assert told(project.description) == ("Rings", 7)
    assert told(project.python) == ("Python >=3.9", 8)
    assert told(project.licence) == ("MIT", 9)
    assert [told(fact) for fact in project.dependencies] == [("attrs>=23", 11), ("click", 12)]
    assert [told(fact) for fact in project.extras] == [("dev: pytest, ruff", 15)]
    assert [told(fact) for fact in project.scripts] == [("bell = bell.cli:main", 17)]
    assert told(project.test_command) == ("pytest", 18)


@pytest.mark.parametrize(
    ("path", "content", "name", "dependencies", "test"),
    [
        ("setup.cfg", "[metadata]\nname = bell\n[options]\ninstall_requires =\n  attrs\n", "bell",
         [("attrs", 5)], None),
        ("setup.py", "from setuptools import setup\nsetup(\n name='bell',\n install_requires=['attrs'])\n",
         "bell",
         [("attrs", 4)], None),
        ("requirements.txt", "# pinned\nattrs==23\n-r other.txt\n", None, [("attrs==23", 2)], None),
        ("package.json", '{\n"name": "bell",\n"scripts": {\n"test": "x"},\n"dependencies": {\n"ms": "2"}}', "bell",
         [("ms 2", 6)], "npm test"),
        ("Cargo.toml", '[package]\nname = "bell"\n[dependencies]\nserde = "1"\n', "bell",
         [("serde 1", 4)], "cargo test"),
        ("go.mod", "module example.org/bell\n\nrequire (\n\texample.org/a v1.2.0\n)\n", "example.org/bell",
         [("example.org/a v1.2.0", 4)], "go test ./..."),
        ("pom.xml", "<project>\n<artifactId>bell</artifactId>\n<dependencies><dependency>\n"
         "<artifactId>ms</artifactId>\n"
         "</dependency></dependencies></project>", "bell", [], "mvn test"),
        ("Gemfile", "source 'x'\ngem 'rake', '~> 13'\n", None, [("rake", 2)], None),
        ("CMakeLists.txt", "project(bell C)\nfind_package(ZLIB)\nenable_testing()\n", "bell", [("ZLIB", 2)], "ctest"),
        ("Makefile", "all:\n\ttrue\ntest:\n\ttrue\n", None, [], "make test"),
    ],
)  # fmt: skip
def test_other_manifests(path, content, name, dependencies, test):
    project = read_project([FileText(path, content)], [])
    assert (project.name.text if project.name else None) == name
    assert [told(fact) for fact in project.dependencies] == dependencies
    assert (project.test_command.text if project.test_command else None) == test


def test_python_comes_before_the_tools_of_its_front_end():
    npm = FileText("package.json", '{"name": "assets", "scripts": {"test": "x"}}')
    tox = FileText("tox.ini", "[tox]\n")
    assert read_project([npm, tox], []).test_command.text == "tox"


@given(st.sampled_from([*MANIFESTS, "x.gemspec", "x.csproj", "LICENSE"]), st.text(max_size=300))
def test_any_bytes_are_survived(path, content):
    project = read_project([FileText(path, content)], [])
    count = content.count("\n") + 1
    assert all(1 <= fact.place.line <= count for fact in [*project.dependencies, *project.extras, *project.scripts])

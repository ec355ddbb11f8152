"""What a project is and where it begins, in small trees of each form that real projects have."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.offline.public_api import exported
from inarch_brief.offline.purpose import comment_in, is_telling, purpose_in
from inarch_brief.offline.results import FileText

from .conftest import write

SPONSORS = """
    .. image:: https://example.org/bell.png

    |build-status| |coverage|

    Donations
    =========

    This project relies on your generous donations.

    `Open Money <https://example.org>`_ is our community-powered platform.

    About
    =====

    Bell is a small timer that rings when tea is ready. It runs in a terminal.
    """
BANNER = """
    # Bell &emsp; [![Build]][ci]

    [Build]: https://example.org/ci.svg

    [See how Bell compares to other timers](#comparison)

    ## Bell 2.0 is out!

    We're excited to announce Bell 2.0. It is a big step for us.

    ---

    **Bell is a timer for *tea* and *coffee*:**
    """
BLOCKS = """
    <h1 align="center">Bell</h1>
    <p align="center"><b>Powered by</b></p>
    <p align="center">Bell is a timer for tea.</p>
    <p align="center"><a href="https://example.org">Releases of Bell are there</a></p>

    Bell is a project of Teahouse, a company.
    """


def readme(text, name="README.md"):
    return FileText(name, textwrap.dedent(text).lstrip("\n"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SPONSORS, "Bell is a small timer that rings when tea is ready. It runs in a terminal."),
        (BANNER, "Bell is a timer for tea and coffee."),
        (BLOCKS, "Bell is a timer for tea."),
    ],
)
def test_readme_is_read_for_the_sentence_that_says_what_it_is(text, said):
    assert purpose_in(readme(text), ["bell"])[1].text == said


@pytest.mark.parametrize("text", ["Python package", "bell", "Add your description here", "A Bell library", ""])
def test_empty_words_do_not_describe_a_project(text):
    assert not is_telling(text, ["bell"])
    assert is_telling(f"{text} that rings", ["bell"])


@pytest.mark.parametrize(
    ("path", "text", "said", "line"),
    [
        ("a/__init__.py", '"""Rings bells for tea."""\n', "Rings bells for tea.", 1),
        ("src/lib.rs", "#![deny(x)]\n//! # Bell\n//!\n//! Bell rings a bell for tea.\nfn x() {}\n",
         "Bell rings a bell for tea.", 4),
        ("src/main.rs", "/*!\nThe way into the bell program.\n*/\nfn main() {}\n", "The way into the bell program.", 2),
        ("bell.go", "// Package bell rings a\n// bell for tea.\n//\n// More.\npackage bell\n",
         "Package bell rings a bell for tea.", 1),
        ("doc.go", "Package bell rings tea bells.\n\nMore.\n*/\npackage bell\n", "Package bell rings tea bells.", 1),
    ],
)  # fmt: skip
def test_documentation_of_a_package_is_read(path, text, said, line):
    doc = comment_in(FileText(path, text))
    assert (doc.text, doc.place.line) == (said, line)


@given(st.text(max_size=300))
def test_any_text_is_survived(content):
    for path in ("README.md", "a.py", "a.rs", "a.go"):
        text = FileText(path, content)
        for fact in (comment_in(text), purpose_in(text, ["bell"])[1]):
            assert fact is None or 1 <= fact.place.line <= content.count("\n") + 1
    exported(FileText("a/__init__.py", content), "a", [])


SETUP = """
    from setuptools import find_packages, setup

    setup(
        name="bell",
        description="Rings bells for tea",
        install_requires=["attrs>=23", "click"],
        packages=find_packages(exclude=["t", "t.*"]),
    )
    """
MODULE = '"""{}"""\n\n\ndef ring():\n    return 1\n\n\nif __name__ == "__main__":\n    ring()\n'


def python_project():
    """Return a library whose tests are its largest folder, with demos, and methods that libraries call."""
    tests = {f"t/unit/test_{number}.py": "def test_it():\n    assert True\n" for number in range(12)}
    handler = "import threading\n\n\nclass _Waiter(threading.Thread):\n    def run(self):\n        return 1\n"
    return {
        "setup.py": SETUP,
        "README.rst": SPONSORS,
        "bell/__init__.py": '"""Rings bells for tea."""\nfrom bell.core import ring\n',
        "bell/core.py": MODULE.format("The core."),
        "bell/waiting.py": handler,
        "bell/__main__.py": "from bell import ring\n\nring()\n",
        "demos/show.py": MODULE.format("A demo."),
        "t/__init__.py": "",
        "t/unit/__init__.py": "",
        **tests,
    }


def test_main_part_is_what_is_installed_and_ways_in_are_for_users(tmp_path, answer):
    text = answer(write(tmp_path / "x", python_project()), "summarize this codebase")
    assert text.splitlines()[2] == "bell: Rings bells for tea (setup.py:5)"
    assert "Bell is a small timer that rings when tea is ready" in text
    assert "Key modules of bell:" in text and "attrs>=23, click" in text
    assert "python -m bell" in text and "public names: ring (bell/__init__.py:2)" in text
    for inner in ("_Waiter.run", "python bell/core.py", "demos/show.py"):
        assert inner not in text.split("Ways in")[1]


def test_manifest_beyond_one_reading_is_parsed_whole(shop, answer):
    table = "".join(f"[tool.x{number}]\nkey = {'[1,' * 20}1{']' * 20}\n" for number in range(1_200))
    manifest = shop / "pyproject.toml"
    manifest.write_text(f"{manifest.read_text()}{table}[project.optional-dependencies]\nlast = ['zest']\n")
    assert "could not be parsed" not in answer(shop, "summarize this codebase")
    assert "last: zest" in answer(shop, "what are the dependencies?")


def test_workspace_is_described_by_its_main_member(tmp_path, answer):
    root = write(tmp_path / "x", {
        "Cargo.toml": '[workspace]\nmembers = ["bell", "bell-macros"]\n',
        "README.md": "# Bell\n\n[![ci](a.svg)](b)\n\nBell is a timer.\n",
        "bell/Cargo.toml": '[package]\nname = "bell"\nversion = "1.2.3"\ndescription = """\nTimers for\ntea."""\n',
        "bell/src/lib.rs": "//! Rings.\npub mod tea;\n",
        "bell/build.rs": "fn main() {}\n",
        "bell-macros/Cargo.toml": '[package]\nname = "bell-macros"\nversion.workspace = true\n',
        "bell-macros/src/lib.rs": "pub fn main() {}\n",
        "bell-macros/src/more.rs": "pub fn more() {}\n",
    })  # fmt: skip
    text = answer(root, "summarize this codebase")
    assert text.splitlines()[2].startswith("bell 1.2.3: Timers for tea. (bell/Cargo.toml:4)")
    assert "public names: tea (bell/src/lib.rs:2)" in text
    assert "build.rs" not in text and "program" not in text


def test_go_library_is_described_by_its_package_comment(tmp_path, answer):
    root = write(tmp_path / "x", {
        "go.mod": "module example.org/people/bell/v2\n",
        "README.md": SPONSORS.replace("Bell is a small", "It is a small"),
        "bell.go": "// Package bell rings bells for tea.\npackage bell\n\ntype Bell struct{}\n\nfunc Ring() {}\n",
        "hidden.go": "package bell\n\nfunc hide() {}\n",
        "examples/a/main.go": "package main\n\nfunc main() {}\n",
        "inner/cup.go": "// Package cup is inside.\npackage cup\n",
    })  # fmt: skip
    text = answer(root, "summarize this codebase")
    assert text.splitlines()[2].startswith("bell: Package bell rings bells for tea. (go.mod:1, bell.go:1)")
    assert "public names: Bell, Ring (bell.go:4)" in text and "examples/a" not in text.split("Ways in")[1]

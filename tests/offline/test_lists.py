"""Lists, comparisons and overviews: what is asked for and nothing else, and numbers that are of everything."""

import pytest

from .conftest import PYTHON, write
from .test_answers import check_citations

COMMAND_LINE = {
    **PYTHON,
    "src/shop/__main__.py": "from shop.cli import main\n\nmain()\n",
    "src/shop/cli.py": """
        import click

        @click.group()
        def main():
            '''Keep a shop.'''

        @main.command()
        def sell():
            '''Sell things.'''

        @main.group()
        def stock():
            '''Look after it.'''

        @stock.command("list")
        def list_():
            '''Show it.'''
        """,
}


def test_commands_are_below_their_groups_and_nothing_else_is_listed(tmp_path, answer):
    root = write(tmp_path / "shop", COMMAND_LINE)
    text = answer(root, "list the CLI commands")
    check_citations(text, root)
    assert [line.rstrip() for line in text.splitlines()[2:]] == [
        "Console scripts (1):",
        "- shop  shop.cli.main (src/shop/cli.py:4)",
        "",
        "Commands (4):",
        "- shop      Keep a shop. (src/shop/cli.py:4)",
        "  - sell    Sell things. (src/shop/cli.py:8)",
        "  - stock   Look after it. (src/shop/cli.py:12)",
        "    - list  Show it. (src/shop/cli.py:16)",
    ]


def test_tests_are_counted_whether_they_are_listed_or_not(tmp_path, answer):
    files = {f"tests/test_{number:03}.py": "def test_x(): pass\ndef test_y(): pass\n" for number in range(230)}
    root = write(tmp_path / "tested", {**PYTHON, **files})
    text = answer(root, "what are the tests?")
    check_citations(text, root)
    assert "461 test functions in 231 test files" in " ".join(text.split())
    assert "… 225 more files" in text and "Note:" not in text


def test_lists_that_the_kernel_cuts_are_read_on(tmp_path, answer):
    classes = {
        f"src/shop/part_{part:03}.py": "".join(f"class Thing{part}x{one}: pass\n" for one in range(40))
        for part in range(30)
    }
    root = write(tmp_path / "large", {**PYTHON, **classes})
    assert "Classes outside tests (1,201 in 31 files):" in answer(root, "list the classes")
    text = answer(root, "summarize this codebase")
    check_citations(text, root)
    assert "Languages: Python 35 files" in text and "34 modules" in text
    assert "… 34 more" in text


@pytest.mark.parametrize("shape", ["commands", "packages", "modules", "words"])
def test_an_overview_is_one_screen(tmp_path, answer, shape):
    long = "Does what it has to do, that is a great deal of work with many words in it: sorting, cutting and keeping"
    files = {**COMMAND_LINE}
    for number in range(24):
        if shape == "packages":
            files[f"plugins/package_number_{number}/__init__.py"] = f'"""{long}."""\n'
            files[f"folder{number}/notes.txt"] = "x\n"
        elif shape == "modules":
            body = "".join(f"\nclass SomewhatLongName{number}x{one}:\n    pass\n" for one in range(12))
            files[f"src/shop/module_{number}.py"] = f'"""{long}."""\n{body}'
        elif shape == "commands":
            files["src/shop/cli.py"] += f"\n        @main.command()\n        def a_long_command_{number}(): pass\n"
        else:
            files["README.md"] += f"        {long}.\n"
    root = write(tmp_path / "wide", files)
    text = answer(root, "summarize this codebase")
    check_citations(text, root)
    assert len(text.splitlines()) <= 45
    assert "command `shop`" in text


def test_both_sides_of_a_comparison_are_shown(shop, answer):
    write(shop, {"src/shop/pot.py": "class Pot:\n    def total(self): pass\n    def smash(self): pass\n"})
    text = answer(shop, "what is the difference between Till and Pot?")
    check_citations(text, shop)
    assert "class `shop.till.Till`" in text and "class `shop.pot.Pot`" in text
    assert "Methods that both define:\n- total (" in text and "Only Pot defines:\n- smash() (" in text
    assert "Nothing here is called “Zebra”" in answer(shop, "compare Till with Zebra") or "closest" in text

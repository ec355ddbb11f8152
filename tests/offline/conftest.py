"""Small real projects, and a way to ask about them through the composed application."""

import asyncio
import textwrap

import pytest

import inarch

PYTHON = {
    "pyproject.toml": """
        [project]
        name = "shop"
        version = "1.2"
        description = "Sells things over a counter."
        requires-python = ">=3.11"
        license = "MIT"
        dependencies = ["click>=8", "attrs"]

        [project.scripts]
        shop = "shop.cli:main"

        [tool.pytest.ini_options]
        testpaths = ["tests"]
        """,
    "README.md": """
        # Shop

        [![badge](https://example.org/b.svg)](https://example.org)

        Shop keeps a till and prints receipts for small counters.
        """,
    "LICENSE": "MIT License\n\nPermission is hereby granted, free of charge, to any person\n",
    "src/shop/__init__.py": '''
        """A till for small counters."""

        from shop.till import Till as Till

        __all__ = ["Till"]
        ''',
    "src/shop/till.py": '''
        """The till: items in, receipts out."""

        from shop.prices import price_of


        class Till:
            """Adds up what is sold."""

            def __init__(self, currency: str = "EUR") -> None:
                self.currency = currency
                self.items: list[str] = []

            def add(self, item: str) -> None:
                """Put an item on the receipt."""
                # Unknown items are refused before anything is kept.
                check_item(item)
                self.items.append(item)

            def total(self) -> int:
                """Add up the prices in cents."""
                return sum(price_of(item) for item in self.items)


        def check_item(item: str) -> None:
            """Refuse an item without a name."""
            if not item:
                raise ValueError("an item needs a name")
        ''',
    "src/shop/prices.py": '''
        """Prices in cents."""

        PRICES = {"apple": 50}


        def price_of(item: str) -> int:
            """Look up a price; what is unknown is free."""
            return PRICES.get(item, 0)
        ''',
    "src/shop/cli.py": '''
        """The command line."""

        import click

        from shop.till import Till


        @click.command()
        @click.argument("items", nargs=-1)
        def main(items: tuple[str, ...]) -> None:
            """Sell ITEMS."""
            till = Till()
            for item in items:
                till.add(item)
            click.echo(till.total())
        ''',
    "tests/test_till.py": """
        from shop import Till


        def test_total_adds_up():
            till = Till()
            till.add("apple")
            assert till.total() == 50
        """,
}


def write(root, files):
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return root


@pytest.fixture
def shop(tmp_path):
    return write(tmp_path / "shop", PYTHON)


@pytest.fixture
def asked(tmp_path):
    """Ask a list of prompts in one session and return the turns."""

    def ask(root, *prompts, added=(), **options):
        environ = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}
        flags = {"model": "offline/extractive", **options}

        async def go():
            app = inarch.compose(root=root, config={}, flags=flags, environ=environ, journal=False, added=added)
            try:
                session = app.session()
                return [await session.run(prompt) for prompt in prompts]
            finally:
                await app.aclose()

        return asyncio.run(go())

    return ask


@pytest.fixture
def answer(asked):
    """Ask one prompt and return the text of the answer."""

    def ask(root, prompt, **options):
        [turn] = asked(root, prompt, **options)
        assert turn.status == "done", turn.error
        return turn.content

    return ask

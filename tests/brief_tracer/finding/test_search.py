"""Which symbol comes first."""

from __future__ import annotations

from typing import Any

SHOP = '''"""A shop."""

TIMEOUT = 3


class Basket:
    """Holds apples until they are paid for."""

    def add(self, apple):
        """Put an apple into the basket."""
        self.apples.append(apple)

    def check_out(self, purse):
        """Pay for everything with a purse."""
        if not purse:
            raise ValueError("an empty purse can't pay")


def validate_order(order):
    """Refuse an order that nobody can deliver."""


def _resolve_envvar(name):
    return name
'''


def test_exact_identifiers_come_first(tree: Any) -> None:
    tree.write({"shop.py": SHOP, "other.py": "def add(): pass\n\ndef adder(): pass\n"})
    assert tree.names("Basket.add")[0] == "shop.Basket.add"
    assert tree.names("shop.Basket.check_out")[0] == "shop.Basket.check_out"
    assert tree.names("where is `check_out` called?")[0] == "shop.Basket.check_out"
    assert tree.names("what does validate_order refuse")[0] == "shop.validate_order"
    assert tree.names("TIMEOUT")[0] == "shop.TIMEOUT"
    assert "other.adder" not in tree.names("other.add")[:1]


def test_places_and_tracebacks_find_the_innermost_symbol(tree: Any) -> None:
    tree.write({"src/shop.py": SHOP})
    assert tree.names("src/shop.py:10")[:3] == ["shop.Basket.add", "shop.Basket", "shop"]
    assert tree.names("shop.py:16")[0] == "shop.Basket.check_out"
    assert tree.names("shop.py")[0] == "shop"
    trace = (
        'File "/home/me/src/shop.py", line 10, in add\nFile "/home/me/src/shop.py", line 16, in check_out\nValueError'
    )
    assert tree.names(trace)[0] == "shop.Basket.check_out"


def test_questions_find_by_words_docstring_and_body(tree: Any) -> None:
    tree.write({"shop.py": SHOP})
    assert tree.names("How are orders validated?")[0] == "shop.validate_order"
    assert tree.names("Where does one pay?")[0] == "shop.Basket.check_out"
    assert tree.names("what says that the purse is empty")[0] == "shop.Basket.check_out"
    assert tree.names("how is an environment variable resolved")[0] == "shop._resolve_envvar"


def test_kind_and_limit_are_kept(tree: Any) -> None:
    tree.write({"shop.py": SHOP})
    assert tree.names("basket", kind="class") == ["shop.Basket"]
    assert tree.names("basket apples purse", limit=1) == tree.names("basket apples purse")[:1]


def test_tests_examples_and_vendored_copies_come_after_the_code(tree: Any) -> None:
    body = 'def pay_bill():\n    """Pay the bill."""\n    return 1\n'
    tree.write(
        {"a/_vendor/pay.py": body, "docs/pay.py": body, "pkg/__init__.py": "", "pkg/pay.py": body, "tests/pay.py": body}
    )
    assert tree.names("pay the bill")[0] == "pkg.pay.pay_bill"
    assert tree.names("pay_bill")[0] == "pkg.pay.pay_bill"
    assert {symbol["file"]: symbol["test"] for symbol in tree.ask("find_symbols", query="pay_bill")["symbols"]} == {
        "pkg/pay.py": False,
        "tests/pay.py": True,
        "docs/pay.py": False,
        "a/_vendor/pay.py": False,
    }


def test_tests_are_found_when_asked_for(tree: Any) -> None:
    tree.write(
        {
            "shop.py": SHOP,
            "tests/test_shop.py": "class TestBasket:\n    def test_pay_with_an_empty_purse(self):\n        pass\n",
        }
    )
    assert tree.names("which tests cover an empty purse")[0].endswith("TestBasket.test_pay_with_an_empty_purse")
    assert tree.names("test_pay_with_an_empty_purse")[0].endswith("TestBasket.test_pay_with_an_empty_purse")
    assert tree.names("an empty purse")[0] == "shop.Basket.check_out"


def test_implementations_come_before_overloads_stubs_and_deprecated_ones(tree: Any) -> None:
    tree.write(
        {
            "a.py": (
                "@overload\ndef fetch(x: int) -> int: ...\n@overload\ndef fetch(x: str) -> str: ...\n"
                "def fetch(x):\n    return send(x)\n"
            ),
            "b.py": "class Port(Protocol):\n    def deliver(self): ...\n",
            "c.py": "class Van:\n    def deliver(self):\n        return drive()\n",
            "d.py": "@deprecated('x')\ndef unload(): return 1\n",
            "e.py": "def unload(): return 1\n",
        }
    )
    assert tree.ask("find_symbols", query="fetch")["symbols"][0]["line"] == 5
    assert tree.names("deliver")[0] == "c.Van.deliver"
    assert tree.names("unload")[0] == "e.unload"


def test_odd_queries_are_answered(tree: Any) -> None:
    tree.write({"shop.py": SHOP})
    for query in ("", "the", "?", '"', "a.b.c.", "OR AND NOT NEAR(", "x" * 5000, "\ud800", "größe", "../../etc.py:3"):
        assert isinstance(tree.names(query), list)


def test_the_kind_that_is_asked_for_comes_first(tree: Any) -> None:
    tree.write(
        {
            "a.py": "class ReceiptPrinter:\n    '''Print a receipt.'''\n\n\n"
            "def print_receipt():\n    '''Print a receipt.'''\n"
        }
    )
    for kind, name in (("function", "a.print_receipt"), ("class", "a.ReceiptPrinter")):
        found = tree.ask("find_symbols", query=f"which {kind} prints a receipt?")["symbols"]
        assert found[0]["qualname"] == name


def test_a_confidence_says_how_sure_the_first_is(tree: Any) -> None:
    tree.write({"shop.py": SHOP})
    named = tree.ask("find_symbols", query="Basket.add")["confidence"]
    asked = tree.ask("context_get", query="who refuses an order that nobody can deliver?")["confidence"]
    unknown = tree.ask("find_symbols", query="how are giraffes sent by zeppelin to the basket?")["confidence"]
    assert named == 1.0 > asked > unknown


def test_sections_and_settings_are_found_with_their_lines(tree: Any) -> None:
    guide = "# Shop\n\nSells apples.\n\n## Deploying\n\nPut it behind a counter.\n"
    tree.write({"shop.py": SHOP, "README.md": guide, "pyproject.toml": "[tool.shop]\n# Seconds.\npatience = 3\n"})
    assert tree.names("how do I deploy it?")[0] == "README.md > Shop > Deploying"
    assert tree.names("patience", kind="setting")[0] == "pyproject.toml > tool.shop.patience"
    assert tree.names("README.md:6")[0] == "README.md > Shop > Deploying"
    (tree.root / "README.md").write_text("# Shop\n\n## Selling\n\nx\n")
    assert "README.md > Shop > Deploying" not in tree.names("how do I deploy it?")

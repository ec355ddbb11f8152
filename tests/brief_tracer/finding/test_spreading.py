"""What the best answers call comes nearer, behind the best one itself."""

from __future__ import annotations

from typing import Any

FILES = {
    "shop.py": (
        "".join(f"def other_money_{number}(x):\n    return x\n\n\n" for number in range(6))
        + "def money(till):\n    '''Money.'''\n    return _money_back(till)\n\n\n"
        + "def _money_back(till):\n    return till\n\n\n"
        + "".join(f"def noise_{number}(x):\n    return x\n\n\n" for number in range(60))
    )
}


def test_a_callee_with_few_words_of_the_question_is_among_the_first(tree: Any) -> None:
    tree.write(FILES)
    found = [hit["qualname"] for hit in tree.ask("find_symbols", query="how is the money handled?")["symbols"]]
    assert found[:2] == ["shop.money", "shop._money_back"]


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


def test_the_init_of_a_class_that_stands_higher_is_last(tree: Any) -> None:
    tree.write(
        {
            "a.py": "class Receipt:\n    '''A receipt.'''\n"
            "    def __init__(self, receipt):\n        '''Make a receipt.'''\n\n\n"
            "def fold(receipt):\n    '''Fold paper.'''\n"
        }
    )
    found = [hit["qualname"] for hit in tree.ask("find_symbols", query="what is a receipt for?")["symbols"]]
    assert found.index("a.Receipt") < found.index("a.fold") < found.index("a.Receipt.__init__")


def test_a_class_is_overtaken_by_a_function_that_answers_much_better() -> None:
    from inarch_brief_tracer.finding.hits import Hit
    from inarch_brief_tracer.finding.spreading import first_of

    def hit(kind: str, score: float) -> Hit:
        return Hit(int(score * 100), "a.py", "a", "code", 1, 1, "x", kind, 1, 1, "", "", 0, score)

    cls, little, much = hit("class", 2.0), hit("function", 2.2), hit("function", 2.4)
    assert first_of(cls, [little]) == [cls, little]
    assert first_of(cls, [much, little]) == [much, cls, little]
    assert first_of(little, [much]) == [little, much]

"""What is found, in which order, and how sure it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarch_brief.search import CLASS, EXAMPLE, FUNCTION, MODULE, PRODUCT, TEST, VENDORED, Document, Index, search
from inarch_brief.search.confidence import LIKELY

from .opened import opened


def place(file: str, name: str, line: int = 1, kind: str = FUNCTION, nature: str = PRODUCT, **words: str) -> Document:
    module = file.removesuffix(".py").replace("/", ".")
    return Document(file, line, line + 8, kind, nature, name.rpartition(".")[2], f"{module}.{name}", **words)


SHOP = [
    place("shop/jar.py", "jar", 1, MODULE, summary="Keeps cookies.", body="Jar extract merge"),
    place("shop/jar.py", "Jar", 1, CLASS, summary="The cookies of a session.", body="extract merge"),
    place("shop/jar.py", "Jar.extract", 3, summary="Take the cookies out of a reply's headers.", body="set_cookie"),
    place("shop/jar.py", "Jar.merge", 20, summary="Put another jar's cookies into this one.", body="other update"),
    place("shop/client.py", "send", 1, summary="Send a request and follow redirects.", body="request adapter"),
    place("shop/client.py", "wait_before_retry", 20, summary="Wait before a request is sent again.", body="sleep"),
    place("shop/client.py", "remove_header", 40, summary="Drop a header.", strings="no such header", body="pop"),
    place("shop/env.py", "read_env", 1, body="get"),
    place("tests/test_jar.py", "test_extract_cookies", 1, nature=TEST, body="Jar extract cookies reply headers"),
    place("vendor/jar.py", "extract_cookies", 1, nature=VENDORED, summary="Take the cookies out of a reply."),
    place("examples/jar.py", "extract_cookies_from_reply", 1, nature=EXAMPLE, summary="Take cookies out of a reply."),
]  # fmt: skip


@pytest.fixture(scope="module")
def shop() -> Index:
    return filled(SHOP)


def filled(documents: list[Document]) -> Index:
    by_file: dict[str, list[Document]] = {}
    for document in documents:
        by_file.setdefault(document.file, []).append(document)
    index = opened()
    index.update(by_file)
    return index


def names(index: Index, text: str) -> list[str]:
    return [hit.place.name for hit in search(index, text).hits]


def test_a_sentence_finds_what_does_it(shop: Index) -> None:
    assert names(shop, "How are the cookies taken out of a reply?")[0] == "extract"
    assert names(shop, "Where does it wait before trying a request again?")[0] == "wait_before_retry"


def test_product_code_comes_before_tests_vendored_code_and_examples(shop: Index) -> None:
    found = search(shop, "take the cookies out of a reply").hits
    assert found[0].place.nature == PRODUCT
    assert {hit.place.nature for hit in found} == {PRODUCT, TEST, VENDORED, EXAMPLE}


def test_tests_come_first_where_they_are_asked_for(shop: Index) -> None:
    assert names(shop, "Which tests cover extracting cookies?")[0] == "test_extract_cookies"


def test_a_name_is_found_as_such_before_places_that_speak_of_it(shop: Index) -> None:
    assert names(shop, "extract")[0] == names(shop, "Jar.extract")[0] == names(shop, "jar.extract()")[0] == "extract"
    assert names(shop, "How does `merge` put another jar in?")[0] == "merge"


def test_near_words_and_abbreviations_are_found(shop: Index) -> None:
    assert "remove_header" in names(shop, "Where is a header deleted?")
    assert "read_env" in names(shop, "Which environment is looked at?")


def test_a_report_is_found_by_its_own_words_alone() -> None:
    index = filled([place("a.py", "on_error"), place("b.py", "send"), place("c.py", "receive")])
    assert names(index, "It crashed\n\nIt crashed while I tried to send.\n") == ["send"]


def test_the_innermost_frame_of_a_traceback_comes_before_the_outer_one(shop: Index) -> None:
    report = (
        "It fails\n\nTraceback (most recent call last):\n"
        '  File "/lib/shop/client.py", line 4, in send\n    jar.merge()\n'
        '  File "/lib/shop/jar.py", line 22, in merge\n    update()\nKeyError: x\n'
    )
    found = names(shop, report)
    assert found.index("merge") < found.index("send")


def test_a_place_is_found_by_its_line(shop: Index) -> None:
    assert names(shop, "shop/client.py:25")[0] == "wait_before_retry"


def test_what_is_not_there_is_told(shop: Index) -> None:
    answer = search(shop, "How are database migrations scheduled on Kubernetes?")
    assert "kubernetes" in answer.unknown and answer.confidence < LIKELY
    assert search(shop, "How are the cookies taken out of a reply?").confidence > answer.confidence


def test_another_file_that_answers_as_well_leaves_doubt() -> None:
    summary = "Parse a reply's header."
    one = [place("a.py", "parse_header", summary=summary), place("c.py", "send")]
    two = [*one, place("b.py", "parse_header", summary=summary)]
    text = "How is the header of a reply parsed?"
    assert search(filled(one), text).confidence > search(filled(two), text).confidence


def test_what_does_the_work_comes_before_what_offers_it_and_before_its_class() -> None:
    prices = [
        place("till.py", "Till", 1, CLASS, summary="Adds up prices."),
        place("till.py", "Till.add_prices", 12, summary="Add up prices."),
        place("till.py", "_add_prices", 30, summary="Add up prices."),
    ]
    index = filled([*prices, *SHOP])
    assert names(index, "how are the prices added up?")[:3] == ["_add_prices", "add_prices", "Till"]
    assert names(index, "which class adds up the prices?")[0] == "Till"
    assert names(index, "Till")[0] == "Till"


@pytest.mark.parametrize(
    "text", ["", "   ", "\x00\x01", "?", "how", "a" * 100_000, "\ud800 cookie", "'; DROP TABLE x", "%_" * 50]
)
def test_bad_questions_are_answered(shop: Index, text: str) -> None:
    answer = search(shop, text)
    assert 0.0 <= answer.confidence <= 1.0
    assert search(opened(), text).hits == ()


@given(st.permutations(SHOP), st.sampled_from(["take cookies out of a reply", "header", "Jar", "send a request again"]))
def test_the_order_of_documents_changes_nothing(shop: Index, documents: list[Document], text: str) -> None:
    mine, other = search(filled(documents), text), search(shop, text)
    assert [hit.place[1:] for hit in mine.hits] == [hit.place[1:] for hit in other.hits]
    assert [hit.score for hit in mine.hits] == pytest.approx([hit.score for hit in other.hits])


@given(st.integers(1, 30))
def test_unrelated_documents_reorder_nothing_that_comes_first(shop: Index, count: int) -> None:
    others = [place(f"other{number}.py", f"zebra{number}", body="giraffe lion") for number in range(count)]
    for text in ("cookies", "jar merge", "header"):
        assert names(filled(SHOP + others), text)[:3] == names(shop, text)[:3]

"""Questions in another language work through names and shared words, and say so."""

import pytest

from inarch_offline.tongues import foreign


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("wo wird das Timeout gesetzt", "German"),
        ("wie funktioniert die Kasse", "German"),
        ("¿dónde se valida la url", "Spanish"),
        ("cómo se calcula el total", "Spanish"),
        ("où est défini le total", "French"),
        ("come funziona la cassa", "Italian"),
        ("como funciona o caixa e onde está", "Portuguese"),
        ("waar wordt de prijs gezet", "Dutch"),
        ("где проверяется цена", ""),
        ("価格はどこで決まる", ""),
    ],
)
def test_language_of_a_question_is_told(text, language):
    found = foreign(text)
    assert found is not None
    assert found.language == language


@pytest.mark.parametrize(
    "text",
    [
        "where is the url validated",
        "how does die() work",
        "what is a con man in the code",
        "where is Till.add called",
        "price_of",
        "how is naïve time handled",
        "make one decimal number out of two 16 bit words",
        "list the commands",
        "who calls do or die",
    ],
)
def test_english_is_not_taken_for_another_language(text):
    assert foreign(text) is None


def test_a_name_in_another_language_is_answered_and_the_language_is_told(shop, answer):
    for prompt in ("wo ist check_item definiert?", "où est défini check_item ?"):
        text = answer(shop, prompt)
        assert "understood" in text
        assert "function `shop.till.check_item" in text
    assert "Called from 1 place" in answer(shop, "wer ruft check_item auf?")


def test_shared_words_alone_are_never_sure(shop, answer):
    text = answer(shop, "wo wird das item geprüft?")
    assert "Nothing here clearly answers this" in text
    assert "check_item" in text
    assert "mentions “wird”" not in text

"""Questions in another language: which one, what is asked, and the words that may stand in the code.

The rules know English. Of other languages they know the words that only ask, so that names and words that are shared
with the code are left; the answer says that it rests on no more than these.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ASKING = {
    "German": """wo woher wie wer wen was warum wann welche welcher welches welchen wird werden wurde ist sind
        war der die das den dem des ein eine einen einem einer und oder nicht im am auf für von vom mit bei aus
        zu zum zur durch über ich man wir es gibt kann können muss soll sich ruft auf hier dieses diese dieser
        funktioniert mir zeige zeig erkläre""",
    "Spanish": """dónde donde cómo como quién quien qué que cuál cuáles cuándo por se es son está están el la
        los las un una unos unas de del en con para y o no al hay puede puedo debe llama a aquí este esta esto
        funciona muestra explica""",
    "French": """où comment qui que quoi quel quelle quels quelles quand pourquoi est sont le la les un une des
        du de en dans avec pour par et ou ne pas au aux il elle on ce cette ces se fait peut je appelle ici
        fonctionne montre explique""",
    "Italian": """dove come chi che cosa quale quali quando perché è sono il lo la gli le un uno una di del
        della dei in nel nella con per e o non al alla si viene vengono può posso chiama qui questo questa
        funziona mostra spiega""",
    "Portuguese": """onde como quem que qual quais quando por é são está o a os as um uma de do da dos das em
        no na com para e ou não ao se pode posso chama aqui este esta isto funciona mostra explica""",
    "Dutch": """waar hoe wie wat welke wanneer waarom wordt worden is zijn de het een en of niet in op voor van
        met bij uit naar door ik men wij er kan moet roept aan hier dit deze werkt toon""",
}  # fmt: skip
_PLACES = frozenset(["wo", "woher", "dónde", "donde", "où", "dove", "onde", "waar", "где", "どこ"])
_ENGLISH = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "how",
        "what",
        "where",
        "which",
        "who",
        "why",
        "when",
        "can",
        "could",
        "should",
        "would",
        "i",
        "you",
        "we",
        "it",
        "its",
        "this",
        "that",
        "these",
        "there",
        "in",
        "on",
        "of",
        "to",
        "for",
        "with",
        "by",
        "from",
        "at",
        "and",
        "or",
        "not",
        "show",
        "tell",
        "me",
        "explain",
        "list",
        "find",
        "give",
        "get",
        "all",
        "any",
    ]
)
_CALLERS = (
    r"(?:wer (?:ruft|verwendet|benutzt|nutzt)|quién (?:llama a|usa)|quien (?:llama a|usa)|qui (?:appelle|utilise)|"
    r"chi (?:chiama|usa)|quem (?:chama|usa)|wie (?:roept|gebruikt)) (?P<what>[\w.`']+(?:\(\))?)(?: auf| aan)?"
)


class Foreign(NamedTuple):
    """A question in another language.

    Args:
        language: Its name in English, "" where only its script is known.
        words: What is left without the words that only ask.
        asks_where: Whether it asks for a place.
        called: The name whose callers are asked for.
    """

    language: str
    words: str
    asks_where: bool
    called: str


def foreign(text: str) -> Foreign | None:
    """Read a question in another language, None where it is English or can't be told."""
    words = re.findall(r"[^\W\d_][\w.]*", text)
    low = [word.lower() for word in words]
    letters = [sign for sign in text if sign.isalpha()]
    if letters and sum(sign > "\u024f" for sign in letters) * 3 > len(letters):
        kept = re.findall(r"[A-Za-z_][\w.]*", text, re.A)
        return Foreign("", " ".join(kept), bool(_PLACES.intersection(low)) or "どこ" in text, "")
    counts = {name: sum(word in said for word in low) for name, said in _SAID.items()}
    language = max(counts, key=lambda name: counts[name])
    only = sum(word in _SAID[language] and word not in _ENGLISH for word in low)
    if only < 2 or only <= sum(word in _ENGLISH and word not in _SAID[language] for word in low):
        return None
    called = re.match(_CALLERS, " ".join(words), re.I)
    kept = [word for word in words if word.lower() not in _SAID[language]]
    return Foreign(language, " ".join(kept), low[0] in _PLACES, called["what"] if called else "")


_SAID = {name: frozenset(words.split()) for name, words in _ASKING.items()}

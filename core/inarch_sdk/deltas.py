"""Pieces of a streamed reply that arrive together, as fewer ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inarch.contract.deltas import Delta, ReasoningDelta, TextDelta
from inarch.contract.errors import ProviderError


def join_deltas(deltas: Iterable[Delta]) -> Iterator[Delta]:
    """Yield the same in the same order, with neighbouring pieces of text, or of reasoning, as one piece.

    Raises:
        ProviderError: Reading them raised it; what came before was yielded.
    """
    kind: type[TextDelta] | type[ReasoningDelta] | None = None
    texts: list[str] = []
    failure: ProviderError | None = None
    try:
        for delta in deltas:
            if isinstance(delta, (TextDelta, ReasoningDelta)) and delta.__class__ is kind:
                texts.append(delta.text)
                continue
            if kind is not None:
                yield kind("".join(texts))
                kind = None
            if isinstance(delta, (TextDelta, ReasoningDelta)):
                kind, texts = delta.__class__, [delta.text]
            else:
                yield delta
    except ProviderError as error:
        failure = error
    if kind is not None:
        yield kind("".join(texts))
    if failure is not None:
        raise failure

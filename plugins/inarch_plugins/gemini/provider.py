"""Provider for one service, its key and its models."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from attrs import define, evolve, field, frozen

from inarch import (
    Delta,
    HttpService,
    Limits,
    ModelInfo,
    ModelRequest,
    Price,
    ProviderError,
    ProviderNote,
    join_deltas,
    proposed,
)

if TYPE_CHECKING:
    from inarch_plugins.gemini.chunks import Chunks
    from inarch_plugins.gemini.generate_request import Encoder, Leaving


KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
"""Variables of the key: the first that is set counts, as in Google's own client (google-genai 3.6.1)."""
PROPOSED = proposed("gemini")
AFTER_END_S = 2.0
"""Seconds that a stream is read after its finish reason, for further data."""

MOST_RETRIES = 2
"""Maximum retries of a refused request without the refused fields."""
_LEVEL_REFUSED = re.compile(r"thinking[ _]?(level|budget)", re.I)
_THINKING_REFUSED = re.compile(r"thinking|include_?thoughts", re.I)
_SIGNATURE_REFUSED = re.compile(r"(invalid|corrupted) thought[ _]?signature|thought[ _]?signature is not valid", re.I)
"""Texts of 400 errors (Google and gateways in front of it, as of Oct 2026)."""
_KEY_REFUSED = re.compile(r"\bapi[ _]key\b", re.I)
_DAILY = re.compile(r"per ?day|daily", re.I)


@define(eq=False, repr=False)
class Gemini:
    """`ModelProvider` over generateContent.

    Args:
        thinking: Whether to ask for the model's thoughts.
        key_name: The variable that holds the key.
        remark: A note to show once with a reply, if any.
    """

    service: HttpService
    thinking: bool = True
    missing: ProviderError | None = None
    a_minute: Limits = field(factory=Limits)
    key_name: str = KEYS[-1]
    remark: str = ""
    name: str = field(init=False, default="gemini")
    default_model: str = field(init=False, default=PROPOSED.model)
    default_decision_model: str = field(init=False, default=PROPOSED.decision_model)
    _listed: dict[str, Listed] = field(init=False, factory=dict)
    _encoder: Encoder | None = field(init=False, default=None)
    _refusing: dict[str, Leaving] = field(init=False, factory=dict)

    async def answer(self, request: ModelRequest) -> AsyncIterator[Delta]:
        """Stream the reply."""
        from inarch_plugins.gemini.chunks import Chunks

        self.check_key(request.model)
        if self.remark:
            yield ProviderNote(self.remark)
            self.remark = ""
        for attempt in range(1 + MOST_RETRIES):
            chunks = Chunks(self.service, request.model)
            try:
                async with aclosing(self._streamed(request, chunks)) as deltas:
                    async for delta in deltas:
                        yield delta
                return
            except ProviderError as error:
                left_out = "" if chunks.begun or attempt == MOST_RETRIES else self._leave_out(request, error)
                if not left_out:
                    raise self._clearer(error) from None
                yield ProviderNote(f"gemini refused {left_out}, which is left out ({error.message})", repair=True)

    async def models(self) -> Sequence[ModelInfo]:
        """Return the models that answer prompts, and remember their limits."""
        self.check_key("")
        found: dict[str, Listed] = {}
        path = "/models?pageSize=1000"
        for _ in range(MOST_PAGES):
            try:
                page = await self.service.get(path)
            except ProviderError as error:
                raise self._clearer(error) from None
            found.update(listed_models(page))
            following = page.get("nextPageToken") if isinstance(page, dict) else None
            if not isinstance(following, str) or not following:
                break
            path = f"/models?pageSize=1000&pageToken={quote(following, safe='')}"
        self._listed = found
        return [ModelInfo(name, one.description, one.input_tokens) for name, one in found.items()]

    def limits(self, model: str) -> Limits:
        """Return the listed limits, and the user's for a minute; before the list nothing else is known."""
        listed = self._listed.get(model)
        known = {} if listed is None else {"context_tokens": listed.input_tokens, "output_tokens": listed.output_tokens}
        return evolve(self.a_minute, **known)

    def price(self, model: str) -> Price | None:
        """Return None: the service does not list prices."""
        return None

    def takes_effort(self, model: str) -> bool:
        """Return whether the model thinks, as listed, else by its name."""
        from inarch_plugins.gemini.versions import thinks_by_name

        listed = self._listed.get(model)
        return thinks_by_name(model) if listed is None or listed.thinks is None else listed.thinks

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        await self.service.close()

    def check_key(self, model: str) -> None:
        """Refuse every model if there is no key."""
        if self.missing is not None:
            raise self.missing.with_text()  # each time a new one: an error collects the traces of where it was raised

    async def _streamed(self, request: ModelRequest, chunks: Chunks) -> AsyncGenerator[Delta]:
        async with aclosing(self.service.batches(_path(request), self._encoded(request))) as batches:
            async for batch in batches:
                for delta in join_deltas(chain.from_iterable(map(chunks.read, batch))):
                    yield delta
                if chunks.ended:
                    break
            for chunk in await _rest(batches) if chunks.ended else ():
                for delta in chunks.read(chunk):
                    yield delta
        for delta in chunks.end():
            yield delta

    def _encoded(self, request: ModelRequest) -> bytes:
        from inarch_plugins.gemini.generate_request import Encoder

        if self._encoder is None:
            self._encoder = Encoder(self.thinking, self.service.base_url)
        listed = self._listed.get(request.model)
        thinks = None if listed is None else listed.thinks
        return self._encoder.body(request, thinks, self._refusing.get(request.model))

    def _leave_out(self, request: ModelRequest, error: ProviderError) -> str:
        """Leave out from now on what the service refused; return its name, "" if it is not ours."""
        if error.status != 400 or self._encoder is None:
            return ""
        if _SIGNATURE_REFUSED.search(error.message):
            return "thought signatures" if self._encoder.leave_out_signatures(request) else ""
        before = self._refusing.get(request.model)
        if before != "thinking" and _THINKING_REFUSED.search(error.message):
            is_level = before is None and request.effort is not None and _LEVEL_REFUSED.search(error.message)
            self._refusing[request.model] = "level" if is_level else "thinking"
            return "the level of thinking" if is_level else "to be asked for thoughts"
        return ""

    def _clearer(self, error: ProviderError) -> ProviderError:
        """Correct the table of errors for this service's peculiarities."""
        if error.status == 401 or (error.kind == "request" and _KEY_REFUSED.search(error.message)):
            return ProviderError("auth", error.message, status=error.status, remedy=f"check the key in {self.key_name}")
        if error.kind == "quota" and error.retry_after is not None and not _DAILY.search(error.message):
            return ProviderError(
                "rate_limit", error.message, status=error.status, retry_after=error.retry_after, retryable=True,
                remedy="wait, or use another model",
            )  # fmt: skip
        return error


def _path(request: ModelRequest) -> str:
    """Return the path of a request: text for a person is streamed, a decision is not."""
    model = request.model if "/" in request.model else f"models/{request.model}"
    whole = request.response_schema is not None
    return f"/{quote(model, safe='/')}:{'generateContent' if whole else 'streamGenerateContent?alt=sse'}"


async def _rest(batches: AsyncIterator[list[Any]]) -> list[Any]:
    """Return the data after the end of a reply; a broken stream does no harm any more."""
    rest: list[Any] = []
    try:
        async with asyncio.timeout(AFTER_END_S):
            async for batch in batches:
                rest += batch
    except (TimeoutError, ProviderError):
        pass
    return rest


MOST_PAGES = 20


@frozen(eq=False, repr=False)
class Listed:
    """Model as listed; None marks what the list lacks."""

    description: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinks: bool | None = None


def listed_models(page: Any) -> Iterator[tuple[str, Listed]]:
    """Yield the models of one page of the list that answer prompts."""
    models = page.get("models") if isinstance(page, Mapping) else None
    for model in models if isinstance(models, list) else ():
        if not isinstance(model, Mapping) or not isinstance(model.get("name"), str):
            continue
        if "generateContent" in (model.get("supportedGenerationMethods") or ("generateContent",)):
            yield model["name"].removeprefix("models/"), _listed(model)


def _listed(model: Mapping[str, Any]) -> Listed:
    words = model.get("description") or model.get("displayName")
    thinks = model.get("thinking")
    return Listed(
        " ".join(words.split()) if isinstance(words, str) else "",
        _count(model.get("inputTokenLimit")),
        _count(model.get("outputTokenLimit")),
        thinks if isinstance(thinks, bool) else None,
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None

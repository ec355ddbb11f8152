"""What the service says of its models, kept in the cache folder between runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from inarch import Limits, ModelInfo, to_data
from inarch_staging import write_cache

FILE = "models.json"
MOST_PAGES = 20
VERSION = 1
"""Of the kept file; one of another version is as good as none."""


@frozen(eq=False, repr=False)
class Listed:
    """One model as it was listed; None is what the list didn't say."""

    description: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinks: bool | None = None


@define(eq=False, repr=False)
class Listing:
    """The models that were listed last; read from the cache folder when first asked for."""

    folder: str
    _models: dict[str, Listed] | None = field(init=False, default=None)

    def get(self, model: str) -> Listed | None:
        """Return what was listed of a model."""
        return self._all().get(model)

    def limits(self, model: str) -> Limits:
        """Return a model's limits; None is unknown."""
        listed = self.get(model)
        return Limits() if listed is None else Limits(listed.input_tokens, listed.output_tokens)

    def keep(self, models: Mapping[str, Listed]) -> list[ModelInfo]:
        """Keep what was listed just now, and return it in the port's terms."""
        self._models = dict(models)
        _write(self.folder, {"version": VERSION} | {name: to_data(listed) for name, listed in models.items()})
        return [ModelInfo(name, listed.description, listed.input_tokens) for name, listed in models.items()]

    def _all(self) -> dict[str, Listed]:
        if self._models is None:
            self._models = _read(self.folder)
        return self._models


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


def _read(folder: str) -> dict[str, Listed]:
    """Return what was kept; a cache that can't be read is an empty one."""
    try:
        data = json.loads((Path(folder) / FILE).read_bytes()) if folder else {}
    except (OSError, ValueError, RecursionError):
        return {}
    known = data.items() if isinstance(data, dict) and data.get("version", VERSION) == VERSION else ()
    return {
        name: Listed(
            str(item.get("description", "")),
            _count(item.get("input_tokens")),
            _count(item.get("output_tokens")),
            item.get("thinks") if isinstance(item.get("thinks"), bool) else None,
        )
        for name, item in known
        if isinstance(item, dict)
    }


def _write(folder: str, data: Mapping[str, Any]) -> None:
    """Keep data for the next run; a folder that can't be written costs that only."""
    if not folder:
        return
    write_cache(Path(folder) / FILE, json.dumps(data).encode(), former=rf"{re.escape(FILE)}\.[0-9]+")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None

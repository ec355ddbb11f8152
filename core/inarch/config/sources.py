"""Origins of values: a file, a variable, a flag or the built-in defaults."""

from __future__ import annotations

from typing import Any, NamedTuple

from attrs import field, frozen

from inarch.contract.errors import ConfigError
from inarch_sdk.settings import KeyPath, dotted


class Origin(NamedTuple):
    """Place of a value, for the user; `line` counts from 1 and is None outside files."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@frozen(eq=False, repr=False)
class Source:
    """Source of values; `text` is a file's TOML text, None for all others."""

    name: str
    text: str | None = None
    _lines: dict[KeyPath, int] = field(factory=dict)

    def line(self, path: KeyPath) -> int | None:
        """Return the line of `path`, or of the nearest table around it."""
        if self.text is None:
            return None
        if not self._lines:
            from inarch_lib.toml import key_lines

            self._lines.update(key_lines(self.text))
        for length in range(len(path), 0, -1):
            if path[:length] in self._lines:
                return self._lines[path[:length]]
        return 1

    def error(self, path: KeyPath, message: str, remedy: str = "") -> ConfigError:
        """Return the error for the value at `path`."""
        return ConfigError(message, source=self.name, line=self.line(path), key=dotted(path), remedy=remedy)


BUILT_IN = Source("built-in")


@frozen(eq=False, repr=False)
class Given:
    """Checked value and its origin."""

    value: Any
    source: Source
    path: KeyPath = ()

    @property
    def origin(self) -> Origin:
        """Origin of the value, with its line."""
        return Origin(self.source.name, self.source.line(self.path))

    def error(self, message: str, remedy: str = "") -> ConfigError:
        """Return the error for this value."""
        return self.source.error(self.path, message, remedy)

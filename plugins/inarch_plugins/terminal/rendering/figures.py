"""Status line of a conversation: usage of the session, context, model, profile."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from inarch import width
from inarch.figures import cost_words
from inarch_plugins.terminal.rendering.colors import Ink

Data = Mapping[str, Any]


class Figures:
    """Adds up the usage of replies until the end of the turn has exact figures."""

    def __init__(
        self,
        window: Callable[[str], int | None],
        model: str = "",
        profile: str = "",
        around: Callable[[], Mapping[str, str]] = dict,
        template: str = "",
    ) -> None:
        self.model = model
        self._window, self._profile, self._around, self._template = window, profile, around, template
        self._tokens = self._unknown = self._context = self._estimated = 0
        self._cost = Decimal(0)
        self._is_running = False

    def replied(self, data: Data) -> None:
        """Add the usage of a reply."""
        self._is_running = True
        usage = data["usage"]
        taken = usage["input_tokens"] + usage["output_tokens"]
        self._tokens += taken
        self._estimated += bool(usage.get("estimated"))
        if usage["cost_usd"] is None:
            self._unknown += 1
        else:
            self._cost += Decimal(str(usage["cost_usd"]))
        if data["purpose"] == "turn" and taken:
            self._context = taken

    def ended(self, data: Data) -> None:
        """Take the session's figures from the ledger; they are final."""
        self._is_running = False
        session = data.get("session")
        if session:
            self._tokens = session["input_tokens"] + session["output_tokens"]
            self._cost, self._unknown = Decimal(str(session["cost_usd"])), session["unknown"]
            self._estimated = session.get("estimated", 0)

    def line(self, columns: int, ink: Ink) -> str:
        """Return the filled template, or as many parts as fit; profile is dropped first, cost last."""
        if self._template:
            known = self.fields()
            filled = re.sub(r"\{(\w+)\}", lambda found: known.get(found[1], found[0]), self._template)
            return ink.paint(ink.cut(ink.plain(filled), columns), "dim")
        parts = [(part, rank) for part, rank in self._parts() if part]
        dot = ink.sign("dot")
        while len(parts) > 1 and width(dot.join(part for part, _ in parts)) > columns:
            parts.remove(max(parts, key=lambda part: part[1]))
        return ink.paint(ink.cut(ink.plain(dot.join(part for part, _ in parts)), columns), "dim")

    def _parts(self) -> list[tuple[str, int]]:
        """Return each part with its rank; 1 is the most important."""
        spent = self._is_running and (self._tokens or self._unknown or self._cost)
        about = "about " if self._estimated else ""
        return [
            (f"{about}{thousands(self._tokens)} tokens" if spent and self._tokens else "", 5),
            (self._spent() if spent and self._cost else "", 1),  # an unknown cost is said below the turn
            (self._fullness(), 2),
            (self.model, 4),
            (self._around().get("mode", ""), 3),
            (self._profile if self._profile != "default" else "", 6),
        ]

    def fields(self) -> dict[str, str]:
        """Return what a template may contain."""
        return {
            "model": self.model, "cost": self._spent(), "context": self._fullness(), "profile": self._profile,
            "tokens": f"{thousands(self._tokens)} tokens", "mode": "", "branch": "", "folder": "", **self._around(),
        }  # fmt: skip

    def status(self) -> dict[str, object]:
        """Return the figures as a status script gets them."""
        whole = (self._window(self.model) if self.model else None) or 0
        return {
            "model": {"id": self.model, "display_name": self.model.rpartition("/")[2]},
            "cost": {"total_cost_usd": float(self._cost)},
            "context_window": {
                "context_window_size": whole,
                "used_percentage": round(100 * self._context / whole) if whole else None,
            },
        }

    def _spent(self) -> str:
        return cost_words({"cost_usd": self._cost, "unknown": self._unknown}).replace(" of unknown cost", " unknown")

    def _fullness(self) -> str:
        if not self._context:
            return ""
        whole = self._window(self.model) if self.model else None
        return f"context {self._context / whole:.0%}" if whole else f"context {thousands(self._context)}"


def thousands(number: int) -> str:
    """Format a number with at most four digits."""
    if number < 1_000:
        return str(number)
    if number < 100_000:
        return f"{number / 1_000:.1f}k"
    return f"{number / 1_000:.0f}k" if number < 1_000_000 else f"{number / 1_000_000:.1f}M"

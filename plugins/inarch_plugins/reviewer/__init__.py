"""reviewer: a model answers questions about calls, as far as your own file lets it."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from attrs import field, frozen, validators

import inarch

if TYPE_CHECKING:
    from inarch_plugins.reviewer.session_reviews import Reviews

GRACE_S = 10.0
"""Seconds beyond those of a request until the kernel stops waiting."""


@frozen
class Settings:
    """Settings of `[plugins.reviewer]`.

    Args:
        model: The model that judges, as `PROVIDER/NAME`; empty for the profile's `decision_model`.
        share: Largest share of a turn's `max_cost_usd` that judging may cost.
        seconds: Longest wait for a judgement.
    """

    model: str = ""
    share: float = field(default=0.1, validator=[validators.ge(0.0), validators.le(1.0)])
    seconds: float = field(default=20.0, validator=[validators.gt(0.0), validators.le(120.0)])


class ModelApprover:
    """Approver that asks a model, and the tracer that knows the limits of its turns."""

    name = "reviewer"

    def __init__(self, context: inarch.PluginContext) -> None:
        self.context = context
        self.settings = context.settings if isinstance(context.settings, Settings) else Settings()
        self.timeout_s = self.settings.seconds + GRACE_S
        self._of: dict[str, Reviews] = {}

    def of(self, session_id: str) -> Reviews:
        """Return the reviews of a session."""
        if session_id not in self._of:
            from inarch_plugins.reviewer.session_reviews import Reviews

            self._of[session_id] = Reviews(self.settings)
        return self._of[session_id]

    async def decide(
        self, request: inarch.ApprovalRequest, situation: inarch.Situation
    ) -> inarch.Approval | str | None:
        """Judge a call that this plugin may approve; leave every other one to the user."""
        if request.may_give is None:
            return None
        return await self.of(situation.turn.session_id).decide(request, situation)

    def saw(self, event: inarch.Event) -> None:
        """Take the money that a turn may cost. After a change of files, approvals are out of date."""
        if event.kind == "file.changed":
            for reviews in self._of.values():
                reviews.forget_approvals()
        elif event.kind == "turn.started" and (settings := event.data.get("settings")):
            limit = settings.get("max_cost_usd")
            share = None if limit is None else Decimal(str(limit)) * Decimal(str(self.settings.share))
            self.of(event.session_id).begin(share)

    def summary(self, turn_id: str) -> str | None:
        """Add nothing: each answer is shown with its call."""
        return None

    def close(self) -> None:
        """Do nothing: everything is recorded."""


_known: WeakValueDictionary[int, ModelApprover] = WeakValueDictionary()
"""Approvers by the context of their run: approver, tracer and command are registered apart and share one."""


def _approver(context: inarch.PluginContext) -> ModelApprover:
    known = _known.get(id(context))
    if known is None or known.context is not context:
        known = _known[id(context)] = ModelApprover(context)
    return known


@inarch.hookimpl
def inarch_settings() -> type:
    """Return the settings class."""
    return Settings


@inarch.hookimpl
def inarch_approvers(context: inarch.PluginContext) -> Iterable[ModelApprover]:
    """Return the approver that asks a model."""
    return [_approver(context)]


@inarch.hookimpl
def inarch_tracers(context: inarch.PluginContext) -> Iterable[inarch.Tracer]:
    """Return the tracer that knows the limits of turns."""
    return [_approver(context)]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> Iterable[inarch.SlashCommand]:
    """Return `/denied`."""
    approver = _approver(context)

    async def run(words: str, context: inarch.SlashContext) -> str:
        from inarch_plugins.reviewer.denied_command import denied_command

        return await denied_command(words, context, approver.of(context.session_id))

    return [
        inarch.SlashCommand("denied", "List the calls that the reviewer denied, or ask about one.", run, "[NUMBER]")
    ]

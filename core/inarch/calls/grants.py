"""Approvals that last longer than one call: for this session, or permanently in this project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from inarch.calls.live_call import LiveCall, Shape, offered_shape, schema_digest
from inarch.contract.capabilities import KeepsRights, KnowsRights, able
from inarch.contract.errors import InarchError, StoreError
from inarch.contract.ids import utc_now
from inarch.contract.ports import Tool
from inarch.contract.records import ApprovalScope, ChosenRights

if TYPE_CHECKING:
    from inarch.config.approvals import Approvals, ProjectApproval
    from inarch.contract.replacements import LastingApprovals
    from inarch.plugins.registration import Bound


LASTING: frozenset[ApprovalScope] = frozenset({"shape", "tool", "session", "project"})
"""Scopes that are remembered; `project` outlasts the session."""


def narrowed(scope: ApprovalScope, live: LiveCall) -> ApprovalScope:
    """Return the scope that an answer really has: no tool that runs commands is approved as a whole, for example."""
    if live.offer is not None and live.offer.is_once:
        return "once"
    is_command = live.tool.value.category == "command"
    if (scope == "tool" and is_command) or (scope in ("tool", "session") and live.is_persons):
        scope = "shape"
    # If its rights name things, the session does not approve it permanently either.
    if live.offer is not None and not live.offer.lasting:
        return "once" if scope == "project" or (scope == "shape" and any(live.rights.values())) else scope
    return scope


def covering(live: LiveCall, grants: Grants) -> ApprovalScope | None:
    """Return the scope of the approval that covers a call, None for none; give the call its rights.

    Raises:
        StoreError: The project's approvals cannot be read.
    """
    found = grants.covered(live)
    if found is None or not found.rights:
        return found and found.scope
    with suppress(InarchError):
        live.choose(found.rights)
    if live.rights != found.rights:  # they mean something else by now: the next question starts without rights
        live.choose({})
        return None
    return found.scope


@define(eq=False, repr=False)
class ProjectGrants:
    """Stored approvals of one project, each bound to a tool's plugin, version and schema.

    `origins` has name, distribution and version of each plugin, by its name. A plugin without them is a single file,
    whose code may change any time.
    """

    root: str
    state_dir: Path
    origins: Mapping[str, str]

    @property
    def stored(self) -> Approvals:
        """The file of the approvals."""
        from inarch.config.approvals import Approvals

        return Approvals(self.root, self.state_dir)

    def covering(self, shape: Shape, bound: Bound[Tool]) -> ProjectApproval | None:
        """Return the approval that covers a call, unless it was given to another version or schema."""
        known = self.stored.known()
        return next((one for one in known if one.key == shape.key and self.still_holds(one, bound)), None)

    def still_holds(self, approval: ProjectApproval, bound: Bound[Tool]) -> bool:
        """Return whether an approval was given to this tool as it is now."""
        # A new version or another schema counts as another tool, which the user has not approved.
        now = bound.value.name, self._origin(bound), schema_digest(bound.value)
        return (approval.tool, approval.plugin, approval.schema) == now

    def _origin(self, bound: Bound[Tool]) -> str | None:
        return None if bound.is_replaced else self.origins.get(bound.plugin)  # a program's own object has no version

    def keep(self, shape: Shape, bound: Bound[Tool], words: str, rights: ChosenRights) -> None:
        """Store an approval until it is revoked.

        Raises:
            StoreError: It cannot be stored.
        """
        from inarch.config.approvals import ProjectApproval

        tool, origin = bound.value, self._origin(bound)
        if origin is None:
            raise StoreError(
                "permission", f"plugin {bound.plugin!r} has no version that an approval could be bound to",
                "it holds for this session",
            )  # fmt: skip
        schema = schema_digest(tool)
        approval = ProjectApproval(shape.key[:8], tool.name, words, shape.key, origin, schema, utc_now(), rights)
        self.stored.keep(approval)


class Covered(NamedTuple):
    """Scope of the earlier approval that covers a call, and the rights chosen with it."""

    scope: ApprovalScope
    rights: ChosenRights = {}  # noqa: RUF012 - never changed


@define(eq=False, repr=False)
class Grants:
    """Lasting approvals of one session, by shape, by tool or for everything, and those of the project.

    If `elsewhere` stores approvals, they are looked up and stored only there. `denied` has the keys of shapes that the
    user denied.
    """

    shapes: dict[str, str] = field(factory=dict)
    rights: dict[str, ChosenRights] = field(factory=dict)
    tools: set[str] = field(factory=set)
    everything: bool = False
    denied: set[str] = field(factory=set)
    project: ProjectGrants | None = None
    elsewhere: LastingApprovals | None = None

    def covered(self, live: LiveCall) -> Covered | None:
        """Return the approval that covers a call, None for none; one for this very call takes precedence."""
        if self.elsewhere is not None:
            return self._elsewhere(live, self.elsewhere)
        # An approval with chosen rights is stored under the call itself, so that it precedes wider ones.
        own = self._of_shape(offered_shape(live.call, live.offer), live.tool) if live.offer is not None else None
        if own is None and not live.is_persons and self.everything:
            return Covered("session")
        if own is None and not live.is_persons and live.tool.value.name in self.tools:
            return Covered("tool")
        return own or self._of_shape(live.shape, live.tool)

    def _elsewhere(self, live: LiveCall, elsewhere: LastingApprovals) -> Covered | None:
        tool = live.tool.value
        # This very call takes precedence if its rights were stored. Without a store, or in a replay, each call asks
        # once.
        keys = [live.shape.key]
        if live.offer is not None and able(elsewhere, KeepsRights) is not None:
            keys.insert(0, offered_shape(live.call, live.offer).key)
        for key in dict.fromkeys(keys):
            scope = elsewhere.scope_of(key, tool)
            if scope is not None and not (live.is_persons and scope in ("tool", "session")):
                known = able(elsewhere, KnowsRights)
                return Covered(scope, (None if known is None else known.rights_of(key, tool)) or {})
        return None

    def _of_shape(self, shape: Shape, bound: Bound[Tool]) -> Covered | None:
        if shape.key in self.shapes:
            return Covered("shape", self.rights.get(shape.key, {}))
        kept = self.project.covering(shape, bound) if self.project is not None else None
        return Covered("project", kept.rights) if kept is not None else None

    def remember(
        self, scope: ApprovalScope, shape: Shape, bound: Bound[Tool], words: str, rights: ChosenRights | None = None
    ) -> None:
        """Store an approval for as long as its scope says; `words` describe what the shape covers, safe to store.

        Raises:
            StoreError: The approval holds for this session but cannot be stored for the project.
        """
        if self.elsewhere is not None:
            self.elsewhere.remember(scope, shape.key, bound.value, words)
            keeping = able(self.elsewhere, KeepsRights)
            if scope in LASTING and keeping is not None:
                keeping.remember_rights(shape.key, bound.value, rights or {})
        elif scope == "session":
            self.everything = True
        elif scope == "tool":
            self.tools.add(bound.value.name)
        elif scope in ("shape", "project"):
            self.shapes[shape.key] = words
            self.rights[shape.key] = rights or {}
            if scope == "project" and self.project is not None:
                self.project.keep(shape, bound, words, rights or {})

    def listed(self) -> tuple[str, ...]:
        """Return the session's approvals in words, for the user."""
        lines = ["everything"] if self.everything else []
        lines += [f"every call of {name}" for name in sorted(self.tools)]
        return (*lines, *sorted(self.shapes.values()))

    def kept(self) -> Sequence[ProjectApproval]:
        """Return the project's permanent approvals."""
        return self.project.stored.known() if self.project is not None else ()

    def revoke_kept(self, which: str | None = None) -> Sequence[ProjectApproval]:
        """Revoke the project's permanent approvals, all or the one with this id, and return them."""
        return self.project.stored.revoke(which) if self.project is not None else ()

    def revoke(self) -> None:
        """Forget every approval of the session; those of the project stay."""
        self.shapes.clear()
        self.rights.clear()
        self.tools.clear()
        self.everything = False

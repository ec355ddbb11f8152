"""What parts of Inarch itself need that stand beside the kernel, such as the built-in ones; nothing of it is promised.

Provisional: a name leaves when a door has taken its place. Plugins of others build on `inarch.__all__`. Each name is
loaded on first use, so that one of them costs nothing of the others.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from inarch.cli.composing import compose_given as compose_given
    from inarch.cli.options import composing_options as composing_options
    from inarch.cli.terminal import is_terminal as is_terminal
    from inarch.config.values import Check as Check
    from inarch.config.values import key as key
    from inarch.contract.doors import OURS as OURS
    from inarch.contract.doors import blame as blame
    from inarch.contract.doors import guarded as guarded
    from inarch.contract.loading import LoadJob as LoadJob
    from inarch.contract.loading import Offered as Offered
    from inarch.contract.ports import OPTIONAL as OPTIONAL
    from inarch.journal.memory import MemoryStore as MemoryStore
    from inarch.plugins.alone import load_alone as load_alone
    from inarch.plugins.checks import fault_of as fault_of
    from inarch.plugins.checks import opened_fault as opened_fault
    from inarch.plugins.composition import Bound as Bound
    from inarch.sessions.transcript import KeptTranscript as KeptTranscript
    from inarch.turns.accumulator import Accumulator as Accumulator
    from inarch.turns.checking import checked_decision as checked_decision
    from inarch.turns.wording import STRUCTURE_TITLE as STRUCTURE_TITLE

_HOMES = {
    name: module
    for module, names in {
        "cli.composing": "compose_given",
        "cli.options": "composing_options",
        "cli.terminal": "is_terminal",
        "config.values": "Check key",
        "contract.doors": "OURS blame guarded",
        "contract.loading": "LoadJob Offered",
        "contract.ports": "OPTIONAL",
        "journal.memory": "MemoryStore",
        "plugins.alone": "load_alone",
        "plugins.checks": "fault_of opened_fault",
        "plugins.composition": "Bound",
        "sessions.transcript": "KeptTranscript",
        "turns.accumulator": "Accumulator",
        "turns.checking": "checked_decision",
        "turns.wording": "STRUCTURE_TITLE",
    }.items()
    for name in names.split()
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"inarch.{home}"), name)
    globals()[name] = value
    return value

"""What parts of Inarch itself need that stand beside the kernel, such as the built-in ones; nothing of it is promised.

Provisional: a name leaves when a door has taken its place. Plugins of others build on `inarch.__all__`. Each name is
loaded on first use, so that one of them costs nothing of the others.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from inarch.cli.composing import compose_given as compose_given
    from inarch.cli.failure import exit_code as exit_code
    from inarch.cli.failure import say as say
    from inarch.cli.failure import say_remedy as say_remedy
    from inarch.cli.interrupts import interrupts as interrupts
    from inarch.cli.options import composing_options as composing_options
    from inarch.cli.session_ids import listing as listing
    from inarch.cli.terminal import columns_of as columns_of
    from inarch.cli.terminal import is_terminal as is_terminal
    from inarch.config.sources import nearest as nearest
    from inarch.config.values import Check as Check
    from inarch.config.values import key as key
    from inarch.contract.doors import OURS as OURS
    from inarch.contract.doors import blame as blame
    from inarch.contract.doors import guarded as guarded
    from inarch.contract.events import CommandRan as CommandRan
    from inarch.contract.events import ErrorHappened as ErrorHappened
    from inarch.contract.harmless import MOST_MARKS as MOST_MARKS
    from inarch.contract.loading import LoadJob as LoadJob
    from inarch.contract.loading import Offered as Offered
    from inarch.contract.ports import OPTIONAL as OPTIONAL
    from inarch.journal.memory import MemoryStore as MemoryStore
    from inarch.plugins.alone import load_alone as load_alone
    from inarch.plugins.checks import fault_of as fault_of
    from inarch.plugins.checks import opened_fault as opened_fault
    from inarch.plugins.composition import Bound as Bound
    from inarch.plugins.discovery import discover as discover
    from inarch.sessions.contents import last_part as last_part
    from inarch.sessions.contents import last_prompt as last_prompt
    from inarch.sessions.finding import find_session as find_session
    from inarch.sessions.transcript import KeptTranscript as KeptTranscript
    from inarch.sessions.undo.report import report_lines as report_lines
    from inarch.turns.accumulator import Accumulator as Accumulator
    from inarch.turns.checking import checked_decision as checked_decision
    from inarch.turns.context.fitting import dropped_words as dropped_words
    from inarch.turns.context.viewing import ContextView as ContextView
    from inarch.turns.wording import STRUCTURE_TITLE as STRUCTURE_TITLE

_HOMES = {
    name: module
    for module, names in {
        "cli.composing": "compose_given",
        "cli.failure": "exit_code say say_remedy",
        "cli.interrupts": "interrupts",
        "cli.options": "composing_options",
        "cli.session_ids": "listing",
        "cli.terminal": "columns_of is_terminal",
        "config.sources": "nearest",
        "config.values": "Check key",
        "contract.doors": "OURS blame guarded",
        "contract.events": "CommandRan ErrorHappened",
        "contract.harmless": "MOST_MARKS",
        "contract.loading": "LoadJob Offered",
        "contract.ports": "OPTIONAL",
        "journal.memory": "MemoryStore",
        "plugins.alone": "load_alone",
        "plugins.checks": "fault_of opened_fault",
        "plugins.composition": "Bound",
        "plugins.discovery": "discover",
        "sessions.contents": "last_part last_prompt",
        "sessions.finding": "find_session",
        "sessions.transcript": "KeptTranscript",
        "sessions.undo.report": "report_lines",
        "turns.accumulator": "Accumulator",
        "turns.checking": "checked_decision",
        "turns.context.fitting": "dropped_words",
        "turns.context.viewing": "ContextView",
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

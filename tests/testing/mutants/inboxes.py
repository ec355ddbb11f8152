"""A right tool that says something later, and one that is wrong in one way for each test of `InboxContract`."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from inarch import Effects, Inbox, ToolContext, ToolFailed
from inarch.testing import InboxContract

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


class Remind:
    name = "remind"
    description = "Remind of something later."
    category = "other"
    input_schema: Any = SCHEMA
    output_schema: Any = None
    timeout_s = 30.0
    max_retries = 0
    requires_confirmation = False
    receives_secrets = False

    def effects(self, arguments: Mapping[str, Any]) -> Effects:
        return Effects()

    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        if not arguments["text"].strip():
            raise ToolFailed("validation", "there is nothing to remind of", "say what")
        begin(self.say, self.inbox(context), arguments["text"])
        return "you will be told"

    def inbox(self, context: ToolContext) -> Inbox:
        return context.inbox

    def say(self, inbox: Inbox, text: str) -> None:
        inbox.say(f"Reminder: {text[:1_000]}")


def begin(function: Any, *given: Any, lasting: bool = False) -> None:
    timer = threading.Timer(20.0 if lasting else 0.02, function, given)
    timer.daemon = not lasting
    timer.start()
    LASTING.extend([timer] if lasting else [])


LASTING: list[threading.Timer] = []


class Silent(Remind):
    def say(self, inbox: Inbox, text: str) -> None:
        """Forget it."""


class Long(Remind):
    def say(self, inbox: Inbox, text: str) -> None:
        inbox.say("word " * 10_000)


class Twice(Remind):
    def say(self, inbox: Inbox, text: str) -> None:
        for _ in range(2):
            super().say(inbox, text)


class OnlyAscii(Remind):
    def say(self, inbox: Inbox, text: str) -> None:
        if text.isascii():  # raised in a thread, its fault would be found by the test that runs when that ends
            super().say(inbox, text)


class KeepsTheFirst(Remind):
    first: Inbox | None = None

    def inbox(self, context: ToolContext) -> Inbox:
        self.first = self.first or context.inbox
        return self.first


class HoldsUp(Remind):
    def run(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        begin(self.say, context.inbox, "late", lasting=True)
        return super().run(arguments, context)


class Prints(Remind):
    def say(self, inbox: Inbox, text: str) -> None:
        print("ding")
        super().say(inbox, text)


class Suite(InboxContract):
    tool: type[Remind] = Remind
    arguments = {"text": "the tea is ready"}  # noqa: RUF012 - read only

    def make(self) -> Any:
        return self.tool()


WRONG: dict[str, type[Remind]] = {
    "test_what_it_says_reaches_the_model": Silent,
    "test_its_words_are_short": Long,
    "test_nothing_is_said_twice": Twice,
    "test_any_text_is_taken": OnlyAscii,
    "test_sessions_keep_apart": KeepsTheFirst,
    "test_nothing_is_left_running": HoldsUp,
    "test_nothing_is_printed": Prints,
}


def suite(wrong: str = "") -> Suite:
    made = Suite()
    if wrong:
        made.tool, made.grace_s = WRONG[wrong], 0.5
    return made

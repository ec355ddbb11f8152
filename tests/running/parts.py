"""A plugin for the tests: a front end, slash commands and a tool that prints."""

from collections.abc import Awaitable, Sequence

import inarch


@inarch.tool
def loud(text: str) -> str:
    """Print the text and return it."""
    print("LOUD", text)
    return text


class Words:
    """Shows the kinds of events; it fails at the ones that `fails_at` names."""

    def __init__(self, name: str, fails_at: str = "") -> None:
        self.name, self.fails_at = name, fails_at

    def show(self, event: inarch.Event) -> None:
        if event.kind == self.fails_at:
            raise ValueError("the paint is wet")
        print(event.kind)

    async def approve(self, batch: Sequence[inarch.ApprovalRequest]) -> Sequence[inarch.Approval]:
        return [inarch.Approval(request.call.id, "approve") for request in batch]

    def close(self) -> None:
        print("closed", self.name)


async def slowly(words: str) -> str:
    return f"slow {words}"


def spoil(words: str) -> str | Awaitable[str]:
    raise ValueError("spoilt milk")


def opened(options: inarch.FrontEndOptions) -> inarch.FrontEnd:
    return Words("quiet" if options.quiet else "opened")


def stuck(options: inarch.FrontEndOptions) -> inarch.FrontEnd:
    raise ValueError("no paint")


@inarch.hookimpl
def inarch_front_ends(context: inarch.PluginContext) -> list[inarch.FrontEnd | inarch.FrontEndSpec]:
    specs = [
        inarch.FrontEndSpec("opened", opened),
        inarch.FrontEndSpec("stuck", stuck),
        inarch.FrontEndSpec("empty", lambda options: None),  # type: ignore[arg-type, return-value]
    ]
    return [Words("kinds"), Words("wet", "turn.ended"), *specs]


@inarch.hookimpl
def inarch_slash_commands(context: inarch.PluginContext) -> list[inarch.SlashCommand]:
    return [
        inarch.SlashCommand("again", "Say it again.", lambda words: f"again {words}"),
        inarch.SlashCommand("slow", "Say it slowly.", slowly),
        inarch.SlashCommand("spoil", "Fail.", spoil),
    ]

"""Key bindings: in the input line, during a turn, and during a question."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit.filters import Condition, Filter, has_focus, is_searching, vi_insert_mode
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.key_binding.key_processor import KeyPressEvent
from prompt_toolkit.keys import Keys

from inarch_plugins.terminal.conversation.call_question import SCROLLING
from inarch_plugins.terminal.conversation.given_pictures import dropped, from_clipboard
from inarch_plugins.terminal.conversation.prompt_queue import Line

if TYPE_CHECKING:
    from inarch_plugins.terminal.conversation.chat import Chat


def make_keys(chat: Chat) -> KeyBindings:
    """Return the key bindings of a conversation."""
    keys = KeyBindings()
    in_answer = Condition(lambda: chat.asking.is_open and has_focus(chat.screen.answer)())
    at_question = Condition(lambda: chat.asking.is_open and not has_focus(chat.screen.answer)())
    in_line = ~at_question & ~in_answer & ~is_searching
    _line_keys(keys, chat, in_line)
    at_empty_line = in_line & Condition(lambda: not chat.screen.line.text)
    for name, does in (chat.companion.keys if chat.companion is not None else {}).items():
        keys.add(name, filter=at_empty_line)(partial(lambda does, event: does(), does))
    _running_keys(keys, chat, ~at_question & ~in_answer)
    _question_keys(keys, chat, at_question, in_answer)
    return keys


def _line_keys(keys: KeyBindings, chat: Chat, in_line: Filter) -> None:
    @keys.add("enter", filter=in_line)
    def send(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        is_picked = buffer.complete_state is not None and buffer.complete_state.current_completion is not None
        if is_picked and not buffer.text.startswith("/"):
            buffer.complete_state = None  # the path is already in the line
        else:
            chat.send()

    @keys.add("escape", "enter", filter=in_line)
    @keys.add("c-j", filter=in_line)
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline(copy_margin=False)

    @keys.add("tab", filter=in_line)
    def complete(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None:
            buffer.complete_next()
        else:
            buffer.start_completion(select_first=False, insert_common_part=True)

    @keys.add("s-tab", filter=in_line)
    def complete_back(event: KeyPressEvent) -> None:
        if event.current_buffer.complete_state is not None:
            event.current_buffer.complete_previous()
        else:
            commands = chat.talk.app.composition.slash_commands if chat.talk is not None else {}
            name = next((name for name, one in commands.items() if one.value.key == "s-tab"), "approve next")
            chat.work.add(Line(f"/{name}", f"/{name}"))

    @keys.add(Keys.BracketedPaste, filter=in_line)
    def paste(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        begins = not buffer.document.text_before_cursor.strip()
        if event.data:
            buffer.insert_text(
                dropped(event.data, Path(chat.launch.root)) or chat.pastes.fold(event.data, begins=begins)
            )
        else:  # some terminals paste a picture as an empty text
            paste_picture(event)

    @keys.add("c-v", filter=in_line)
    def paste_picture(event: KeyPressEvent) -> None:
        event.app.create_background_task(_paste_picture(chat))

    def sign() -> int:
        return chat.pastes.sign_before(chat.screen.line.document.text_before_cursor)

    @keys.add("backspace", filter=in_line & Condition(lambda: bool(sign())))
    def unpaste(event: KeyPressEvent) -> None:
        event.current_buffer.delete_before_cursor(sign())

    @keys.add("up", filter=in_line & Condition(lambda: not chat.screen.line.text and bool(chat.screen.queued())))
    def take_back(event: KeyPressEvent) -> None:
        chat.take_back()

    @keys.add("?", filter=in_line & Condition(lambda: not chat.screen.line.text))
    def explain(event: KeyPressEvent) -> None:
        from inarch_plugins.terminal.slash.views import short_help

        chat.screen.put(f"\n{short_help(chat.screen.columns)}\n")

    @keys.add("c-o")
    def fold(event: KeyPressEvent) -> None:
        chat.fold()


async def _paste_picture(chat: Chat) -> None:
    try:
        chat.screen.line.insert_text(await from_clipboard())
    except ValueError as error:
        chat.screen.hint = str(error)
    chat.screen.changed()


def _running_keys(keys: KeyBindings, chat: Chat, unasked: Filter) -> None:
    types_vi = vi_insert_mode & Condition(lambda: bool(chat.screen.line.text))  # Escape leaves insert mode then

    @keys.add("escape", filter=unasked & ~is_searching & ~types_vi)
    def cancel(event: KeyPressEvent) -> None:
        if chat.screen.line.complete_state is not None:
            chat.leave_list()
        else:
            chat.cancel()

    @keys.add("c-c")  # on terminals that pass it on
    def interrupt(event: KeyPressEvent) -> None:
        chat.interrupt()

    @keys.add("c-z")
    def suspend(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()

    @keys.add("c-d", filter=unasked & Condition(lambda: not chat.screen.line.text))
    def leave(event: KeyPressEvent) -> None:
        chat.leave()


def _question_keys(keys: KeyBindings, chat: Chat, at_question: Filter, in_answer: Filter) -> None:
    @keys.add(Keys.Any, filter=at_question)
    def press(event: KeyPressEvent) -> None:
        chat.asking.press(event.data)

    @keys.add(Keys.BracketedPaste, filter=at_question, eager=True)
    @keys.add("enter", filter=at_question)
    @keys.add("c-j", filter=at_question)
    @keys.add("tab", filter=at_question)
    @keys.add("backspace", filter=at_question)
    def ignore(event: KeyPressEvent) -> None:
        chat.asking.press("")

    for name in SCROLLING:
        keys.add(name, filter=at_question)(partial(lambda name, event: chat.asking.press(name), name))

    for key, char in (("e", "e"), ("s", "s"), ("enter", "\r")):
        ends_word = Condition(partial(lambda char: chat.asking.ends_word(char), char))
        keys.add(key, filter=ends_word, eager=True)(lambda event: chat.asking.take_word())

    @keys.add("escape", filter=at_question, eager=True)
    def cancel(event: KeyPressEvent) -> None:
        chat.cancel()

    @keys.add("c-d", filter=at_question)
    def refuse(event: KeyPressEvent) -> None:
        chat.asking.refuse()

    @keys.add("enter", filter=in_answer)
    @keys.add("c-j", filter=in_answer)
    def answer(event: KeyPressEvent) -> None:
        chat.asking.enter()

    @keys.add("escape", filter=in_answer)
    @keys.add("c-d", filter=in_answer)
    def back(event: KeyPressEvent) -> None:
        chat.asking.back()

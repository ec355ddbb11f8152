"""Child process of one isolated plugin: started on demand, ended when necessary, and called."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from attrs import define, field

from inarch import InarchError, PluginError
from inarch.host import blame
from inarch_plugins.isolation.channel import Channel, Message, PendingCall
from inarch_plugins.isolation.failures import error_from
from inarch_plugins.isolation.kernel_answers import Answers
from inarch_plugins.isolation.methods import ANSWER_S
from inarch_plugins.isolation.rights import Launch
from inarch_plugins.isolation.spawner import ending_words, reap, spawned
from inarch_plugins.isolation.wire import Malformed

STOP_S = 0.7
"""Seconds that a cancelled call has to end; the kernel abandons it after one."""
STOP_UNWATCHED_S = 10.0
"""Seconds that a call has to end once nothing waits for it."""
MOST_RESTARTS = 3
"""Maximum restarts of an ended child within `WITHIN_S` seconds."""
WITHIN_S = 60.0
MOST_AT_ONCE = 8
"""Maximum requests of one call that are answered concurrently; others wait their turn."""
_LOOK_S = 0.03


@define(eq=False, repr=False)
class PluginProcess:
    """Process of one plugin.

    Every call ends with its value, the plugin's error, or a `PluginError` that says how the process ended.
    """

    plugin: str
    launch: Launch
    start_s: float = 20.0
    description: Mapping[str, Any] | None = None
    generation: int = 0
    within_s: float = WITHIN_S
    _restarted: list[float] = field(factory=list)
    closed: bool = False
    _channel: Channel | None = None
    _ready: SimpleQueue[Message] = field(factory=SimpleQueue)
    _faults: dict[str, BaseException] = field(factory=dict)
    _is_loaded: bool = False
    _lock: threading.RLock = field(factory=threading.RLock)

    def begin(self) -> None:
        """Start the child without waiting for it.

        Raises:
            PluginError: It cannot be started.
        """
        with self._lock:
            self._is_loaded = False
            opened: list[int] = []
            try:
                ours, theirs = (one.detach() for one in socket.socketpair())
                opened += ours, theirs
                opened += os.pipe()
                child, gate, end = spawned(self.launch, theirs, opened[3])
            except (OSError, ValueError) as error:
                for descriptor in opened:
                    os.close(descriptor)
                raise self._error(f"could not be started: {error}") from error
            os.close(theirs)
            os.close(opened[3])
            self._ready = SimpleQueue()
            self.generation += 1
            self._channel = channel = Channel(
                socket.socket(fileno=ours),
                opened[2],
                lambda at_once: end(reap(child, at_once)),
                partial(ending_words, self.plugin, self.launch.job),
                _started(self._ready),
            )
            channel.start()
            channel.send({"op": "start", "job": {**self.launch.job, "gate": gate}})

    def wait(self) -> Mapping[str, Any]:
        """Wait until the plugin is loaded, and return its description.

        Raises:
            PluginError: It could not be loaded in time.
        """
        with self._lock:
            channel = self._channel
            if channel is None:
                raise self._error("was not started")
            if self._is_loaded and self.description is not None:
                return self.description
            deadline = time.monotonic() + self.start_s
            while True:
                try:
                    return self._loaded(channel, self._ready.get(timeout=0.05))
                except Empty:
                    if not channel.is_open and channel.reason:
                        raise self._error(channel.reason) from None
                    if time.monotonic() > deadline:
                        channel.give_up(f"did not finish loading within {self.start_s:g} s")
                        raise self._error(f"did not finish loading within {self.start_s:g} s") from None

    def _loaded(self, channel: Channel, message: Message) -> Mapping[str, Any]:
        if message.get("op") != "ready":
            self.close()
            if "problem" in message:
                return message
            error = error_from(message.get("error"), self.plugin, "load")
            if isinstance(error, PluginError) and error.remedy:
                raise error
            raise self._error(f"can't be loaded: {error}")
        if self.description is None:
            self.description = message
        elif self.description != message:
            channel.give_up("registers something else than at its first start")
            raise self._error("registers something else than at its first start")
        self._is_loaded = True
        return message

    def channel(self) -> Channel:
        """Return the connection to a running child, which is restarted if necessary.

        Raises:
            PluginError: It ended too often, or cannot be started.
        """
        with self._lock:
            if not self.runs:
                self._begin_again()
            self.wait()
            assert self._channel is not None
            return self._channel

    def _begin_again(self) -> None:
        with self._lock:
            channel = self._channel
            if self.closed or channel is None:
                raise self._error("is closed")
            now = time.monotonic()
            self._restarted = [at for at in self._restarted if at > now - self.within_s]
            if len(self._restarted) >= MOST_RESTARTS:
                raise self._error(
                    f"is not started again after {MOST_RESTARTS} restarts within {self.within_s:g} s; "
                    f"the last time it {channel.reason}"
                )
            self._restarted.append(now)
            self.begin()

    def answers(self, is_parent: bool = False) -> Answers:
        """Return the answerer of a call's requests."""
        return Answers(self.plugin, self.launch.job, self.send, is_parent)

    def send(self, message: Message) -> None:
        """Send a message to the child, if it runs."""
        if self._channel is not None:
            self._channel.send(message)

    def call(
        self,
        target: str,
        method: str,
        arguments: Any = None,
        *,
        door: str = "tool",
        seconds: float | None = ANSWER_S,
        answers: Answers | None = None,
        cancelled: threading.Event | None = None,
    ) -> Any:
        """Call a method in the child and wait in this thread, which answers the child's requests meanwhile.

        Cancellation and the deadline are checked with every message, however many come and however slowly.

        Args:
            target: The object, such as `tools/0`.
            method: Its method.
            arguments: Plain data.
            door: The purpose of the call, for messages.
            seconds: Time after which the child is ended.
            answers: Answers the child's requests.
            cancelled: When set, the child is asked to stop, and ended if the call continues.

        Raises:
            InarchError: The plugin's error, or how its process ended.
        """
        channel, answers = self.channel(), answers or self.answers()
        queue: SimpleQueue[Message] = SimpleQueue()
        call = channel.open(queue.put)
        deadline = None if seconds is None else time.monotonic() + seconds
        is_stopping = False
        try:
            self._send(channel, call, target, method, arguments)
            while True:
                looks = cancelled is not None or deadline is not None
                message = _next(queue, _LOOK_S if looks else None)
                if cancelled is not None and not is_stopping and cancelled.is_set():
                    is_stopping, deadline = True, time.monotonic() + STOP_S
                    channel.send({"op": "cancel", "id": call.id})
                if deadline is not None and time.monotonic() > deadline:
                    why = "cancelled" if is_stopping else f"asked for {seconds:g} s"
                    channel.give_up(f"was ended: {target} {method} did not return after it was {why}")
                    deadline = None
                if message is None:
                    continue
                call.took(message)
                if message["op"] != "ask":
                    return self._outcome(channel, message, door, leaves=method == "run")
                channel.send(answers.answered(message))
        finally:
            self._give_up_on(channel, call)

    async def call_async(
        self,
        target: str,
        method: str,
        arguments: Any = None,
        *,
        door: str,
        seconds: float | None = None,
        answers: Answers | None = None,
    ) -> Any:
        """Call a method in the child and await it; cancelling ends the call there too.

        Raises:
            InarchError: The plugin's error, or how its process ended.
        """
        import asyncio
        from contextlib import aclosing

        try:
            async with (
                asyncio.timeout(seconds),
                aclosing(self.stream(target, method, arguments, door=door, answers=answers)) as stream,
            ):
                async for operation, value in stream:
                    if operation == "reply":
                        return value
        except TimeoutError:
            raise self._error(f"did not answer within {seconds:g} s: {target} {method}") from None

    async def stream(
        self, target: str, method: str, arguments: Any = None, *, door: str, answers: Answers | None = None
    ) -> AsyncGenerator[tuple[str, Any], None]:
        """Yield `("piece", value)` for each piece of a reply, then `("reply", value)`.

        Raises:
            InarchError: The plugin's error, or how its process ended.
        """
        import asyncio

        loop, answers = asyncio.get_running_loop(), answers or self.answers()
        queue: asyncio.Queue[Message] = asyncio.Queue()

        def deliver(message: Message) -> None:
            try:
                loop.call_soon_threadsafe(queue.put_nowait, message)
            except RuntimeError:
                pass  # the loop is closed: nothing waits any more

        channel = self._channel if self.runs and self._is_loaded else None
        if channel is None:  # a restart of the process takes a while
            channel = await asyncio.to_thread(self.channel)
        call = channel.open(deliver)
        turns = asyncio.Semaphore(MOST_AT_ONCE)
        tasks = set()

        async def answer(message: Message) -> None:
            async with turns:
                reply = await answers.answered_later(message)
            call.took(message)  # one being answered counts as waiting
            channel.send(reply)

        try:
            self._send(channel, call, target, method, arguments)
            while True:
                message = await queue.get()
                if message["op"] == "reply" or message["op"] == "gone":
                    yield "reply", self._outcome(channel, message, door, leaves=method == "run")
                    return
                if message.get("method") == "piece":
                    call.took(message)
                    yield "piece", message.get("args")
                    channel.send({"op": "back", "ask": message.get("ask")})
                elif message["op"] == "ask":
                    task = asyncio.ensure_future(answer(message))
                    tasks.add(task)
                    task.add_done_callback(tasks.discard)
        finally:
            self._give_up_on(channel, call, STOP_S if method == "run" else STOP_UNWATCHED_S)
            for task in tuple(tasks):
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def post(self, target: str, method: str, arguments: Any) -> None:
        """Call a method in the child without waiting; the next `post` or `call` to the object raises its error.

        A restarted child is not waited for either: it processes the queued messages once it has loaded.

        Raises:
            InarchError: The error of an earlier call, or that the child is gone for good.
        """
        if (fault := self.fault_of(target)) is not None:
            raise fault
        if not self.runs:
            self._begin_again()
            threading.Thread(target=self._look_at_start, name="inarch-isolated-start", daemon=True).start()
        assert self._channel is not None

        def deliver(message: Message) -> None:
            if "error" in message:
                self._faults[target] = error_from(message["error"], self.plugin, "tracer")

        self._send(self._channel, self._channel.open(deliver), target, method, arguments)

    def _look_at_start(self) -> None:
        try:
            self.wait()
        except InarchError:
            pass  # the next call reports it

    @property
    def runs(self) -> bool:
        """Return whether there is a running child."""
        return self._channel is not None and self._channel.is_open

    def close(self) -> None:
        """End the child and wait until it is gone; may be called twice."""
        with self._lock:
            self.closed = True
            channel = self._channel
        if channel is not None:
            channel.hang_up()
            channel.join(self.start_s)

    def fault_of(self, target: str) -> BaseException | None:
        """Return the error of a `post` to the object, once."""
        return self._faults.pop(target, None)

    def _send(self, channel: Channel, call: PendingCall, target: str, method: str, arguments: Any) -> None:
        try:
            channel.send({"op": "call", "id": call.id, "object": target, "method": method, "args": arguments})
        except (TypeError, ValueError) as error:
            channel.close(call)
            raise PluginError(f"plugin {self.plugin!r} can't be given this: {error}", plugin=self.plugin) from error

    def _give_up_on(self, channel: Channel, call: PendingCall, seconds: float = STOP_UNWATCHED_S) -> None:
        """Ask the child to stop a call that nothing waits for; if it continues, the child is ended."""
        if not channel.knows(call):
            return
        channel.send({"op": "cancel", "id": call.id})

        def look() -> None:
            if channel.knows(call):
                channel.give_up("was ended: a call did not stop after it was cancelled")

        timer = threading.Timer(seconds, look)
        timer.daemon = True
        timer.start()

    def _outcome(self, channel: Channel, message: Message, door: str, leaves: bool = False) -> Any:
        if message["op"] == "gone":
            raise self._error(channel.reason or "ended")
        if "error" in message:
            error = error_from(message["error"], self.plugin, door)
            if isinstance(error, SystemExit) and not leaves:  # it ends a tool's thread, and nothing else
                raise self._error(f"failed at {door}: SystemExit: {error}")
            raise error
        return message.get("value")

    def _error(self, what: str) -> PluginError:
        return blame(self.plugin, "load", what)


def _next(queue: SimpleQueue[Message], seconds: float | None) -> Message | None:
    try:
        return queue.get(timeout=seconds)
    except Empty:
        return None


def _started(ready: SimpleQueue[Message]) -> Callable[[Message], None]:
    """Return the receiver of messages that are not about a call: there is one, at the start."""
    is_loaded = False

    def hear(message: Message) -> None:
        nonlocal is_loaded
        if message.get("op") not in ("ready", "failed") or is_loaded:
            raise Malformed("something it was not asked for")
        is_loaded = True
        ready.put(message)

    return hear

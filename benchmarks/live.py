"""What an hour of speech costs on both wires: memory, and CPU of a connection that is idle and of one that streams.

`python benchmarks/live.py [--frames N]` needs `contrib/inarch-live` installed. A service on loopback in a process of
its own answers each frame of 20 ms with one of an answer, and tells now and then what it has, as both services do. The
hour goes as fast as it can, over the connection that outlives its connections; beside it, a bare loop of `websockets`,
`json` and `base64` that sends and reads the same. Memory is the resident set after a tenth of the frames and after all
of them; CPU is user and system time of the client's process.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from inarch_live.port import AudioDelta, LiveConnection, LiveProvider, LiveSetup
from inarch_live.resuming import Resuming
from inarch_live.wires.gemini import GeminiLive
from inarch_live.wires.openai_realtime import OpenAIRealtime
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

FRAME_S = 0.02
FRAME = bytes(range(256)) * 2 + bytes(128)
ANSWER = base64.b64encode(bytes(960)).decode()
HOUR = 180_000
AHEAD = 50
"""Frames that are on their way at once."""
TOLD_EVERY = 250
STREAMED_S = 10.0
WIRES: dict[str, Callable[[str], LiveProvider]] = {
    "Gemini Live": lambda address: GeminiLive("a-key", address),
    "OpenAI Realtime": lambda address: OpenAIRealtime("a-key", f"{address}/v1"),
}


def main() -> None:
    """Measure, and print a line of JSON for each figure."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--frames", type=int, default=HOUR)
    arguments.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    chosen = arguments.parse_args()
    asyncio.run(served() if chosen.serve else measured(chosen.frames))


async def measured(frames: int) -> None:
    """Measure both wires."""
    for name, of in WIRES.items():
        async with service() as address:
            connection = await Resuming(of(address)).connect(LiveSetup())
            events = aiter(connection)
            idle = await cpu_of(asyncio.sleep(STREAMED_S))
            report(f"{name}: CPU of an idle connection, share of a core", idle / STREAMED_S)
            streaming = await cpu_of(exchanged(connection, events, round(STREAMED_S / FRAME_S), FRAME_S))
            report(f"{name}: CPU of one that streams both ways, share of a core", streaming / STREAMED_S)
            await exchanged(connection, events, frames // 10)
            before = resident_kb()
            spent = await cpu_of(exchanged(connection, events, frames - frames // 10))
            report(f"{name}: kB more after {frames} frames than after a tenth", resident_kb() - before)
            report(f"{name}: CPU of a frame there and back, µs", spent / (frames - frames // 10) * 1e6)
            await connection.aclose()
        async with service() as address:
            bare = await cpu_of(barely(name, address, frames // 10))
            report(f"{name}: the same of a bare loop, µs", bare / (frames // 10) * 1e6)


async def exchanged(connection: LiveConnection, events: AsyncIterator[Any], frames: int, pace_s: float = 0.0) -> None:
    """Send frames and read as many of an answer."""
    there = asyncio.Semaphore(AHEAD)

    async def send() -> None:
        begin = time.monotonic()
        for number in range(frames):
            await there.acquire()
            await connection.send_audio(FRAME)
            if pace_s:
                await asyncio.sleep(max(0.0, begin + (number + 1) * pace_s - time.monotonic()))

    sending = asyncio.create_task(send())
    came = 0
    while came < frames:
        event = await anext(events)
        if isinstance(event, AudioDelta):
            came += 1
            there.release()
    await sending


async def barely(name: str, address: str, frames: int) -> None:
    """Do the same with what the wires stand on."""
    is_gemini = name.startswith("Gemini")
    path = "/ws/x" if is_gemini else "/v1/realtime"
    async with connect(address.replace("http", "ws") + path, compression=None) as socket:
        if is_gemini:
            await socket.send(json.dumps({"setup": {}}))
        await socket.recv()
        there = asyncio.Semaphore(AHEAD)

        async def send() -> None:
            for _ in range(frames):
                await there.acquire()
                data = base64.b64encode(FRAME if is_gemini else FRAME + FRAME[:320]).decode()
                gemini_audio = {"realtimeInput": {"audio": {"data": data}}}
                audio = gemini_audio if is_gemini else {"type": "input_audio_buffer.append", "audio": data}
                await socket.send(json.dumps(audio))

        sending = asyncio.create_task(send())
        came = 0
        while came < frames:
            message = json.loads(await socket.recv())
            turn = message.get("serverContent", {}).get("modelTurn")
            sound = turn["parts"][0]["inlineData"]["data"] if turn else message.get("delta")
            if sound:
                base64.b64decode(sound)
                came += 1
                there.release()
        await sending


async def cpu_of(work: Any) -> float:
    """Return the seconds of CPU that this process takes while something is awaited."""
    before = time.process_time()
    await work
    return time.process_time() - before


def resident_kb() -> int:
    """Return the memory of this process."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def report(what: str, value: float) -> None:
    """Print one figure."""
    print(json.dumps({"what": what, "value": round(value, 4)}), flush=True)


@asynccontextmanager
async def service() -> AsyncIterator[str]:
    """Run the service in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--serve", stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.kill()
        await process.wait()


async def served() -> None:
    """Answer each frame with one, until the process is killed."""
    async with serve(answering, "127.0.0.1", 0, compression=None) as server:
        print(f"http://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}", flush=True)
        await server.serve_forever()


async def answering(socket: ServerConnection) -> None:
    """Be one of the two services, by the address that was asked for."""
    assert socket.request is not None
    if "realtime" in socket.request.path:
        await realtime(socket)
    else:
        await gemini(socket)


async def gemini(socket: ServerConnection) -> None:
    """Answer as Gemini Live does."""
    await socket.recv()
    await socket.send('{"setupComplete": {}}')
    part = {"inlineData": {"mimeType": "audio/pcm;rate=24000", "data": ANSWER}}
    answer = json.dumps({"serverContent": {"modelTurn": {"parts": [part]}}})
    number = 0
    async for _ in socket:
        number += 1
        await socket.send(answer)
        if number % TOLD_EVERY == 0:
            state = {"newHandle": f"h{number}", "resumable": True, "lastConsumedClientMessageIndex": str(number)}
            await socket.send(json.dumps({"serverContent": {"turnComplete": True}, "sessionResumptionUpdate": state}))


async def realtime(socket: ServerConnection) -> None:
    """Answer as OpenAI Realtime does."""
    await socket.send('{"type": "session.created"}')
    number, size = 0, 0
    answer = json.dumps({"type": "response.output_audio.delta", "item_id": "i", "content_index": 0, "delta": ANSWER})
    async for data in socket:
        if '"session.update"' in str(data):
            await socket.send('{"type": "session.updated"}')
            continue
        number += 1
        size += len(json.loads(data)["audio"]) * 3 // 4
        await socket.send(answer)
        if number % TOLD_EVERY == 0:
            item = {"item_id": f"u{number}"}
            stopped = {"type": "input_audio_buffer.speech_stopped", "audio_end_ms": size // 48, **item}
            heard = {"type": "conversation.item.input_audio_transcription.completed", "transcript": "words", **item}
            done = {"type": "response.done", "response": {"status": "completed"}}
            for event in (stopped, heard, done):
                await socket.send(json.dumps(event))


if __name__ == "__main__":
    main()

"""A scripted model server in a process of its own: both wires, every reply after 1 ms and in one write.

Not a benchmark; the others start it. A reply calls a tool until the conversation of a connection has had as many as the
path says (`/50/v1/chat/completions`: fifty calls, then a text), so it needs no script. When requests came and went, and
how large they were, is measured here: the client is not slowed by being watched. TCP_NODELAY is set, else 40 ms of
Nagle's algorithm hide everything.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DELAY_S = 0.001
LINES = 400
"""Lines of the file that the calls read, another one each."""
NOTE = "".join(f"line {number} of a small file that is read again and again\n" for number in range(1, LINES + 1))

ASKED = ("/chat/completions", "/responses", "/messages", "enerateContent", "?alt=sse", "/rows", "/bodies")
"""Ends of paths that are answered."""
SIGNATURE = "c2lnbmVk" * 8
"""The service signs the first call of a reply, and it has to come back."""


class Watched:
    """What was seen since the last report; one lock, for connections are served by threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rows: list[dict[str, Any]] = []
        self.ends: list[bytes] = []

    def saw(self, came: float, sent: float, body: bytes) -> None:
        """Take note of a request; of bodies the first and the last are kept."""
        with self.lock:
            self.rows.append({"came": came, "sent": sent, "size": len(body)})
            self.ends[1:] = [body]

    def report(self, with_bodies: bool) -> bytes:
        """Return what was seen as JSON and begin anew."""
        with self.lock:
            rows, self.rows = self.rows, []
            ends, self.ends = self.ends, []
        return json.dumps({"rows": rows, "bodies": [body.decode() for body in ends] if with_bodies else []}).encode()


def call(number: int, gemini: bool, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return one call of a tool as a wire has it."""
    if gemini:
        signed = {} if number else {"thoughtSignature": SIGNATURE}
        return {"functionCall": {"id": f"c{number}", "name": name, "args": arguments}, **signed}
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"index": number, "id": f"call_{number}", "type": "function", "function": function}


def responded(text: str) -> bytes:
    """Return the events of one response that is a text."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    usage = {"input_tokens": 900, "output_tokens": 20, "total_tokens": 920}
    events = [
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"status": "completed", "model": "m", "usage": usage}},
    ]
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)


def replied(gemini: bool, calls: list[dict[str, Any]], text: str = "") -> bytes:
    """Return the events of one reply."""
    if gemini:
        parts = calls or [{"text": text}]
        usage = {"promptTokenCount": 900, "candidatesTokenCount": 20, "totalTokenCount": 920}
        events = [{"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
                   "usageMetadata": usage}]  # fmt: skip
        return b"".join(b"data: " + json.dumps(event).encode() + b"\r\n\r\n" for event in events)
    delta = {"role": "assistant", "content": None, "tool_calls": calls} if calls else {"content": text}
    finish = "tool_calls" if calls else "stop"
    head = {"id": "gen-1", "object": "chat.completion.chunk", "model": "m"}
    events = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
        {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]},
        {**head, "choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920}},
    ]
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def messages() -> bytes:
    """Return the events of one reply of text on Anthropic's wire."""
    head: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 900, "output_tokens": 1},
    }  # fmt: skip
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": head},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "all done"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
         "usage": {"output_tokens": 20}},
        {"type": "message_stop"},
    ]  # fmt: skip
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)


def script(path: str, asked: int) -> bytes:
    """Return the body for the `asked`-th request of a connection, counted from 0."""
    if path.endswith("/messages"):
        return messages()
    gemini = "GenerateContent" in path or "generateContent" in path
    plan = path.split("/")[1]
    if plan.startswith(("chunks-", "writes-")):
        head = {"id": "gen-1", "object": "chat.completion.chunk", "model": "m"}
        piece = {**head, "choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}]}
        many = b"data: " + json.dumps(piece).encode() + b"\n\n"
        return many * int(plan.partition("-")[2]) + replied(False, [], "end")
    if plan.startswith("parallel-"):
        if asked:
            return replied(gemini, [], "all done")
        return replied(gemini, [call(n, gemini, "slow", {"n": n}) for n in range(int(plan.partition("-")[2]))])
    if path.endswith("/responses"):
        return responded("all done")
    if asked >= int(plan):
        return replied(gemini, [], "all done")
    line = asked % LINES + 1
    arguments = {"file_path": "note.txt", "start_line": line, "end_line": line}
    return replied(gemini, [call(0, gemini, "read_file", arguments)])


def one_a_write(connection: socket.socket, answer: bytes) -> None:
    """Send a response whose events are chunks of the transfer, each in a write of its own, as real services do."""
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for event in answer.split(b"\n\n")[:-1]:
        connection.sendall(b"%x\r\n%b\n\n\r\n" % (len(event) + 2, event))
    connection.sendall(b"0\r\n\r\n")


def serve(connection: socket.socket, seen: Watched) -> None:
    """Answer the requests of one connection."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    buffer, asked = b"", 0
    while True:
        while b"\r\n\r\n" not in buffer:
            piece = connection.recv(1 << 16)
            if not piece:
                connection.close()
                return
            buffer += piece
        came = time.monotonic()
        head, _, body = buffer.partition(b"\r\n\r\n")
        words = head.split(b" ", 2)
        path = words[1].decode()
        length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n")
                       if line.lower().startswith(b"content-length:")), 0)  # fmt: skip
        while len(body) < length:
            body += connection.recv(1 << 20)
        buffer = body[length:]
        body = body[:length]
        if not path.endswith(ASKED):
            connection.sendall(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")  # how large its context is
            continue
        if words[0] == b"GET":
            answer = seen.report(path.endswith("bodies"))
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(answer) + answer)
            continue
        answer = script(path, asked)
        asked += 1
        time.sleep(DELAY_S)
        if path.startswith("/writes-"):
            one_a_write(connection, answer)
            continue
        kind = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: %d\r\n\r\n"
        whole = kind % len(answer) + answer
        sent = time.monotonic()
        connection.sendall(whole)
        seen.saw(came, sent, body)


def main() -> None:
    """Serve until standard input ends; the port is the first line of output."""
    seen = Watched()
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listener.getsockname()[1], flush=True)

    def accept() -> None:
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0], seen), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


class Server:
    """The running server as a benchmark sees it."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def report(self, bodies: bool = False) -> dict[str, Any]:
        """Return what was seen since the last report; with `bodies` the first and the last of them."""
        with urllib.request.urlopen(f"{self.url}/{'bodies' if bodies else 'rows'}") as answer:
            found: dict[str, Any] = json.load(answer)
        return found


@contextmanager
def serving() -> Iterator[Server]:
    """Start the server in a process of its own."""
    child = subprocess.Popen(
        [sys.executable, "-P", "-S", str(Path(__file__))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin is not None and child.stdout is not None
    try:
        yield Server(int(child.stdout.readline()))
    finally:
        child.stdin.close()
        child.wait()
        child.stdout.close()


if __name__ == "__main__":
    main()

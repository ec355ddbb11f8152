"""What is no message of the protocol, or none at that moment."""

from __future__ import annotations

import json
import subprocess
import threading
from collections import Counter
from pathlib import Path
from typing import Any

WRONG = [
    (b"{", -32700), (b"[1, 2", -32700), (b"\xff\xfe", -32700), (b"[" * 100_000, -32700), (b"nul", -32700),
    (b"[]", -32600), (b"1", -32600), (b'"x"', -32600), (b"null", -32600), (b"{}", -32600),
    (b'{"jsonrpc":"1.0","id":1,"method":"initialize"}', -32600),
    (b'{"jsonrpc":"2.0","id":[],"method":"initialize"}', -32600),
    (b'{"jsonrpc":"2.0","id":{},"result":1}', -32600), (b'{"jsonrpc":"2.0","id":[1],"result":1}', -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600), (b'{"jsonrpc":"2.0","id":true,"method":"x"}', -32600),
    (b'{"jsonrpc":"2.0","id":7,"error":"x"}', -32600),
    (b'{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}', -32600),
    (b'{"jsonrpc":"2.0","id":3,"method":"nothing/known","params":{}}', -32601),
    (b'{"jsonrpc":"2.0","id":3,"method":"session/cancel","params":{"sessionId":"x"}}', -32601),
    (b'{"jsonrpc":"2.0","id":3,"method":"_private","params":{}}', -32601),
    (b'{"jsonrpc":"2.0","id":4,"method":"initialize","params":[]}', -32602),
    (b'{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}', -32602),
    (b'{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":99}}', None),
    (b'{"jsonrpc":"2.0","id":6,"method":"session/new","params":{"cwd":7}}', -32602),
    (b'{"jsonrpc":"2.0","id":6,"method":"session/new","params":{"cwd":"/a\\u0000b","mcpServers":[]}}', -32602),
    (b'{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"\\ud800","prompt":[]}}', -32002),
    (b'{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"x","prompt":[]}}', -32002),
    (b'{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"x","prompt":[{"type":"z"}]}}', -32602),
    (b'{"jsonrpc":"2.0","id":6,"method":"session/load","params":{"sessionId":"x","cwd":"/","mcpServers":[]}}', -32002),
    (b'{"jsonrpc":"2.0","id":6,"method":"authenticate","params":{"methodId":"x"}}', -32602),
    (b'{"jsonrpc":"2.0","id":6,"method":"session/set_mode","params":{"sessionId":"x","modeId":"ask"}}', -32002),
]  # fmt: skip
UNANSWERED = [
    b"", b"   ", b'{"jsonrpc":"2.0","method":"nothing/known"}', b'{"jsonrpc":"2.0","method":"session/cancel"}',
    b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"x"}}',
    b'{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}',
    b'{"jsonrpc":"2.0","id":77,"result":{}}', b'{"jsonrpc":"2.0","id":77,"error":null}',
]  # fmt: skip


def test_whatever_is_no_message_is_answered_with_an_error_and_the_server_lives(desk: Any, tmp_path: Path) -> None:
    lines = [*UNANSWERED, *(line for line, _ in WRONG)]
    end = b'{"jsonrpc":"2.0","id":"end","method":"initialize","params":{"protocolVersion":1}}'  # without a line end
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            desk.argv, env=desk.env, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        )
    assert process.stdin is not None
    assert process.stdout is not None
    limit = threading.Timer(120, process.kill)
    limit.start()
    try:
        process.stdin.write(b"".join(line + b"\n" for line in lines))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in WRONG]
        rest, _ = process.communicate(end)
    finally:
        limit.cancel()
        process.kill()
        process.wait()
    answers += [json.loads(line) for line in rest.splitlines()]
    assert all(one["jsonrpc"] == "2.0" for one in answers)
    codes = Counter(one.get("error", {}).get("code") for one in answers if one["id"] != "end")
    assert codes == Counter(code for _, code in WRONG)
    assert next(one for one in answers if one["id"] == "end")["result"]["protocolVersion"] == 1
    assert process.returncode == 0
    assert "Traceback" not in (tmp_path / "log").read_text("utf-8", "replace")

"""The scripts of `tests/providers` over the Responses wire, and sessions against the service with a memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import inarch
from inarch.testing import HttpReply, json_reply, sse_reply

from ..providers.wires import MODEL, Calls, Limited, Refused, Says, Step, Wire
from ..services.openai_api import KEY
from ..services.openai_events import response, stream

USAGE = {
    "input_tokens": 100, "output_tokens": 20, "total_tokens": 120, "input_tokens_details": {"cached_tokens": 0},
    "output_tokens_details": {"reasoning_tokens": 5},
}  # fmt: skip


def responses(step: Step) -> HttpReply:
    """Return a reply as services of Responses send it."""
    match step:
        case Limited():
            error = {"message": "slow down", "type": "rate_limit_error", "code": "rate_limit_exceeded"}
            return json_reply({"error": error}, 429, retry_after="0")
        case Refused():
            return json_reply({"error": {"message": "this key is not valid", "code": "invalid_api_key"}}, 401)
        case Says():
            items = [*_thought(step.reasoning), message("".join(step.pieces))]
            events = stream(response(1, MODEL, items, usage=USAGE))
            if step.cut:
                deltas = [at for at, event in enumerate(events) if event["type"] == "response.output_text.delta"]
                return sse_reply(events[: deltas[-1] + 1], done=False, ending="cut")
            return sse_reply(events, done=False)
        case Calls():
            said = [message(step.text)] if step.text else []
            items = [*_thought(step.reasoning), *said, *(call(at, *one) for at, one in enumerate(step.wanted))]
            return sse_reply(stream(response(1, MODEL, items, usage=USAGE)), done=False)


def message(text: str) -> dict[str, Any]:
    """Return a message of one text."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant", "content": content}


def call(at: int, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call."""
    text = json.dumps(dict(arguments))
    names = {"id": f"fc_{at}", "call_id": f"c{at}", "name": name}
    return {"type": "function_call", "status": "completed", **names, "arguments": text}


def _thought(text: str) -> list[dict[str, Any]]:
    summary = [{"type": "summary_text", "text": text}]
    return [{"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": "gAAA"}] if text else []


WIRE = Wire("openai", responses, MODEL, "OPENAI_API_KEY")


def compose(root: Path, url: str, model: str = "openai/gpt-6.2-sol", **more: Any) -> inarch.App:
    """Compose the application for a service at an address, with its key; `more` goes to the plugin or to `compose`."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "a.txt").write_text("one\ntwo\n", "utf-8")
    settings = {"base_url": url, **more.pop("settings", {})}
    options = {
        "environ": {"HOME": str(root.parent / "home"), "OPENAI_API_KEY": KEY},
        "journal": False,
        "flags": {"model": model, **more.pop("profile", {})},
    }
    return inarch.compose(root=root, config={"plugins": {model.partition("/")[0]: settings}}, **{**options, **more})

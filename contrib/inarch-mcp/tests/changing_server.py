"""A server in plain JSON whose lists change: `grow` adds, `shrink` takes away, `page` wants a page opened."""

import json
import sys

SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
GROWTH = int(sys.argv[1])
names = ["echo", "grow", "shrink", "page"]


def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    message = json.loads(line)
    method, number, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method == "initialize":
        able = {"tools": {"listChanged": True}, "prompts": {}, "resources": {}}
        info = {"name": "changing", "version": "1"}
        say(id=number, result={"protocolVersion": "2025-06-18", "capabilities": able, "serverInfo": info})
    elif method == "tools/list":
        listed = [{"name": name, "description": f"Does {name}.", "inputSchema": SCHEMA} for name in names]
        say(id=number, result={"tools": listed})
    elif method == "tools/call":
        if params["name"] == "grow":
            names += [f"late_{at}" for at in range(GROWTH)]
            say(method="notifications/resources/list_changed")
            say(method="notifications/tools/list_changed")
        if params["name"] == "shrink":
            names.remove("echo")
            say(method="notifications/tools/list_changed")
        if params["name"] == "page":
            data = {"elicitations": [{"mode": "url", "url": "https://a.example/login", "elicitationId": "e"}]}
            say(id=number, error={"code": -32042, "message": "sign in first", "data": data})
            continue
        text = f"{params['name']} {params['arguments']['x']}"
        say(id=number, result={"content": [{"type": "text", "text": text}]})
    elif method == "resources/list":
        say(id=number, result={"resources": [{"uri": f"names://{len(names)}", "name": "names"}]})
    elif number is not None:
        say(id=number, error={"code": -32601, "message": "Method not found"})

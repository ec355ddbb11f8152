"""What people bring: files of other tools that load, and the size of a request with many tools of MCP servers.

    python benchmarks/brought.py [FOLDER…] [--servers 9] [--tools 111]

Each FOLDER holds public agents (`agents/*.md`, `categories/*/*.md`), skills (`SKILL.md`) and commands
(`commands/*.md`). Names clash, so each is put into a trusted project of its own. The request needs `inarch-mcp`: its
servers list tools with schemas of usual size. It is that of a first prompt, with and without deferring. Reach: 300 of
309 agents, 207 of 209 skills, fewer than 60 tools in a request with 500.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from programs import Place
from serving import Server, serving

import inarch
from inarch_plugins.agents.agent_files import read_agents
from inarch_plugins.skills.prompts import read_prompts
from inarch_plugins.skills.skills import read_skills

SERVER = """
import json, sys
text = {"type": "string", "description": "Restricts the records to those with this property."}
schema = {"type": "object", "required": ["query"], "properties": {f"option_{n}": text for n in range(5)}}
schema["properties"]["query"] = {"type": "string"}
about = "Returns records of the service that match a query. " * 4
tools = [{"name": f"tool_{n}", "description": about, "inputSchema": schema} for n in range(int(sys.argv[1]))]
first = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
answers = {"initialize": first, "tools/list": {"tools": tools}}
for line in sys.stdin:
    asked = json.loads(line)
    said = answers.get(asked["method"])
    body = {"error": {"code": -32601, "message": "no such method"}} if said is None else {"result": said}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **body}), flush=True)
"""


class Brought:
    """A folder of the project, as a trusted one has it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self, folder: str = "") -> list[str]:
        """Return the paths of the files below a folder."""
        files = sorted(path for path in (self.root / folder).rglob("*") if path.is_file())
        return [path.relative_to(self.root).as_posix() for path in files]

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file."""
        return (self.root / name).read_bytes()


def files(top: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield the kind of each file, its place in a project, and its path."""
    for path in sorted(top.rglob("*.md")):
        if path.name == "SKILL.md":
            yield "skills", f".claude/skills/{path.parent.name}/SKILL.md", path
        elif path.parent.name == "commands" or path.parts[-3:-2] == ("commands",):
            yield "commands", f".claude/commands/{path.name}", path
        elif path.read_bytes().startswith(b"---") and (path.parent.name == "agents" or path.parts[-3] == "categories"):
            yield "agents", f".claude/agents/{path.name}", path


def loads(kind: str, place: str, path: Path) -> bool:
    """Return whether a file loads in a project of its own."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, place)
        target.parent.mkdir(parents=True)
        target.write_bytes(path.read_bytes())
        context = inarch.PluginContext("brought", folder, brought=Brought(Path(folder)))  # type: ignore[arg-type]
        if kind == "agents":
            return not any(agent.fault for agent in read_agents(context).values())
        return bool((read_skills if kind == "skills" else read_prompts)(context).found)


def requests(server: Server, servers: int, tools: int) -> None:
    """Print the tools and bytes of a first request, with the tools of servers deferred and not."""
    for deferred in ("never", "auto"):
        with tempfile.TemporaryDirectory() as folder:
            place = Place(folder, files=False)
            place.configure(server, "0", "openai-compatible")
            script = Path(folder, "server.py")
            script.write_text(SERVER, "utf-8")
            config = Path(place.environ["XDG_CONFIG_HOME"], "inarch", "config.toml")
            each = [tools // servers + (number < tools % servers) for number in range(servers)]
            text = config.read_text("utf-8").replace("strategy", 'plugins = ["...", "mcp"]\nstrategy')
            text += f'\n[plugins.mcp]\ndeferred = "{deferred}"\n' + "".join(
                f"[plugins.mcp.servers.s{number}]\ncommand = {json.dumps(sys.executable)}\n"
                f'args = [{json.dumps(str(script))}, "{count}"]\n'
                for number, count in enumerate(each)
            )
            config.write_text(text, "utf-8")
            server.report()
            place.run(place.inarch())
            body = server.report(bodies=True)["bodies"][0]
            row = {"deferred": deferred, "servers": servers, "their tools": tools}
            print(json.dumps({**row, "tools in the request": len(json.loads(body)["tools"]), "bytes": len(body)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--servers", type=int, default=9)
    parser.add_argument("--tools", type=int, default=111)
    given = parser.parse_args()
    all_of, loaded = Counter[str](), Counter[str]()
    for kind, place, path in (one for folder in given.folders for one in files(folder)):
        all_of[kind] += 1
        if loads(kind, place, path):
            loaded[kind] += 1
        else:
            print(json.dumps({"does not load": str(path)}))
    for kind, count in sorted(all_of.items()):
        print(json.dumps({"kind": kind, "files": count, "load": loaded[kind]}))
    with serving() as server:
        requests(server, given.servers, given.tools)
        requests(server, given.servers, 500)


if __name__ == "__main__":
    main()

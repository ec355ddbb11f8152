"""Templates of `inarch plugins new`: for each kind of plugin, a working module and its tests.

`{{name}}` is the plugin's name, `{{module}}` its module, `{{function}}` and `{{Class}}` its name in Python code,
and `{{needs}}` the minimum version of Inarch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Kind(NamedTuple):
    """One kind of plugin: its description, the command that tries it, and its line in a profile."""

    summary: str
    trying: str
    using: str = ""


KINDS: Mapping[str, Kind] = {
    "tool": Kind(
        "A tool for Inarch: shouts a text",
        """inarch --plugin {{folder}}/{{module}}.py tools call {{function}} '{"text": "hello"}'""",
    ),
    "model": Kind(
        "A model provider for Inarch: repeats the prompt",
        'inarch --plugin {{folder}}/{{module}}.py --model {{name}} "hello there"',
        'model = "{{name}}"\n',
    ),
    "strategy": Kind(
        "A decision strategy for Inarch: lists the files if a prompt mentions them",
        'INARCH_STRATEGY={{name}},native inarch --plugin {{folder}}/{{module}}.py "which files are there?"',
        'strategy = ["{{name}}", "native"]\n',
    ),
    "store": Kind(
        "A store for Inarch: writes each session to a file of JSON lines",
        'INARCH_STORE={{name}} inarch --plugin {{folder}}/{{module}}.py "hello there"',
        'store = "{{name}}"\n',
    ),
    "tracer": Kind(
        "A tracer for Inarch: counts the calls of a turn by tool",
        'inarch --plugin {{folder}}/{{module}}.py "which files are there?"',
    ),
}


def files_for(kind: str, name: str, needs: str) -> dict[str, str]:
    """Return the four files of a new plugin, by file name."""
    from importlib.resources import files

    places = {**_places(kind, name, f"inarch-{name}"), "needs": needs}
    module = places["module"]
    sources = {
        "pyproject.toml": "pyproject.tmpl",
        f"{module}.py": f"{kind}.tmpl",
        f"test_{module}.py": f"{kind}_test.tmpl",
        "README.md": "readme.tmpl",
    }
    folder = files(__name__)
    return {target: _filled(folder.joinpath(source).read_text("utf-8"), places) for target, source in sources.items()}


def trying(kind: str, name: str, folder: str) -> str:
    """Return the command that runs a new plugin in `folder` as a single file."""
    return _filled(KINDS[kind].trying, _places(kind, name, folder))


def _places(kind: str, name: str, folder: str) -> dict[str, str]:
    function = name.replace("-", "_")
    return {
        "summary": KINDS[kind].summary,
        "trying": KINDS[kind].trying,
        "using": KINDS[kind].using,
        "name": name,
        "folder": folder,
        "module": f"inarch_{function}",
        "function": function,
        "Class": "".join(part.capitalize() for part in name.split("-")),
    }


def _filled(text: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():  # a value may contain placeholders, which come later
        text = text.replace(f"{{{{{name}}}}}", value)
    return text

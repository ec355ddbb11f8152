"""A question that names the project itself is about all of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.intents import Intent
from inarch_offline.layout import is_aside
from inarch_offline.material import Hit, files, hits

_ONE_NAME = r"[\w.@/-]+"
_DECLARING = "{pyproject.toml,setup.cfg,setup.py,package.json,Cargo.toml,composer.json,go.mod}"
_NAME = r"^\s*\"?name\"?\s*[:=]|^module "
_LIMIT = 1_000


def of_the_whole(intent: Intent) -> Asking[Intent]:
    """Take the project's own name out of what is asked about: `click` in click stands for everything."""
    is_whole = yield from is_the_whole(intent.subject)
    return intent._replace(subject="", names=()) if is_whole else intent


def is_the_whole(name: str) -> Asking[bool]:
    """Whether a name is the project's: the one that a manifest at the top declares, or its only package's."""
    if not re.fullmatch(_ONE_NAME, name):
        return False
    plain, inner, declared = yield [
        calls.list_files("*/__init__.py", 100),
        calls.list_files("src/*/__init__.py", 100),
        calls.search(_NAME, glob=_DECLARING, limit=_LIMIT),
    ]
    packages = {path.split("/")[-2] for path in (*files(plain), *files(inner)) if not is_aside(path)}
    known = {*_declared(hits(declared)), *(packages if len(packages) == 1 else ())}
    return name.lower() in {one.lower() for one in known}


def _declared(found: Iterable[Hit]) -> Iterable[str]:
    """Read the names in manifests at the top: `@scope/name` and the address of a module end in one, too."""
    for hit in found:
        bare = r"[:=]\s*([\w.-]+)\s*$|^module\s+(\S+)" if hit.path in ("setup.cfg", "go.mod") else r"(?!)"
        read = re.search(rf"[:=]\s*['\"]([\w.@/-]+)|{bare}", hit.text)
        if "/" not in hit.path and read:
            name = next(filter(None, read.groups()))
            yield name
            yield re.sub(r"/v\d+$", "", name).rpartition("/")[2]

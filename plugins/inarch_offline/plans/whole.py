"""A question that names the project itself is about all of it."""

from __future__ import annotations

import re

from inarch_offline import calls
from inarch_offline.exchange import Asking
from inarch_offline.intents import Intent
from inarch_offline.material import files, hits


def of_the_whole(intent: Intent) -> Asking[Intent]:
    """Take the project's own name out of what is asked about: `click` in click stands for everything."""
    if not re.fullmatch(r"[\w.@/-]+", intent.subject):
        return intent
    plain, inner, declared = yield [
        calls.list_files("*/__init__.py", 100),
        calls.list_files("src/*/__init__.py", 100),
        calls.search(r"^\s*\"?name\"?\s*[:=]", limit=200),
    ]
    names = {path.split("/")[-2].lower() for path in (*files(plain), *files(inner))}
    for hit in hits(declared):
        if "/" not in hit.path and (found := re.search(r"[:=]\s*['\"]([\w.@/-]+)", hit.text)):
            names.add(found[1].lower())
    return intent._replace(subject="", names=()) if intent.subject.lower() in names else intent

"""Variables with which a program loads code that its command line doesn't name: worth a word where they are granted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inarch.host import Config, dotted

_LOADING = re.compile(
    r"(?:LD|DYLD|GLIBC)_.*"
    r"|BASH_ENV|ENV|PYTHON(?:STARTUP|PATH|HOME|INSPECT)|NODE_(?:OPTIONS|PATH)|PERL5(?:OPT|LIB|DB)|RUBY(?:OPT|LIB)"
    r"|(?:_JAVA|JAVA_TOOL|JDK_JAVA)_OPTIONS|LUA_INIT.*|PHPRC|PHP_INI_SCAN_DIR|GCONV_PATH|PYTEST_(?:ADDOPTS|PLUGINS)",
    re.S | re.I,
)


def loading_notes(loaded: Config) -> Iterator[str]:
    """Yield a line for each granted variable that can bring other code than the command's own into a program."""
    for kind, tables in (("commands", loaded.commands), ("isolation", loaded.isolation)):
        for name, table in tables.items():
            where = loaded.origins.get(dotted((kind, name))) or loaded.origins.get(dotted((kind, name, "env")))
            for variable in filter(_LOADING.fullmatch, table.env):
                place = f"{where}: " if where else ""
                yield (
                    f"{place}{kind}.{name}.env: {variable} can load code that the grant doesn't name; "
                    "leave it out unless whoever sets it may run anything there"
                )

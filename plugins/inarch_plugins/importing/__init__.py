"""importing: what other tools have on this machine, for `inarch import`, and bundles of their files."""

from __future__ import annotations

from collections.abc import Iterable

import inarch


@inarch.hookimpl
def inarch_checks(context: inarch.PluginContext) -> Iterable[inarch.SelfCheck]:
    """Return the check for what can be imported, for `inarch doctor`."""

    def look() -> Iterable[inarch.Finding]:
        from inarch_plugins.importing.servers import summary
        from inarch_plugins.importing.sources import find_items
        from inarch_plugins.importing.targets import has_target

        new = [one for one in find_items(context, []) if not has_target(one, context) and summary(one) is not None]
        if new:
            kinds = {one.kind: sum(other.kind == one.kind for other in new) for one in new}
            words = ", ".join(f"{kind} ({many})" for kind, many in kinds.items())
            yield inarch.Finding("import", "note", f"other tools have {words}", "inarch import shows and imports them")

    def bundles() -> Iterable[inarch.Finding]:
        from inarch_lib.bundles import enabled

        found = enabled(context.state_dir, context.brought)
        for one in found:
            if changed := [path for path in one.names() if one.read(path) is None]:
                words = f"{one.place(changed[0])} has changed since you added the bundle"
                yield inarch.Finding("bundles", "wrong", words, f"inarch bundles remove {one.name}, and add it again")
        if found:
            yield inarch.Finding("bundles", "fine", f"bundles: {', '.join(one.name for one in found)}")

    return [inarch.SelfCheck("import", look), inarch.SelfCheck("bundles", bundles)]

"""What a plugin's distribution says it needs: this version of Inarch, and other distributions.

Read from the metadata, without importing the plugin; only before a probe and for `plugins show` and `install`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from inarch import __version__
from inarch.plugins.discovery import FoundPlugin

if TYPE_CHECKING:
    from packaging.requirements import Requirement


class VersionContract(NamedTuple):
    """What a distribution needs of Inarch, and what of its needs is not met.

    Args:
        wants: Its own words on Inarch, such as `inarch>=0.1`; "" if it doesn't name Inarch.
        reason: What is not met; "" if everything is.
        remedy: What to do about that.
        warning: What is no reason to refuse the plugin but wrong.
    """

    wants: str = ""
    reason: str = ""
    remedy: str = ""
    warning: str = ""


def version_contract(found: FoundPlugin) -> VersionContract:
    """Return what the plugin's distribution needs and whether it is there; a single file and our own need nothing."""
    if found.ours or found.file:
        return VersionContract()
    ours: list[Requirement] = []
    broken: list[tuple[str, str]] = []
    try:
        for needed in _needed(found):
            if _is_us(needed):
                ours.append(needed)
            broken += _unmet(found, needed)
    except ValueError as error:  # a requirement or marker that is none, or bytes that are no text
        odd = f"its metadata can't be read: {str(error).splitlines()[0]}"
        return VersionContract(warning=odd)
    reason, remedy = broken[0] if broken else ("", "")
    warning = "" if ours else "its metadata doesn't name inarch, so nobody knows for which version it was made"
    return VersionContract(", ".join(map(str, ours)), reason, remedy, warning)


def _needed(found: FoundPlugin) -> Iterator[Requirement]:
    """Yield the requirements that hold on this machine; Inarch's own first, for it explains the most."""
    from importlib.metadata import PathDistribution
    from pathlib import Path

    from packaging.requirements import Requirement

    texts = PathDistribution(Path(found.location)).requires or []
    needed = [Requirement(text) for text in texts]
    holding = [one for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    yield from sorted(holding, key=_is_us, reverse=True)


def _unmet(found: FoundPlugin, needed: Requirement) -> Iterator[tuple[str, str]]:
    from importlib.metadata import PackageNotFoundError, version

    if _is_us(needed):
        if not needed.specifier.contains(__version__, prereleases=True):
            yield (f"needs {needed}, and this is {__version__}", _us_remedy(found, needed))
        return
    try:
        present = version(needed.name)
    except PackageNotFoundError:
        yield (f"needs {_shown(needed)}, which is not installed", _install(found))
        return
    if not needed.specifier.contains(present, prereleases=True):
        yield (f"needs {_shown(needed)}, and {present} is installed", _install(found))


def _shown(needed: Requirement) -> str:
    """Return a requirement without its marker, which holds."""
    return str(needed).partition(";")[0].strip()


def _us_remedy(found: FoundPlugin, needed: Requirement) -> str:
    from packaging.version import Version

    newer = any(
        one.operator in (">=", ">", "==", "~=") and Version(one.version.removesuffix(".*")) > Version(__version__)
        for one in needed.specifier
    )
    if newer:
        return f"upgrade inarch, or install an older {found.distribution}"
    return f"upgrade {found.distribution} (`inarch plugins install --upgrade {found.distribution}`)"


def _install(found: FoundPlugin) -> str:
    return f"install it whole (`inarch plugins install --upgrade {found.distribution}`)"


def _is_us(needed: Requirement) -> bool:
    from packaging.utils import canonicalize_name

    return canonicalize_name(needed.name) == "inarch"

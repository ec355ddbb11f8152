"""Requirements of a plugin's distribution: the version of Inarch, and other distributions.

They are read from the metadata, without importing the plugin, and only before a probe and for `plugins show` and
`install`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from inarch import __version__
from inarch.plugins.discovery import FoundPlugin

if TYPE_CHECKING:
    from packaging.requirements import Requirement


class VersionContract(NamedTuple):
    """Requirements of a distribution on Inarch, and its unmet ones.

    Args:
        wants: Its own requirement on Inarch, such as `inarch>=0.1`; "" if it does not name Inarch.
        reason: The unmet requirement; "" if all are met.
        remedy: How to meet it.
        warning: A fault that is not a reason to refuse the plugin.
    """

    wants: str = ""
    reason: str = ""
    remedy: str = ""
    warning: str = ""


def version_contract(found: FoundPlugin) -> VersionContract:
    """Return the requirements of the plugin's distribution, and unmet ones; single files and Inarch's own have none."""
    if found.ours or found.file:
        return VersionContract()
    ours: list[Requirement] = []
    broken: list[tuple[str, str]] = []
    try:
        for needed in _needed(found):
            if _is_us(needed):
                ours.append(needed)
            broken += _unmet(found, needed)
    except ValueError as error:  # a requirement or marker that is not valid, or bytes that are not text
        odd = f"its metadata can't be read: {str(error).splitlines()[0]}"
        return VersionContract(warning=odd)
    reason, remedy = broken[0] if broken else ("", "")
    warning = "" if ours else "its metadata doesn't name inarch, so its version of Inarch is unknown"
    return VersionContract(", ".join(map(str, ours)), reason, remedy, warning)


def _needed(found: FoundPlugin) -> Iterator[Requirement]:
    """Yield the requirements that apply on this machine; Inarch's own first, because it explains the most."""
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
    """Return a requirement without its marker, which applies."""
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

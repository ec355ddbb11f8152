"""What a plugin's distribution needs, read from real metadata, and the refusal of one that lacks it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inarch import __version__
from inarch.plugins.composition import compose_plugins
from inarch.plugins.discovery import FoundPlugin, discover
from inarch.plugins.probe import needs_of

from .conftest import Site


def installed(site: Site, *needs: str, name: str = "far") -> FoundPlugin:
    site.add(name)
    metadata = site.folder / f"{name}-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text() + "".join(f"Requires-Dist: {need}\n" for need in needs))
    return discover([str(site.folder)]).plugins[name]


@pytest.mark.parametrize(
    "need",
    ["inarch", "inarch>=0.0.1", f"inarch=={__version__}", "Inarch>=0.0.1,<99", "inarch>=0.0.1; python_version>'3'"],
)
def test_a_need_that_is_met_says_nothing(site: Site, need: str) -> None:
    needs = needs_of(installed(site, need, "pluggy>=1"))
    assert (needs.reason, needs.warning) == ("", "") and needs.wants.lower().startswith("inarch")


@pytest.mark.parametrize(
    ("need", "reason", "remedy"),
    [
        (
            "inarch>=99",
            f"needs inarch>=99, and this is {__version__}",
            "upgrade inarch or far (`inarch ",
        ),
        ("inarch==98.*", f"needs inarch==98.*, and this is {__version__}", "upgrade inarch"),
        ("inarch<0.0.1", f"needs inarch<0.0.1, and this is {__version__}", "install --upgrade far`"),
        ("no-such-thing-at-all>=1", "needs no-such-thing-at-all>=1, which is not installed", "install --upgrade far`"),
        ("pluggy>=999", "needs pluggy>=999, and ", "install --upgrade far`"),
        ("pluggy>=999; python_version > '3'", "needs pluggy>=999, and ", "install --upgrade far`"),
    ],
)
def test_a_need_that_is_not_met_is_explained(site: Site, need: str, reason: str, remedy: str) -> None:
    found = installed(site, "inarch" if not need.startswith("inarch") else "pluggy", need)
    assert needs_of(found).reason.startswith(reason)
    assert remedy in needs_of(found).remedy


def test_of_several_the_one_on_inarch_comes_first(site: Site) -> None:
    assert needs_of(installed(site, "no-such-thing-at-all", "inarch>=99")).reason.startswith("needs inarch>=99")


def test_markers_and_extras_that_do_not_hold_are_passed_over(site: Site) -> None:
    found = installed(
        site, "inarch", "no-such-thing-at-all; sys_platform == 'none'", "no-such-thing-at-all; extra == 'x'"
    )
    assert needs_of(found).reason == ""


def test_metadata_without_inarch_or_without_sense_is_a_warning(site: Site) -> None:
    assert "doesn't name inarch" in needs_of(installed(site, "pluggy")).warning
    contract = needs_of(installed(site, "!!", name="odd"))
    assert "can't be read" in contract.warning and contract.reason == ""


def test_our_own_and_single_files_need_nothing(tmp_path: Path) -> None:
    ours = discover().plugins["offline"]
    assert needs_of(ours) == needs_of(FoundPlugin("f", "f", "", "", "f", file="f.py"))


def test_a_plugin_whose_contract_is_broken_is_refused_unimported(site: Site, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    installed(site, "inarch>=99")
    (site.folder / "far.py").write_text(f"from pathlib import Path\nPath({str(trace)!r}).touch()\n")
    config = site.config("far")
    (refused,) = compose_plugins(config, without=["offline"]).refused
    assert (refused.name, refused.reason) == ("far", f"needs inarch>=99, and this is {__version__}")
    assert "upgrade inarch" in refused.remedy and not trace.exists()
    metadata = site.folder / "far-1.0.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace(">=99", ""))
    assert compose_plugins(config, without=["offline"]).loaded[0].name == "far", "a refusal of that kind is not kept"

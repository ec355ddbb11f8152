"""Commands that plugins bring."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SOURCE = """
import click
import inarch


@inarch.tool
def shop_words(text: str) -> int:
    "Count words."
    return len(text.split())


@click.group()
def shop():
    "Look after the shop."


@shop.command()
@click.argument("what")
def tell(what):
    "Tell something."
    context = click.get_current_context().find_object(inarch.PluginContext)
    if what == "nothing":
        raise click.UsageError("say something")
    if what == "crash":
        raise KeyError("apples")
    click.echo(f"{what} from {context.name} in {context.root.rsplit('/', 1)[-1]}")
    return 7 if what == "seven" else None
"""


@pytest.fixture
def shop(tmp_path: Path, environ: dict[str, str]) -> dict[str, str]:
    """An installed plugin with a command, in the profile."""
    site = tmp_path / "site"
    info = site / "shop_tools-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "shop_tools.py").write_text(SOURCE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shop-tools\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[inarch.plugins]\nshop-tools = shop_tools\n[inarch.commands]\nshop = shop_tools:shop\n"
        "sessions.tell = shop_tools:tell\nsessions.show = shop_tools:tell\nask = shop_tools:tell\n"
        "sessions.tell = shop_tools:tell\nsessions.show = shop_tools:tell\nask = shop_tools:tell\n"
    )
    config = Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[profiles.mine]\nextends = "default"\nplugins = ["sandbox-fs", "shop-tools"]\n')
    return {"PYTHONPATH": str(site)}


def test_it_is_listed_with_its_plugin_and_called_with_its_context(cli: Run, shop: dict[str, str]) -> None:
    assert "shop (shop-tools)" in cli("--help", "--all", **shop).stdout
    done = cli("--profile", "mine", "shop", "tell", "apples", **shop)
    assert (done.returncode, done.stdout) == (0, "apples from shop-tools in project\n"), done.stderr
    assert cli("--profile", "mine", "--root", "shop", "shop", "tell", "pears", **shop).stdout.endswith("in shop\n")


def test_what_it_raises_names_the_plugin(cli: Run, shop: dict[str, str]) -> None:
    crashed = cli("--profile", "mine", "shop", "tell", "crash", **shop)
    assert crashed.returncode == 2
    assert "shop-tools" in crashed.stderr and "KeyError" in crashed.stderr and "Traceback" not in crashed.stderr
    wrong = cli("--profile", "mine", "shop", "tell", "nothing", **shop)
    assert (wrong.returncode, wrong.stderr) == (2, "inarch: error: say something\n")
    assert cli("--profile", "mine", "shop", "tell", "seven", **shop).returncode == 7


def test_outside_the_profile_it_is_refused_with_the_way_to_it(cli: Run, shop: dict[str, str]) -> None:
    done = cli("shop", "tell", "apples", **shop)
    assert (done.returncode, done.stdout) == (2, "")
    assert "shop-tools" in done.stderr and "plugins" in done.stderr
    assert cli("--max-cost", "1", "shop", "tell", "x", **shop).returncode == 2


def test_a_program_option_after_a_plugin_command_is_refused_with_its_place(cli: Run, shop: dict[str, str]) -> None:
    for option in ("--profile", "--root"):
        done = cli("--profile", "mine", "shop", "tell", "apples", option, "x", **shop)
        assert done.returncode == 2
        assert f"{option} must precede a plugin's command (inarch {option} … shop)" in done.stderr
    done = cli("--profile", "mine", "shop", "tell", "apples", "--colour", "x", **shop)
    assert done.returncode == 2 and "there is no option" in done.stderr and "must precede" not in done.stderr


def test_a_plugin_adds_a_subcommand_to_a_group(cli: Run, shop: dict[str, str]) -> None:
    assert "tell (shop-tools)" in cli("sessions", "--help", **shop).stdout
    for words in (("--profile", "mine", "sessions", "tell", "apples"), ("sessions", "tell", "apples")):
        done = cli(*words, **shop, INARCH_PROFILE="mine")
        assert (done.returncode, done.stdout) == (0, "apples from shop-tools in project\n"), done.stderr
    done = cli("sessions", "tell", "apples", **shop)
    assert (done.returncode, done.stdout) == (2, "") and "which profile 'default' does not have" in done.stderr
    assert "did you mean" in cli("sessions", "tel", **shop).stderr.lower()


def test_nobody_takes_the_name_of_a_command_of_inarch(cli: Run, shop: dict[str, str]) -> None:
    shown = cli("sessions", "show", "apples", **shop)
    assert "there is no session 'apples'" in shown.stderr
    asked = cli("ask", "--help", **shop)
    assert "Ask one question" in asked.stdout

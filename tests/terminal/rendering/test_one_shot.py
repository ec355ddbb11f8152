"""`inarch "…"` on a real terminal of tmux: Markdown and calls as they come, and plain text everywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...running.program import Run
from ...running.terminals import Open
from ..conftest import cli as cli
from ..conftest import environ as environ
from ..conftest import project as project
from .talkative import FIRST, REST

pytestmark = pytest.mark.once

FLAGS = ("--plugin", str(Path(__file__).with_name("talkative.py")), "--model", "talkative/words", "--approve", "all")
SCREEN = """\
# Apples

An apple weighs 150 g by weigh.

• red
• green

  def weigh(apples: int) -> int:
      return apples * 150

name   weight
─────────────
apple     150

See the shop (https://shop.example/apples).
"""


def lines_of(screen: str) -> list[str]:
    return [line.rstrip() for line in screen.splitlines()]


def test_the_answer_is_markdown_while_it_comes_and_once_it_is_there(terminal: Open, project: Path) -> None:
    opened = terminal("talk slowly", *FLAGS)
    screen = opened.until("An apple weighs **150")
    assert "# Apples" in screen
    (project / "go").touch()
    screen = opened.until("code=0")
    assert SCREEN in "\n".join(lines_of(screen))
    assert screen.count("Apples") == 1 and "**" not in screen
    coloured = opened.screen(colours=True)
    assert "\x1b[35mdef" in coloured and "\x1b[1m" in coloured


def test_calls_and_edits_at_forty_columns(terminal: Open) -> None:
    screen = terminal("edit it", *FLAGS, columns=40, lines=60).until("code=0")
    lines = lines_of(screen)
    assert all(len(line) <= 40 for line in lines)
    assert any(line.startswith("  ✓ Read shop/basket.py") for line in lines)
    edit = next(place for place, line in enumerate(lines) if line.startswith("  ✓ Edit shop/basket.py"))
    assert lines[edit].endswith("+2 −1")
    assert lines[edit + 1 : edit + 4] == [
        "    6 -     return apples * 150",
        "    6 +     # heavier now",
        "    7 +     return apples * 160",
    ]


@pytest.mark.parametrize(("words", "extra"), [(("--no-color",), {}), ((), {"NO_COLOR": "1"}), (("--quiet",), {})])
def test_without_colours_and_quietly_the_answer_stays_as_it_was_written(
    terminal: Open, words: tuple[str, ...], extra: dict[str, str]
) -> None:
    screen = terminal("talk to me", *FLAGS, *words, **extra).until("code=0")
    assert "An *apple* weighs **150 g** by `weigh`." in screen and "```python" in screen
    assert ("●" in screen) is (words != ("--quiet",))


def test_a_pipe_gets_the_raw_answer(cli: Run) -> None:
    done = cli("talk to me", *FLAGS)
    assert (done.returncode, done.stdout) == (0, FIRST + REST.rstrip("\n") + "\n")
    assert "\x1b" not in done.stderr

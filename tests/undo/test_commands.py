"""`inarch undo`, `redo` and `blame` as real programs, after turns of the offline model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]


def test_a_turn_is_undone_and_done_again_without_git(cli: Cli, project: Path) -> None:
    basket = project / "shop" / "basket.py"
    before = basket.read_bytes()
    changed = cli("ask", "--approve", "all", 'replace "apples * 150" by "apples * 151" in shop/basket.py')
    assert changed.returncode == 0, changed.stderr
    after = basket.read_bytes()
    assert after != before
    dry = cli("undo", "--dry-run")
    assert (dry.returncode, basket.read_bytes()) == (0, after)
    assert "would be undone: turn 1 'replace" in dry.stdout
    done = cli("undo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "~ shop/basket.py: changed" in done.stdout
    assert basket.read_bytes() == before
    nothing = cli("undo")
    assert nothing.returncode == 1 and "all changes of this session are already undone" in nothing.stdout
    shown = json.loads(cli("redo", "--json").stdout)
    assert (shown["done"], shown["files"][0]["path"]) == (True, "shop/basket.py")
    assert basket.read_bytes() == after
    listed = cli("undo", "--list").stdout.splitlines()
    assert listed[0].startswith("turn 1  replace")
    call = listed[1].split()[0]
    assert cli("undo", call[:-2]).returncode == 0
    assert basket.read_bytes() == before
    again = cli("undo", "1")
    assert (again.returncode, again.stdout.splitlines()[-1].split("' ")[-1]) == (1, "is already undone")


def test_a_conflict_is_shown_and_the_exit_code_says_so(cli: Cli, project: Path) -> None:
    basket = project / "shop" / "basket.py"
    cli("ask", "--approve", "all", 'replace "apples * 150" by "apples * 151" in shop/basket.py')
    basket.write_text(basket.read_text().replace("151", "152"))
    mine = basket.read_bytes()
    ran = cli("undo")
    assert ran.returncode == 1
    for part in ("conflict in shop/basket.py:", "apples * 150", "apples * 151", "apples * 152"):
        assert part in ran.stdout
    assert basket.read_bytes() == mine


def test_blame_names_turn_call_and_prompt(cli: Cli, project: Path) -> None:
    prompt = 'replace "apples * 150" by "apples * 151" in shop/basket.py'
    cli("ask", "--approve", "all", prompt)
    with (project / "shop" / "basket.py").open("a") as file:
        file.write("# mine\n")
    found = json.loads(cli("blame", "shop/basket.py", "--json").stdout)
    assert [line["by"] for line in found] == ["you"] * 5 + ["agent", "you"]
    assert (found[5]["prompt"], found[5]["turn"], found[5]["tool"]) == (prompt, 1, "patch_source_file")
    shown = cli("blame", "shop/basket.py").stdout.splitlines()
    assert len(shown) == 7
    assert "turn 1 patch_source_file replace" in shown[5] and shown[5].endswith("return apples * 151")
    one = cli("blame", "shop/basket.py:6").stdout
    for part in (found[5]["session_id"], found[5]["call_id"], prompt):
        assert part in one
    assert cli("blame", "shop/basket.py:7").stdout == "7: # mine\nyou\n"
    assert cli("blame", "shop/basket.py:70").returncode == 2

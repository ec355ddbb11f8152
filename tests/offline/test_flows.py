"""Ways in, read from the text of a flow."""

from __future__ import annotations

from inarch_offline.flows import ways
from inarch_offline.page import Place

FLOW = """## Execution Flow

Entry: main() · script "acme", console script in pyproject.toml:84 · acme/cli.py:10
  → run() · acme/cli.py:12 run(1)
    → work() ← YOUR TARGET · () · acme/work.py:3 work()
      → deeper() · acme/work.py:5

Entry: acme.cli (module) · main "python acme/cli.py", if __name__ == "__main__" · acme/cli.py:1
  → work() ← YOUR TARGET · () · acme/cli.py:20 work()

Entry: test_work() · test · tests/test_work.py:4
  → work() ← YOUR TARGET · () · tests/test_work.py:5 work()

## Files in this path
- acme/cli.py
"""


def test_ways_are_read_with_their_places_and_kinds() -> None:
    script, module, test = ways(FLOW)
    assert (script.kind, script.names) == ('script "acme"', ("main", "run", "work"))
    assert script.places == (Place("acme/cli.py", 10), Place("acme/cli.py", 12), Place("acme/work.py", 3))
    assert (module.kind, module.names) == ('main "python acme/cli.py"', ("acme.cli", "work"))
    assert module.places[0] == Place("acme/cli.py", 1)
    assert [way.is_test for way in (script, module, test)] == [False, False, True]

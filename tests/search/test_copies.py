"""Which scripts are made from others."""

from __future__ import annotations

import pytest

from inarch_brief.search.formats import compiled


@pytest.mark.parametrize(
    ("paths", "made"),
    [
        (("v4/core/a.js", "v4/core/a.cjs", "src/v4/core/a.ts"), {"v4/core/a.js", "v4/core/a.cjs"}),
        (("lib/a.js", "src/a.coffee"), {"lib/a.js"}),
        (("packages/x/lib/a.mjs", "packages/x/lib/a.d.ts", "packages/x/src/a.tsx"),
         {"packages/x/lib/a.mjs", "packages/x/lib/a.d.ts"}),
        (("index.js", "src/index.ts"), {"index.js"}),
        (("lib/a.js", "src/a.js"), set()),  # both are written by somebody
        (("scripts/a.js", "src/a.ts"), set()),
        (("packages/y/lib/a.js", "packages/x/src/a.ts"), set()),
        (("src/a.js", "src/a.ts"), set()),
        (("lib/a.js", "src/a.d.ts"), set()),
        ((), set()),
    ],
)  # fmt: skip
def test_a_script_beside_the_source_that_it_is_made_from_is_a_copy(paths: tuple[str, ...], made: set[str]) -> None:
    assert compiled(paths) == made

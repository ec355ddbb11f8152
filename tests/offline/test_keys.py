"""The first line of the planner's answers names a model whose key lies there."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import distribution

from inarch_offline.keys import notice_for
from inarch_offline.writing import KIND, NOTICE


def test_a_key_that_is_set_is_named_with_the_line_that_uses_it() -> None:
    assert notice_for({}) == notice_for({"OPENAI_API_KEY": ""}) == NOTICE
    said = notice_for({"XAI_API_KEY": "k", "OPENAI_API_KEY": "k"})
    assert said.startswith(f"{KIND} OPENAI_API_KEY is set: `inarch config model litellm/openai/gpt-")
    assert "k`" not in said and "\n" not in said


def test_every_key_that_is_offered_is_named() -> None:
    offers = [one for one in distribution("inarch").entry_points.select(group="inarch.ready") if "/" in one.name]
    variables = {one.value.partition(":")[0] for one in offers}
    assert len(variables) > 20 and all(f"{name} is set" in notice_for({name: "k"}) for name in variables)


def test_nothing_of_a_provider_is_imported_for_it() -> None:
    script = (
        "import sys; from inarch_offline.keys import notice_for; print(notice_for({'OPENAI_API_KEY': 'k'}));"
        "print([name for name in sys.modules if 'litellm' in name])"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "OPENAI_API_KEY is set" in ran.stdout and ran.stdout.endswith("[]\n")

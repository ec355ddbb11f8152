"""Whatever is asked, the turn ends in text, within a bounded number of requests."""

import asyncio
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inarch
from inarch_brief.offline.page import NOTICE
from inarch_brief.offline.plans import MAX_ROUNDS

WORDS = re.findall(
    r"\S+",
    """
    how does where is who calls list the explain summarize this codebase tests Till `check_item` price_of work
    src/shop/till.py defined replace with in README.md create file x.txt it that shop.till.Till.add what of
""",
)
PROMPTS = st.one_of(
    st.text(min_size=1, max_size=120).filter(str.strip),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join),
)


@settings(
    max_examples=settings().max_examples // 2,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(prompts=st.lists(PROMPTS, min_size=1, max_size=3))
def test_any_conversation_ends_in_text(shop, tmp_path, prompts):
    environ = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}

    async def go():
        flags = {"model": "offline/extractive"}
        app = inarch.compose(root=shop, config={}, flags=flags, environ=environ, journal=False)
        requests = 0
        try:
            session = app.session()
            for prompt in prompts:
                async for event in session.stream(prompt):
                    requests += event.kind == "model.requested"
                turn = session.turns[-1]
                assert turn.status == "done", turn.error
                assert turn.content.startswith(NOTICE) == (len(session.turns) == 1) or turn.content == f"{NOTICE}\n"
                assert requests <= MAX_ROUNDS + 1
                requests = 0
        finally:
            await app.aclose()

    asyncio.run(go())

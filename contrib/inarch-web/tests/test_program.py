"""The program: its address, kill -9 and opening again, Ctrl-C, and what can't be served."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest

from .programs import Program
from .talking import enter, entered


async def test_a_session_outlives_a_kill_and_goes_on(tmp_path: Path) -> None:
    async with Program(tmp_path) as program:
        page = await enter(program.address)
        session = (await page.do("open", session=None))["session"]
        await page.do("say", session=session, text="first")
        await page.idle()
        before = len(page.came)
        await page.do("say", session=session, text="a long one")
        await page.until(lambda message: message.get("delta", {}).get("text"), before)
        assert await program.ended(signal.SIGKILL) == -signal.SIGKILL
        await page.close()
        address = program.address
        await program.start()
        assert program.address != address
        async with entered(program.address) as again:
            opened = await again.do("open", session=session)
            assert [turn["number"] for turn in opened["turns"]] == [1, 2] and opened["state"]["running"] is None
            assert not opened["turns"][1]["running"] and "a long one" in opened["turns"][1]["html"]
            await again.do("say", session=session, text="third")
            await again.idle()
            turn = [message["turn"] for message in again.came if "turn" in message][-1]
            assert turn["number"] == 3 and "You said: third" in turn["html"]


async def test_ctrl_c_ends_turns_tells_pages_and_leaves_nothing(tmp_path: Path) -> None:
    async with Program(tmp_path) as program:
        page = await enter(program.address)
        session = (await page.do("open", session=None))["session"]
        await page.do("say", session=session, text="a long one")
        await page.until(lambda message: message.get("delta", {}).get("text"))
        assert await program.ended(signal.SIGINT) == 0, program.said
        bye = await page.until(lambda message: "bye" in message)
        assert bye["bye"]["again"] and "Traceback" not in program.said
        assert any("cancelled" in message["turn"]["html"] for message in page.came if "turn" in message)
        await page.close()
        await program.start()
        async with entered(program.address) as again:
            opened = await again.do("open", session=session)
            assert "cancelled" in opened["turns"][-1]["html"]


async def test_the_address_is_of_this_machine_alone(tmp_path: Path) -> None:
    async with Program(tmp_path) as program:
        assert program.address.startswith("http://127.0.0.1:") and len(program.address.partition("#")[2]) >= 40
        port = int(program.address.split(":")[2].partition("/")[0])
        with pytest.raises(OSError):
            socket.create_connection((socket.gethostbyname("127.0.0.2"), port), 5)


async def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        program = await Program(tmp_path).start("--port", str(taken.getsockname()[1]))
        assert program.address == "" and await program.ended() == 2
        assert "can't be served" in program.said and "--port" in program.said

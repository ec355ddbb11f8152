"""Servers on loopback that follow a script, for tests of code that uses the port.

    async with GeminiServer() as server:
        connection = await server.provider().connect(LiveSetup())
        there = await server.connection()
        await there.speak(pcm)

The servers follow the services' documented messages and use real sockets. They keep the client's messages raw
(`received`) and parsed (`audio`, `texts`, `results`). `until` waits for them.
"""

from inarch_live.testing.gemini_server import GeminiServer, GeminiThere
from inarch_live.testing.openai_server import OpenAIServer, OpenAIThere
from inarch_live.testing.servers import LONGEST_S, LiveServer, SentResult, There

__all__ = [
    "LONGEST_S",
    "GeminiServer",
    "GeminiThere",
    "LiveServer",
    "OpenAIServer",
    "OpenAIThere",
    "SentResult",
    "There",
]

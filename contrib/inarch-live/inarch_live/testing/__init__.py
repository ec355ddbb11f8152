"""For tests of what builds on the port: servers on loopback that follow a script.

    async with GeminiServer() as server:
        connection = await server.provider().connect(LiveSetup())
        there = await server.connection()
        await there.speak(pcm)

The servers are written from the services' documented messages, with real sockets. What came from the client is kept as
it came (`received`) and as it was meant (`audio`, `texts`, `results`); `until` waits for it.
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

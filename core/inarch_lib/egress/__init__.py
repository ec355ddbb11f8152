"""Proxy through which one confined program reaches its granted hosts, and nothing else.

It is a process of its own that the program cannot bypass. The program's network namespace holds only loopback, and on
it the socket that the proxy listens on. A socket stays in the namespace in which it was made, whoever holds it. So the
proxy itself stays in the outer network.
"""

from .proxy_start import Egress

__all__ = ["Egress"]

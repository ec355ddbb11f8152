"""A proxy through which one confined program reaches the hosts that it was granted, and nothing else.

It is a process of its own, which the program can't go around: the program's network namespace holds loopback alone, and
on it the socket to which the proxy listens. A socket stays in the namespace in which it was made, whoever holds it, so
the proxy itself stays where the network is.
"""

from .proxy_start import Egress

__all__ = ["Egress"]

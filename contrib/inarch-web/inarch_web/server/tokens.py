"""What a page shows to be let in."""

from __future__ import annotations

import hmac
import secrets

from attrs import define, field


@define(eq=False, repr=False)
class Tokens:
    """The token of a server, and a ticket that lets one page in, once.

    The browser that is started here gets the ticket: what a program is started with can be read by every user of the
    machine for as long as it runs.
    """

    token: str = field(init=False, factory=lambda: secrets.token_urlsafe(32))
    ticket: str = field(init=False, factory=lambda: secrets.token_urlsafe(32))

    def admit(self, shown: str) -> bool:
        """Whether a page may come in with what it shows; a ticket is used up by that."""
        if _same(shown, self.token):
            return True
        if not (self.ticket and _same(shown, self.ticket)):
            return False
        self.ticket = ""
        return True


def _same(shown: str, wanted: str) -> bool:
    return hmac.compare_digest(shown.encode(errors="backslashreplace"), wanted.encode())

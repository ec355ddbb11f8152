"""What parts of Inarch itself need that stand beside the kernel, such as the built-in ones; nothing of it is promised.

Provisional: a name leaves when a door has taken its place. Plugins of others build on `inarch.__all__`.
"""

from __future__ import annotations

from inarch.turns.wording import STRUCTURE_TITLE as STRUCTURE_TITLE

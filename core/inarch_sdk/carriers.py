"""Programs that start others: what is said about one of them says nothing of what runs."""

from __future__ import annotations

CARRIERS = frozenset({
    "env", "nice", "ionice", "timeout", "nohup", "xargs", "sudo", "doas", "time", "setsid", "stdbuf", "command", "exec",
})  # fmt: skip
"""Programs that start the one among their words."""

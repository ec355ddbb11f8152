"""What a command's exit code says."""

from __future__ import annotations

ANSWERED, FAILED, USAGE, CANCELLED = 0, 1, 2, 130

"""Texts that have broken programs before: everything that takes text takes these, too."""

NASTY_TEXTS = (
    "", " ", "\0", "\n", "\r\n", "two\nlines", "\u2028\u2029\x85", '"\\/{}[]', "\x1b[2J", "zwölf", "日本語",
    "\U0001f331\U0001f469\u200d\U0001f467", "e\u0301 \u202e abc", "\ud800", "name-\udcff-that-is-not-utf-8",
    "\ufeffmark", "'; DROP TABLE events; --", "%s {} \\u0000", "x" * 10_000,
)  # fmt: skip
"""Empty, blank, control characters, half a character, another direction, what other formats quote; and a long one."""

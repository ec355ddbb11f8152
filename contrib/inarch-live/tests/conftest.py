"""Signals of the programs that tests start."""

from __future__ import annotations

import signal

# Programs that are started here hear these, however the tests themselves were started: in the background, under nohup.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

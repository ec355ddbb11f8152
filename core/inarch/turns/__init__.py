"""A turn from prompt to answer."""

from inarch.turns.loop import run_turn as run_turn
from inarch.turns.session_state import SessionState as SessionState

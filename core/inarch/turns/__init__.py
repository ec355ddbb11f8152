"""A turn from prompt to answer."""

from inarch.turns.conversation import Conversation as Conversation
from inarch.turns.loop import run_turn as run_turn

"""A turn from prompt to answer."""

from inarch.turns.conversation import Conversation as Conversation
from inarch.turns.loop import run_turn as run_turn
from inarch.turns.sources.mentions import Mentions as Mentions
from inarch.turns.sources.structure import ProjectStructure as ProjectStructure
from inarch.turns.strategies import Native as Native

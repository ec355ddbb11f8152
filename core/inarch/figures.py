"""How times, tokens, money, calls and what was left out read in a line; a table of what was spent."""

from inarch_sdk.figures import confinement_words as confinement_words
from inarch_sdk.figures import cost_words as cost_words
from inarch_sdk.figures import dropped_words as dropped_words
from inarch_sdk.figures import duration as duration
from inarch_sdk.figures import local_time as local_time
from inarch_sdk.figures import money as money
from inarch_sdk.figures import seconds_between as seconds_between
from inarch_sdk.figures import short_arguments as short_arguments
from inarch_sdk.figures import spent_words as spent_words
from inarch_sdk.figures import summed as summed
from inarch_sdk.figures import table as table
from inarch_sdk.figures import usage_words as usage_words

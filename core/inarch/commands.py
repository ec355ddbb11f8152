"""Building blocks of the program's commands: flags, composition, messages on standard error, and exit codes."""

from inarch.program.composer import compose_given as compose_given
from inarch.program.failure import ANSWERED as ANSWERED
from inarch.program.failure import CANCELLED as CANCELLED
from inarch.program.failure import FAILED as FAILED
from inarch.program.failure import LIMITED as LIMITED
from inarch.program.failure import NOT_DONE as NOT_DONE
from inarch.program.failure import USAGE as USAGE
from inarch.program.failure import exit_code as exit_code
from inarch.program.failure import interrupts as interrupts
from inarch.program.failure import say as say
from inarch.program.failure import say_remedy as say_remedy
from inarch.program.groups import Group as Group
from inarch.program.options import composing_options as composing_options
from inarch.program.options import showing_options as showing_options
from inarch_sdk.modes import CHANGEABLE as CHANGEABLE
from inarch_sdk.modes import MODES as MODES

"""Command lines as rules judge them: words, commands and the operators between them."""

from inarch_sdk.commandline import CARRIERS as CARRIERS
from inarch_sdk.commandline import NeedsShell as NeedsShell
from inarch_sdk.commandline import split_command as split_command
from inarch_sdk.joined_commands import Line as Line
from inarch_sdk.joined_commands import Part as Part
from inarch_sdk.joined_commands import split_line as split_line

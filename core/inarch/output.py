"""Terminal text that cannot mislead its reader: escaped, in columns, printed as lines, tables and JSON."""

from inarch_lib.output.escapes import escape as escape
from inarch_lib.output.escapes import escape_json as escape_json
from inarch_lib.output.printer import Harmless as Harmless
from inarch_lib.output.printer import aligned as aligned
from inarch_lib.output.printer import columns_of as columns_of
from inarch_lib.output.printer import is_terminal as is_terminal
from inarch_lib.output.printer import print_json as print_json
from inarch_lib.output.printer import print_line as print_line
from inarch_lib.output.printer import shorten as shorten
from inarch_lib.output.printer import width as width

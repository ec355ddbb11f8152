"""Confine a child by a plan read from standard input, and run it: `python -I -S launcher.py PACKAGE < {plan, argv}`."""

import ctypes
import json
import os
import signal
import sys
from typing import Any


def main() -> int:
    sys.path.insert(0, sys.argv[1])
    import inarch_lib.confinement

    asked: dict[str, Any] = json.load(sys.stdin)
    fields = {key: tuple(value) if isinstance(value, list) else value for key, value in asked["plan"].items()}
    plan = inarch_lib.confinement.Plan(**{**fields, "layers": frozenset(fields["layers"])})
    argv = [word.replace("{parent}", str(os.getpid())).replace("{address}", str(id(plan))) for word in asked["argv"]]
    child = os.fork()
    if not child:
        try:
            ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG
            os.chdir(plan.root)
            inarch_lib.confinement.execute(plan, argv, asked["env"])
        except OSError as problem:
            os.write(2, f"not confined: {problem}".encode())
        finally:
            os._exit(98)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


sys.exit(main())

"""What stands on standard error beside the lines that every turn has off a terminal: its calls and what it took."""


def beside(errors: str) -> str:
    return "".join(
        line for line in errors.splitlines(keepends=True) if not line.startswith(("inarch: call: ", "inarch: turn: "))
    )

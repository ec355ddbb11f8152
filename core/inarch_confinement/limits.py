"""Resource limits of one process."""

from __future__ import annotations

from .plan import Plan


def lower(plan: Plan, *, counted: bool) -> None:
    """Set the plan's limits for good; none is ever raised.

    Args:
        plan: The limits.
        counted: Whether the process is in a user namespace of its own: only there is the number of processes
            counted apart from the user's other ones.
    """
    import resource

    wanted = (
        # Private writable memory: address space that is only reserved, as some runtimes do by the terabyte, is free.
        (resource.RLIMIT_DATA, plan.memory_bytes),
        (resource.RLIMIT_NPROC, plan.processes if counted else 0),
        (resource.RLIMIT_FSIZE, plan.file_bytes),
        (resource.RLIMIT_CPU, plan.cpu_seconds),
    )
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for kind, limit in wanted:
        hard = resource.getrlimit(kind)[1]
        if limit and (hard == resource.RLIM_INFINITY or limit < hard):
            resource.setrlimit(kind, (limit, limit))

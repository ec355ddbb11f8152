"""Models of frameworks: tasks that are run later, what is injected into parameters, callbacks of options."""

from __future__ import annotations

from collections.abc import Iterator

from inarch_brief_tracer.facts.link_facts import CALL, SEQUENCE, SUBSCRIPT, Code
from inarch_brief_tracer.linking.binding import call_function
from inarch_brief_tracer.linking.budget import FRAMEWORK, INFERRED
from inarch_brief_tracer.linking.calls import call
from inarch_brief_tracer.linking.cells import NO_ARGUMENTS, Arguments, Values
from inarch_brief_tracer.linking.evaluate import evaluate
from inarch_brief_tracer.linking.linker import EMPTY, Linker, union
from inarch_brief_tracer.linking.values import Bound, Container, Func, Generator, Outside, Scope

INJECTORS = frozenset(
    (
        *("fastapi.Depends", "fastapi.Security", "fastapi.params.Depends", "fastapi.params.Security"),
        *("fast_depends.Depends", "faststream.Depends", "taskiq.TaskiqDepends", "litestar.di.Provide"),
    )
)
"""What is given a function whose result a parameter gets."""
_ROUTERS = ("fastapi.FastAPI.", "fastapi.APIRouter.", "fastapi.applications.", "fastapi.routing.")
_OPTIONS = frozenset(("click", "typer", "rich_click", "asyncclick", "cloup"))
_CALLBACKS = ("callback", "autocompletion", "shell_complete")
_PACKED = frozenset(("apply_async", "apply_async_on_commit", "send_with_options", "signature", "subtask"))
"""Methods of tasks that take the arguments as a tuple and a mapping."""


def deferred_method(linker: Linker, base: Func | Bound, name: str, arguments: Arguments, line: int) -> Values:
    """Call what a task queue puts on a function: the function runs with the arguments."""
    if name in _PACKED:
        named = arguments.keywords
        given = [*arguments.positional, EMPTY, EMPTY]
        arguments = Arguments((), None, named.get("args", given[0]), named.get("kwargs", given[1]))
    func = base.func if isinstance(base, Bound) else base
    if isinstance(base, Bound):
        arguments = arguments.after((base.receiver,))
    elif func.scope.cls is None and func.scope.facts.parameters.positional[:1] == ("self",):
        arguments = arguments.after(EMPTY)  # a task that is bound to itself
    call_function(linker, func, arguments, FRAMEWORK, INFERRED, line)
    return EMPTY


def injected(linker: Linker, scope: Scope, code: Code, hint: Code = None) -> Values:
    """Note what a framework runs for a function, as a default, annotation or decorator says; give what is injected.

    `Depends(get_database)` as a default, in `Annotated[...]` or among the `dependencies` of a route or of its router,
    `option(callback=check)` as a decorator or a default. `Depends()` alone makes what the parameter's `hint` names.
    """
    result: Values = EMPTY
    if type(code) is tuple and code[0] == SUBSCRIPT and type(code[2]) is tuple and code[2][0] == SEQUENCE:
        hint = code[2][3][0] if code[2][3] else None
    for part in _calls(code):
        made = [value for value in evaluate(linker, part[1]) if isinstance(value, Outside)]
        callees = [value.name for value in made]
        keywords = dict(part[3])
        if not INJECTORS.isdisjoint(callees):
            wanted = part[2][0] if part[2] else keywords.get("dependency", hint)
            result = union(result, _run(linker, scope, evaluate(linker, wanted)))
        elif any(name.startswith(_ROUTERS) for name in callees):
            wanted = keywords.get("dependencies")
            for row in wanted[3] if type(wanted) is tuple and wanted[0] == SEQUENCE else ():
                injected(linker, scope, row)
            for value in made:
                if isinstance(value.receiver, Container):
                    _run(linker, scope, linker.read(value.receiver.rest))
        elif any(name.partition(".")[0] in _OPTIONS for name in callees):
            for name in _CALLBACKS:
                _run(linker, scope, evaluate(linker, keywords.get(name)))
    return result


def _calls(code: Code) -> Iterator[Code]:
    """Give the calls that a default, a decorator or the further parts of an `Annotated` are."""
    if type(code) is not tuple:
        return
    if code[0] == CALL:
        yield code
    elif code[0] == SUBSCRIPT and type(code[2]) is tuple and code[2][0] == SEQUENCE:
        for part in code[2][3]:
            if type(part) is tuple and part[0] == CALL:
                yield part


def _run(linker: Linker, scope: Scope, values: Values) -> Values:
    """Call values from a function's scope."""
    around, linker.scope = linker.scope, scope
    try:
        result: Values = EMPTY
        for value in values:
            for given in call(linker, value, NO_ARGUMENTS, scope.facts.line, FRAMEWORK):
                result = union(result, linker.read(given.items) if isinstance(given, Generator) else (given,))
        return result
    finally:
        linker.scope = around

"""Models of what wraps, stores or runs functions: decorators, partials, threads, exit stacks."""

from __future__ import annotations

from inarch_brief_tracer.linking.attributes import special
from inarch_brief_tracer.linking.callbacks import call_back, hand_over
from inarch_brief_tracer.linking.cells import NO_ARGUMENTS, Arguments, Values
from inarch_brief_tracer.linking.containers import all_items, enter
from inarch_brief_tracer.linking.iteration_models import argument
from inarch_brief_tracer.linking.linker import EMPTY, Linker, Model, union
from inarch_brief_tracer.linking.names import dotted_value, module_value
from inarch_brief_tracer.linking.values import (
    STATIC,
    Bound,
    Cls,
    Container,
    Func,
    Generator,
    Instance,
    Partial,
    Property,
    Text,
)


def _given(linker: Linker, arguments: Arguments, line: int) -> Values:
    """Model something that gives its argument back, or makes a copy of it."""
    return argument(arguments, 0)


def _property(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.made(1, Property)
    assert isinstance(made, Property)
    linker.put(made.getter, argument(arguments, 0, "fget"))
    linker.put(made.setter, argument(arguments, 1, "fset"))
    linker.put(made.deleter, argument(arguments, 2, "fdel"))
    return (made,)


def _partial(linker: Linker, arguments: Arguments, line: int) -> Values:
    made = linker.made(2, Partial)
    assert isinstance(made, Partial)
    made.given = Arguments(arguments.positional[1:], arguments.keywords, arguments.rest, arguments.mappings)
    linker.put(made.func, argument(arguments, 0))
    return (made,)


def _wraps(linker: Linker, arguments: Arguments, line: int) -> Values:
    return (linker.outside("<identity>"),)


def _context(linker: Linker, arguments: Arguments, line: int) -> Values:
    for value in argument(arguments, 0):
        if isinstance(value, Func):
            value.context = True
    return argument(arguments, 0)


def _decorator_or_factory(linker: Linker, arguments: Arguments, line: int) -> Values:
    """Model `lru_cache` and its like: applied to a function, or called to get what is applied."""
    functions = tuple([value for value in argument(arguments, 0) if not isinstance(value, Text | Instance)])
    return functions or (linker.outside("<identity>"),)


def _static(linker: Linker, arguments: Arguments, line: int) -> Values:
    for value in argument(arguments, 0):
        if isinstance(value, Func) and value.scope.cls is None:
            value.binding = STATIC
    return argument(arguments, 0)


def _import_module(linker: Linker, arguments: Arguments, line: int) -> Values:
    result: Values = ()
    for name in argument(arguments, 0):
        if isinstance(name, Text):
            found = module_value(linker, linker.scope.file, name.text)
            result = union(result, (found,) if found else (linker.outside(name.text),))
    return result


def _import_string(linker: Linker, arguments: Arguments, line: int) -> Values:
    result: Values = ()
    for name in argument(arguments, 0):
        if isinstance(name, Text):
            result = union(result, dotted_value(linker, name.text))
    return result


def _cast(linker: Linker, arguments: Arguments, line: int) -> Values:
    kinds = argument(arguments, 0)
    found = tuple([value.open for value in kinds if isinstance(value, Cls)])
    return union(found, argument(arguments, 1))


def _awaited(linker: Linker, arguments: Arguments, line: int) -> Values:
    hand_over(linker, arguments, line, "asyncio.run")
    result: Values = ()
    for value in arguments.every():
        if isinstance(value, Generator | Instance):
            result = union(result, (value,))
    return result


def _sub(linker: Linker, arguments: Arguments, line: int) -> Values:
    hand_over(linker, arguments, line, "re.sub")
    return (linker.text(""),)


def _field(linker: Linker, arguments: Arguments, line: int) -> Values:
    cls = linker.scope.cls
    factories = arguments.keywords.get("default_factory", EMPTY) + arguments.keywords.get("factory", EMPTY)
    if cls is not None:
        linker.put(cls.factories, factories)
    result = arguments.keywords.get("default", EMPTY)
    for factory in factories:
        if isinstance(factory, Cls):
            result = union(result, (factory.exact,))
        elif isinstance(factory, Func):
            result = union(result, linker.read(factory.returns))
    return result


def _stacked(linker: Linker, arguments: Arguments, line: int) -> Values:
    linker.put(linker.stacked, tuple([value for value in arguments.every() if isinstance(value, Func | Bound)]))
    return argument(arguments, 0)


def _entered(linker: Linker, arguments: Arguments, line: int) -> Values:
    result: Values = ()
    for value in argument(arguments, 0):
        result = union(result, enter(linker, value, line))
    return result


def _unstacked(linker: Linker, arguments: Arguments, line: int) -> Values:
    for value in linker.read(linker.stacked):
        call_back(linker, value, line)
    return EMPTY


def _copied(name: str) -> Model:
    """Model a copy, which a class may have its own way of making."""

    def model(linker: Linker, arguments: Arguments, line: int) -> Values:
        for value in argument(arguments, 0):
            special(linker, value, name, NO_ARGUMENTS, line)
            if isinstance(value, Container) and name == "__deepcopy__":
                for item in all_items(linker, value):
                    special(linker, item, name, NO_ARGUMENTS, line)
        return argument(arguments, 0)

    return model


_GIVEN_BACK = (
    *("<identity>", "<builtin>.classmethod", "abc.abstractmethod", "dataclasses.replace", "inspect.unwrap"),
    *("contextlib.closing", "contextlib.aclosing", "contextlib.nullcontext", "functools.update_wrapper"),
    *("functools.cache", "functools.singledispatch", "functools.total_ordering", "typing.overload", "typing.final"),
    "weakref.proxy",
)
_AWAITING = ("run", "create_task", "gather", "wait_for", "ensure_future", "shield", "TaskGroup.create_task")
_STACK, _ASYNC_STACK = "contextlib.ExitStack", "contextlib.AsyncExitStack"
WRAPPER_MODELS: dict[str, Model] = {
    **dict.fromkeys(_GIVEN_BACK, _given),
    **dict.fromkeys(("<builtin>.property", "functools.cached_property"), _property),
    **dict.fromkeys(("functools.partial", "functools.partialmethod"), _partial),
    **dict.fromkeys(("contextlib.contextmanager", "contextlib.asynccontextmanager"), _context),
    **dict.fromkeys(("<builtin>.__import__", "importlib.import_module"), _import_module),
    **dict.fromkeys(("pkgutil.resolve_name", "pydoc.locate"), _import_string),
    **dict.fromkeys((f"{_STACK}.callback", f"{_STACK}.push", f"{_ASYNC_STACK}.push_async_callback"), _stacked),
    **dict.fromkeys((f"{_STACK}.enter_context", f"{_ASYNC_STACK}.enter_async_context"), _entered),
    **dict.fromkeys((f"{_STACK}.close", f"{_ASYNC_STACK}.aclose"), _unstacked),
    **dict.fromkeys((f"{_STACK}.__exit__", f"{_ASYNC_STACK}.__exit__"), _unstacked),
    **dict.fromkeys([f"asyncio.{name}" for name in _AWAITING], _awaited),
    **dict.fromkeys(("dataclasses.field", "attr.ib", "attr.field", "attrs.field"), _field),
    "<builtin>.staticmethod": _static,
    "functools.wraps": _wraps,
    "functools.lru_cache": _decorator_or_factory,
    "copy.copy": _copied("__copy__"),
    "copy.deepcopy": _copied("__deepcopy__"),
    "typing.cast": _cast,
    "re.sub": _sub,
}
"""Of names that wrap, store, run or hand on functions and objects."""

"""Models of what the standard library does with functions and objects: builtins, functools, contextlib and others."""

from __future__ import annotations

from inarch_brief_tracer.linking.attribute_writes import attributes_matching, store
from inarch_brief_tracer.linking.attributes import attribute, special
from inarch_brief_tracer.linking.cells import Arguments, Values
from inarch_brief_tracer.linking.containers import dunder_call
from inarch_brief_tracer.linking.dispatching import unnamed
from inarch_brief_tracer.linking.iteration_models import (
    _chain,
    _choose,
    _collects,
    _default_dict,
    _dict,
    _enumerate,
    _filter,
    _iter,
    _map,
    _next,
    _reduce,
    _zip,
    argument,
)
from inarch_brief_tracer.linking.linker import EMPTY, Linker, Model, union
from inarch_brief_tracer.linking.strings import as_text
from inarch_brief_tracer.linking.values import Above, Cls, Instance, Namespace, Pattern, Scope, Text
from inarch_brief_tracer.linking.wrapper_models import (
    _awaited,
    _cast,
    _context,
    _copied,
    _decorator_or_factory,
    _entered,
    _field,
    _import_module,
    _import_string,
    _partial,
    _passes,
    _property,
    _stacked,
    _static,
    _sub,
    _unstacked,
    _wraps,
)


def _super(linker: Linker, arguments: Arguments, line: int) -> Values:
    scope: Scope | None = linker.scope
    while scope is not None and scope.cls is None:
        scope = scope.outer
    if arguments.positional:
        classes = [value for value in arguments.positional[0] if isinstance(value, Cls)]
        receivers = argument(arguments, 1)
        found: Values = ()
        for cls in classes:
            for receiver in receivers or (cls.open,):
                found += (linker.once(Above, cls, receiver),)
        return found
    if scope is None or scope.cls is None or scope.function is None:
        return EMPTY
    names = scope.facts.parameters.positional
    receivers = linker.read(scope.names[names[0]]) if names and names[0] in scope.names else (scope.cls.open,)
    return tuple([linker.once(Above, scope.cls, receiver) for receiver in receivers or (scope.cls.open,)])


def _calls(*names: str) -> Model:
    """Model a builtin that calls the first special method its argument has."""

    def model(linker: Linker, arguments: Arguments, line: int) -> Values:
        result: Values = ()
        for value in argument(arguments, 0):
            for name in names:
                found = special(linker, value, name, Arguments(arguments.positional[1:]), line)
                if found is not None:
                    result = union(result, found)
                    break
        return result

    return model


def _text(linker: Linker, arguments: Arguments, line: int) -> Values:
    as_text(linker, argument(arguments, 0), line)
    return (linker.text(""),)


def _print(linker: Linker, arguments: Arguments, line: int) -> Values:
    as_text(linker, arguments.every(), line)
    return EMPTY


def _getattr(linker: Linker, arguments: Arguments, line: int) -> Values:
    result = argument(arguments, 2)
    names = argument(arguments, 1)
    if not names or any(isinstance(name, Text) and not name.text for name in names):
        result = union(result, unnamed(linker, argument(arguments, 0)))
    for name in names:
        if isinstance(name, Text) and name.text.isidentifier():
            for base in argument(arguments, 0):
                result = union(result, attribute(linker, base, name.text, line))
        elif isinstance(name, Pattern):
            for base in argument(arguments, 0):
                result = union(result, attributes_matching(linker, base, name, line))
    return result


def _setattr(linker: Linker, arguments: Arguments, line: int) -> Values:
    for name in argument(arguments, 1):
        if isinstance(name, Text) and name.text.isidentifier():
            for base in argument(arguments, 0):
                store(linker, base, name.text, argument(arguments, 2), line)
    return EMPTY


def _type(linker: Linker, arguments: Arguments, line: int) -> Values:
    if len(arguments.positional) != 1:
        return EMPTY
    return tuple(
        [
            (value.cls.open_class if value.open else value.cls)
            for value in arguments.positional[0]
            if isinstance(value, Instance)
        ]
    )


def _made_class(linker: Linker, arguments: Arguments, line: int) -> Values:
    """Model `type.__new__`, which a metaclass calls with what its own was given: the class, or one derived from it."""
    return tuple([value.owner for value in arguments.every() if isinstance(value, Namespace)])


def _nothing(linker: Linker, arguments: Arguments, line: int) -> Values:
    return EMPTY


def _hash(linker: Linker, arguments: Arguments, line: int) -> Values:
    dunder_call(linker, argument(arguments, 0), "__hash__", Arguments(), line)
    return EMPTY


MODELS: dict[str, Model] = {
    "<identity>": _passes(0),
    "<builtin>.super": _super,
    "<builtin>.getattr": _getattr,
    "<builtin>.object.__getattribute__": _getattr,
    "<builtin>.setattr": _setattr,
    "<builtin>.type": _type,
    "<builtin>.property": _property,
    "<builtin>.staticmethod": _static,
    "<builtin>.classmethod": _passes(0),
    "<builtin>.isinstance": _nothing,
    "<builtin>.issubclass": _nothing,
    "<builtin>.hasattr": _nothing,
    "<builtin>.callable": _nothing,
    "<builtin>.id": _nothing,
    "<builtin>.type.__new__": _made_class,
    "abc.ABCMeta.__new__": _made_class,
    "enum.EnumMeta.__new__": _made_class,
    "<builtin>.range": _nothing,
    "<builtin>.str": _text,
    "<builtin>.format": _text,
    "<builtin>.print": _print,
    "<builtin>.repr": _calls("__repr__"),
    "<builtin>.ascii": _calls("__repr__"),
    "<builtin>.len": _calls("__len__"),
    "<builtin>.bool": _calls("__bool__", "__len__"),
    "<builtin>.int": _calls("__int__", "__index__"),
    "<builtin>.float": _calls("__float__"),
    "<builtin>.bytes": _calls("__bytes__"),
    "<builtin>.abs": _calls("__abs__"),
    "<builtin>.round": _calls("__round__"),
    "<builtin>.divmod": _calls("__divmod__"),
    "<builtin>.pow": _calls("__pow__"),
    "<builtin>.dir": _calls("__dir__"),
    "<builtin>.hash": _hash,
    "<builtin>.list": _collects("list"),
    "<builtin>.tuple": _collects("tuple"),
    "<builtin>.set": _collects("set"),
    "<builtin>.frozenset": _collects("set"),
    "<builtin>.sorted": _collects("sorted"),
    "<builtin>.reversed": _collects("list"),
    "<builtin>.sum": _choose,
    "<builtin>.any": _choose,
    "<builtin>.all": _choose,
    "<builtin>.dict": _dict,
    "<builtin>.map": _map,
    "<builtin>.filter": _filter,
    "<builtin>.min": _choose,
    "<builtin>.max": _choose,
    "<builtin>.next": _next,
    "<builtin>.anext": _next,
    "<builtin>.iter": _iter,
    "<builtin>.aiter": _iter,
    "<builtin>.enumerate": _enumerate,
    "<builtin>.zip": _zip,
    "<builtin>.__import__": _import_module,
    "importlib.import_module": _import_module,
    "pkgutil.resolve_name": _import_string,
    "pydoc.locate": _import_string,
    "functools.partial": _partial,
    "functools.partialmethod": _partial,
    "functools.wraps": _wraps,
    "functools.update_wrapper": _passes(0),
    "functools.lru_cache": _decorator_or_factory,
    "functools.cache": _passes(0),
    "functools.singledispatch": _passes(0),
    "functools.total_ordering": _passes(0),
    "functools.cached_property": _property,
    "functools.reduce": _reduce,
    "contextlib.contextmanager": _context,
    "contextlib.asynccontextmanager": _context,
    "contextlib.closing": _passes(0),
    "contextlib.aclosing": _passes(0),
    "contextlib.nullcontext": _passes(0),
    "collections.defaultdict": _default_dict,
    "collections.OrderedDict": _dict,
    "collections.ChainMap": _dict,
    "collections.deque": _collects("list"),
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain,
    "itertools.islice": _collects("list"),
    "itertools.cycle": _collects("list"),
    "contextlib.ExitStack.callback": _stacked,
    "contextlib.ExitStack.push": _stacked,
    "contextlib.ExitStack.enter_context": _entered,
    "contextlib.ExitStack.close": _unstacked,
    "contextlib.ExitStack.__exit__": _unstacked,
    "contextlib.AsyncExitStack.push_async_callback": _stacked,
    "contextlib.AsyncExitStack.enter_async_context": _entered,
    "contextlib.AsyncExitStack.aclose": _unstacked,
    "contextlib.AsyncExitStack.__exit__": _unstacked,
    "copy.copy": _copied("__copy__"),
    "copy.deepcopy": _copied("__deepcopy__"),
    "typing.cast": _cast,
    "typing.overload": _passes(0),
    "typing.final": _passes(0),
    "abc.abstractmethod": _passes(0),
    "weakref.proxy": _passes(0),
    "asyncio.run": _awaited,
    "asyncio.create_task": _awaited,
    "asyncio.gather": _awaited,
    "asyncio.wait_for": _awaited,
    "asyncio.ensure_future": _awaited,
    "asyncio.shield": _awaited,
    "asyncio.TaskGroup.create_task": _awaited,
    "re.sub": _sub,
    "dataclasses.replace": _passes(0),
    "dataclasses.field": _field,
    "attr.ib": _field,
    "attr.field": _field,
    "attrs.field": _field,
    "inspect.unwrap": _passes(0),
}
"""What calling a name outside the tree does; others give themselves and call back the functions handed to them."""

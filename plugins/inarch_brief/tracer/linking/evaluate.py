"""Evaluation of expressions: from code to its possible values, with the calls on the way."""

from __future__ import annotations

from collections.abc import Callable

from inarch_brief.tracer.facts import link_facts as codes
from inarch_brief.tracer.facts.link_facts import Code
from inarch_brief.tracer.linking.attributes import attribute, special, store
from inarch_brief.tracer.linking.call_edges import call, generator
from inarch_brief.tracer.linking.containers import (
    all_items,
    as_text,
    get_item,
    iterate,
    iterated,
    key_of,
    set_item,
    unpack,
)
from inarch_brief.tracer.linking.linker import CALL, EMPTY, EXACT, HIERARCHY, INFERRED, Linker, Missing, every, union
from inarch_brief.tracer.linking.names import binding_cell, builtin, name_cell, own_cell
from inarch_brief.tracer.linking.values import (
    NO_ARGUMENTS,
    Arguments,
    Container,
    Func,
    Generator,
    Guess,
    Instance,
    Number,
    Scope,
    Text,
    Values,
)

Evaluate = Callable[[Linker, Code], Values]


def evaluate(linker: Linker, code: Code) -> Values:
    """Return the values of an expression in the current scope."""
    if type(code) is tuple:
        return _EVALUATE[code[0]](linker, code)
    if not code:  # None or a slice
        return EMPTY
    scope = linker.scope
    cell = scope.resolved.get(code)
    if cell is None:
        cell = name_cell(linker, scope, code)
        if cell is None:
            return builtin(linker, scope, code)
    return linker.read(cell)


def _attribute(linker: Linker, code: Code) -> Values:
    return _attribute_of(linker, code, is_called=False)


def _attribute_of(linker: Linker, code: Code, is_called: bool) -> Values:
    bases, name, line = evaluate(linker, code[1]), code[2], code[3]
    if len(bases) == 1:
        return attribute(linker, bases[0], name, line)
    if not bases:
        linker.missing.append(Missing(name, line, is_called))
    return every([attribute(linker, base, name, line) for base in bases])


def _call(linker: Linker, code: Code) -> Values:
    callee, line = code[1], code[4]
    if type(callee) is tuple and callee[0] == codes.ATTRIBUTE:
        callees = _attribute_of(linker, callee, is_called=True)
    else:
        callees = evaluate(linker, callee)
    arguments = _arguments(linker, code[2], code[3]) if code[2] or code[3] else NO_ARGUMENTS
    if len(callees) == 1:
        return call(linker, callees[0], arguments, line, CALL, EXACT)
    if (
        len(callees) > MAX_BOUND
        and type(callees[-1]) is not Guess
        and len(callees) * len(arguments.every()) > MAX_BINDINGS
    ):
        # With this many callees, the call says little about the arguments of each.
        arguments = NO_ARGUMENTS
    # A decorator's wrapper calls one of all the functions it was applied to, but which one is unknown.
    sure = HIERARCHY if type(callee) is str and _is_of_closure(linker.scope, callee) else INFERRED
    return every([call(linker, value, arguments, line, CALL, sure) for value in callees])


def _is_of_closure(scope: Scope, name: str) -> bool:
    """Return whether an enclosing function binds the function's name."""
    outer = scope.outer
    while outer is not None and outer.outer is not None and name not in scope.bound:
        if outer.facts.kind != codes.CLASS_SCOPE and name in outer.bound:
            return True
        outer = outer.outer
    return False


MAX_BOUND = 8
MAX_BINDINGS = 64
"""With more callees of one call and more bound values than this, only the edges count."""


def _arguments(
    linker: Linker, positional: tuple[Code, ...], keywords: tuple[tuple[str | None, Code], ...]
) -> Arguments:
    given: list[Values] = []
    rest: Values = EMPTY
    for item in positional:
        if item is None:
            given.append(EMPTY)
        elif type(item) is tuple and item[0] == codes.STAR:
            for value in evaluate(linker, item[1]):
                if isinstance(value, Container):
                    rest = union(rest, (value,))
                else:
                    iterate(linker, value, 0)
        else:
            given.append(evaluate(linker, item))
    if not keywords:
        return Arguments(given, None, rest)
    named: dict[str, Values] = {}
    mappings: Values = EMPTY
    for name, item in keywords:
        if name is None:
            mappings = union(mappings, evaluate(linker, item))
        else:
            named[name] = evaluate(linker, item)
    return Arguments(given, named, rest, mappings)


def _subscript(linker: Linker, code: Code) -> Values:
    bases = evaluate(linker, code[1])
    key = code[2]
    if key == codes.SLICE:
        return every([get_item(linker, b, EMPTY, code[3]) if isinstance(b, Instance) else (b,) for b in bases])
    keys = evaluate(linker, key)
    return every([get_item(linker, base, keys, code[3]) for base in bases])


def _text(linker: Linker, code: Code) -> Values:
    return (linker.values.text(code[1]),)


def _number(linker: Linker, code: Code) -> Values:
    return (linker.values.once(Number, code[1]),)


def _sequence(linker: Linker, code: Code) -> Values:
    made = linker.values.container(linker.scope.file, code[2], code[1])
    sure = True
    for place, item in enumerate(code[3]):
        if type(item) is tuple and item[0] == codes.STAR:
            sure = False
            linker.put(made.rest, iterated(linker, evaluate(linker, item[1]), 0))
        elif item is not None:
            values = evaluate(linker, item)
            if values:
                linker.put(linker.item(made, place) if sure and made.kind != "set" else made.rest, values)
    return (made,)


def _mapping(linker: Linker, code: Code) -> Values:
    made = linker.values.container(linker.scope.file, code[1], "dict")
    for key, item in code[2]:
        values = evaluate(linker, item)
        if key == 0:
            linker.methods["Container"](linker, made, "update", Arguments((values,)), 0)
            continue
        literal = [found for found in map(key_of, evaluate(linker, key)) if found is not None]
        for found in literal:
            linker.put(linker.item(made, found), values)
        if not literal:
            linker.put(made.rest, values)
    return (made,)


def _union(linker: Linker, code: Code) -> Values:
    result: Values = ()
    for part in code[1]:
        result = union(result, evaluate(linker, part))
    return result


MAX_OPERANDS = 8
"""The most values of an operand that are searched for the operator's method."""


def _operation(linker: Linker, code: Code) -> Values:
    names, line = code[1], code[4]
    left, right = evaluate(linker, code[2]), evaluate(linker, code[3])
    if not (left or right):
        return EMPTY
    result: Values = ()
    answered = False
    for value in left[:MAX_OPERANDS] if names[0] else ():
        found = special(linker, value, names[0], Arguments((right,)), line)
        if found is not None:
            answered = True
            result = union(result, found)
    for value in right[:MAX_OPERANDS] if not answered else ():
        found = special(linker, value, names[1], Arguments((left,)), line)
        if found is not None:
            result = union(result, found)
        elif names[1] == "__contains__":
            iterate(linker, value, line)
    if names[0] == "__add__" and left and isinstance(left[0], Text):
        return (*result, linker.values.pattern(left[0].text, ""))
    if names[0] in ("__add__", "__or__"):
        result = union(result, tuple([value for value in left + right if isinstance(value, Container)]))
    elif names[0] == "__mod__":
        for value in right:
            as_text(linker, all_items(linker, value) if isinstance(value, Container) else (value,), line)
        if left and isinstance(left[0], Text):
            start, mark, end = left[0].text.partition("%s")
            result = (*result, linker.values.pattern(start, end) if mark else linker.values.text(""))
    return result


def _scope(linker: Linker, code: Code) -> Values:
    scope = linker.scope.file.scopes[code[1]]
    for name, item in code[2]:
        linker.put(own_cell(scope, name), evaluate(linker, item))
    return (function_of(scope),)


def function_of(scope: Scope) -> Func:
    """Return the function of a scope, created on its first definition."""
    if scope.function is None:
        scope.function = Func(scope)
    return scope.function


def _await(linker: Linker, code: Code) -> Values:
    return evaluate(linker, code[1])


def _star(linker: Linker, code: Code) -> Values:
    return iterated(linker, evaluate(linker, code[1]), 0)


def _yield(linker: Linker, code: Code) -> Values:
    values = evaluate(linker, code[1])
    func = linker.scope.function
    if func is not None and values:
        linker.put(generator(func).items, values)
    return EMPTY


def _yield_from(linker: Linker, code: Code) -> Values:
    values = evaluate(linker, code[1])
    items = iterated(linker, values, code[2])
    func = linker.scope.function
    if func is not None and items:
        linker.put(generator(func).items, items)
    result: Values = ()
    for value in values:
        if isinstance(value, Generator):
            result = union(result, linker.read(value.func.returns))
    return result


def _each(linker: Linker, code: Code) -> Values:
    for part in code[1]:
        evaluate(linker, part)
    return EMPTY


def _comprehension(linker: Linker, code: Code) -> Values:
    for target, iterable, line in code[3]:
        assign(linker, target, iterated(linker, evaluate(linker, iterable), line), line)
    for test in code[4]:
        evaluate(linker, test)
    made = linker.values.container(linker.scope.file, code[2], code[1])
    values = evaluate(linker, code[5])
    if code[1] == "dict":
        values = evaluate(linker, code[6])
    if values:
        linker.put(made.rest, values)
    return (made,)


def _named(linker: Linker, code: Code) -> Values:
    values = evaluate(linker, code[2])
    linker.put(binding_cell(linker, linker.scope, code[1]), values)
    return values


def _formatted(linker: Linker, code: Code) -> Values:
    for part in code[1]:
        as_text(linker, evaluate(linker, part), code[2])
    return (linker.values.pattern(code[3], code[4]),)


def _truth(linker: Linker, code: Code) -> Values:
    values = evaluate(linker, code[1])
    for value in values if len(values) <= MAX_OPERANDS else ():
        if special(linker, value, "__bool__", Arguments(), code[2]) is None:
            special(linker, value, "__len__", Arguments(), code[2])
    return EMPTY


def assign(linker: Linker, target: Code, values: Values, line: int) -> None:
    """Assign values to a target."""
    if type(target) is str:
        if values:
            linker.put(binding_cell(linker, linker.scope, target), values)
        return
    if target is None:
        return
    kind = target[0]
    if kind == codes.ATTRIBUTE:
        for base in evaluate(linker, target[1]):
            store(linker, base, target[2], values, target[3])
    elif kind == codes.SUBSCRIPT:
        keys = evaluate(linker, target[2])
        for base in evaluate(linker, target[1]):
            set_item(linker, base, keys, values, target[3])
    elif kind == codes.SEQUENCE:
        _unpack_into(linker, target[3], values, line)
    elif kind == codes.STAR:
        assign(linker, target[1], values, line)


def _unpack_into(linker: Linker, targets: tuple[Code, ...], values: Values, line: int) -> None:
    starred = [place for place, item in enumerate(targets) if type(item) is tuple and item[0] == codes.STAR]
    star = starred[0] if starred else -1
    for place, found in enumerate(unpack(linker, values, len(targets), star, line)):
        if place == star and found:
            made = linker.values.container(linker.scope.file, -(line << 10) - 500 - place, "list")
            linker.put(made.rest, found)
            found = (made,)
        assign(linker, targets[place], found, line)


_EVALUATE: tuple[Evaluate, ...] = (
    _attribute,
    _call,
    _subscript,
    _text,
    _number,
    _sequence,
    _mapping,
    _union,
    _operation,
    _scope,
    _await,
    _star,
    _yield,
    _yield_from,
    _each,
    _comprehension,
    _named,
    _formatted,
    _truth,
)
"""Evaluators, indexed by the number of their code."""

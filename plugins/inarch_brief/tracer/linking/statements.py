"""Evaluation of statements: definitions, imports, assignments, returns, loops."""

from __future__ import annotations

from collections.abc import Callable

from inarch_brief.tracer.facts import link_facts as codes
from inarch_brief.tracer.facts.link_facts import Code
from inarch_brief.tracer.linking.attributes import special
from inarch_brief.tracer.linking.call_edges import call
from inarch_brief.tracer.linking.containers import enter, iterated
from inarch_brief.tracer.linking.definitions import _class, _function, hinted
from inarch_brief.tracer.linking.evaluate import assign, evaluate
from inarch_brief.tracer.linking.linker import Linker, union
from inarch_brief.tracer.linking.members import instance_cell
from inarch_brief.tracer.linking.names import absolute, binding_cell, exported_cell, module_values, outside_module
from inarch_brief.tracer.linking.values import Arguments, Cell, Cls, Container, Instance, Module, Values


def run(linker: Linker, code: Code) -> None:
    """Evaluate one statement in the current scope."""
    handler = _STATEMENTS.get(code[0])
    if handler is None:
        evaluate(linker, code)
    else:
        handler(linker, code)


def _assign(linker: Linker, code: Code) -> None:
    values = evaluate(linker, code[2])
    for target in code[1]:
        assign(linker, target, values, 0)


def _return(linker: Linker, code: Code) -> None:
    func = linker.scope.function
    value = code[1]
    if func is None:
        return
    names = linker.scope.facts.parameters.positional
    if type(value) is str and value in names:
        place = names.index(value)
        if place not in func.passed:
            func.passed += (place,)
            linker.worklist.wake(func.returns.readers)
        return
    linker.put(func.returns, evaluate(linker, value))


def _for(linker: Linker, code: Code) -> None:
    assign(linker, code[1], iterated(linker, evaluate(linker, code[2]), code[3]), code[3])


def _with(linker: Linker, code: Code) -> None:
    found: Values = ()
    for manager in evaluate(linker, code[1]):
        found = union(found, enter(linker, manager, code[3]))
    if code[2] is not None:
        assign(linker, code[2], found, code[3])


def _augment(linker: Linker, code: Code) -> None:
    target, names, line = code[1], code[2], code[4]
    values = evaluate(linker, code[3])
    for base in evaluate(linker, target):
        if isinstance(base, Instance):
            for name in names:
                found = special(linker, base, name, Arguments((values,)), line)
                if found is not None:
                    assign(linker, target, found, line)
                    break
        elif isinstance(base, Container):
            linker.methods["Container"](linker, base, "extend", Arguments((values,)), line)


def _declare(linker: Linker, code: Code) -> None:
    scope = linker.scope
    values = hinted(linker, scope, code[2])
    target = code[1]
    if scope.cls is not None and scope.function is None and type(target) is str:
        if target not in scope.cls.fields:
            scope.cls.fields += (target,)
        if values:
            linker.put(instance_cell(linker, scope.cls, target), values)
        return
    assign(linker, target, values, 0)


def _raise(linker: Linker, code: Code) -> None:
    for value in evaluate(linker, code[1]):
        if isinstance(value, Cls):
            call(linker, value, Arguments(), code[2])


def _caught(linker: Linker, code: Code) -> None:
    _instances_into(linker, code[1], evaluate(linker, code[2]))


def _instances_into(linker: Linker, name: str, classes: Values) -> None:
    found: Values = ()
    for value in classes:
        inner = iterated(linker, (value,), 0) if isinstance(value, Container) else (value,)
        found = union(found, tuple([cls.open for cls in inner if isinstance(cls, Cls)]))
    if found:
        linker.put(binding_cell(linker, linker.scope, name), found)


def _import(linker: Linker, code: Code) -> None:
    name, module, attribute, level = code[1:]
    if not name:
        return
    file = linker.scope.file
    full = absolute(file, module, level)
    cell = binding_cell(linker, linker.scope, name)
    found = module_values(linker, file, full)
    if not found:
        outer = "<builtin>" if full == "builtins" else full
        linker.put(cell, (linker.values.outside(f"{outer}.{attribute}" if attribute else outer),))
    elif not attribute:
        linker.put(cell, found)
    else:
        for one in found:
            _take(linker, cell, one, attribute)


def _take(linker: Linker, cell: Cell, module: Module, attribute: str) -> None:
    """Bind the target of an import from a module of the tree: a name of it, or a module inside."""
    file = linker.scope.file
    if module.file is not None:
        source = exported_cell(linker, module.file, attribute, set())
        if source is not None and source is not cell:
            linker.put(cell, linker.read(source))
            if source.values or source.readers:
                if not source.values:
                    linker.put(cell, module_values(linker, file, f"{module.name}.{attribute}"))
                return
    linker.put(
        cell, module_values(linker, file, f"{module.name}.{attribute}") or outside_module(linker, module, attribute)
    )


_STATEMENTS: dict[int, Callable[[Linker, Code], None]] = {
    codes.ASSIGN: _assign,
    codes.RETURN: _return,
    codes.FOR: _for,
    codes.WITH: _with,
    codes.AUGMENT: _augment,
    codes.DECLARE: _declare,
    codes.RAISE: _raise,
    codes.CAUGHT: _caught,
    codes.IMPORT: _import,
    codes.FUNCTION: _function,
    codes.CLASS: _class,
}

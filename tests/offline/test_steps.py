"""Steps come from the code, in its order, with its lines and comments."""

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from inarch_offline.material import Symbol
from inarch_offline.steps import docstring_of, methods_of, most_telling, steps_of
from inarch_offline.writing import Place


def symbol(code, line=10, kind="function"):
    text = textwrap.dedent(code).strip("\n")
    return Symbol("m.f", kind, Place("m.py", line), line + text.count("\n"), "", "", False, text)


def shown(found):
    return [(step.place.line, step.code) for step in found]


def test_statements_are_steps_at_their_lines():
    found = steps_of(symbol("def f(x):\n    '''Doc.'''\n    y = g(x)\n    return y\n"))
    assert shown(found) == [(12, "y = g(x)"), (13, "return y")]


def test_line_is_that_of_the_definition_below_its_decorators():
    found = steps_of(symbol("@cached\ndef f(x):\n    return x\n"))
    assert shown(found) == [(11, "return x")]


def test_comment_above_a_statement_is_its_reason():
    found = steps_of(symbol("def f(x):\n    # Blanks mean nothing here.\n    return x.strip()\n"))
    assert found[0].comment == "Blanks mean nothing here."


def test_branches_stand_on_one_line():
    code = """
        def f(x):
            if x > 1:
                return a(x)
            elif x:
                return b(x)
            else:
                return c(x)
        """
    assert shown(steps_of(symbol(code))) == [(11, "if x > 1: return a(x); elif x: return b(x); else: return c(x)")]


def test_single_blocks_are_opened_behind_their_head():
    code = """
        def f(items):
            with lock:
                for item in items:
                    first(item)
                    second(item)
                done()
        """
    assert shown(steps_of(symbol(code))) == [
        (11, "with lock: …"),
        (12, "for item in items: …"),
        (13, "first(item)"),
        (14, "second(item)"),
        (15, "done()"),
    ]


def test_indented_code_with_text_at_the_margin_is_read():
    method = Symbol(
        "m.C.f",
        "method",
        Place("m.py", 5),
        8,
        "",
        "",
        False,
        '    def f(self):\n        x = """\na\n"""\n        return x',
    )
    assert shown(steps_of(method))[-1] == (9, "return x")


def test_class_gives_its_methods_without_overloads():
    code = '''
        class C:
            """It is C."""

            @overload
            def f(self, x: int) -> int: ...

            def f(self, x):
                """Do f."""
                return x
        '''
    [method] = methods_of(symbol(code, kind="class"))
    assert (method.name, method.place.line, method.signature, method.doc) == ("f", 16, "(self, x)", "Do f.")
    assert docstring_of(symbol(code, kind="class")).place.line == 11


def test_the_most_telling_steps_keep_their_order():
    lines = [f"    x{number} = {number}" for number in range(12)]
    code = "def f():\n" + "\n".join([*lines, "    call()", "    return x1"])
    kept = most_telling(steps_of(symbol(code)), 3)
    assert [step.place.line for step in kept] == sorted(step.place.line for step in kept)
    assert kept[-1].code == "return x1"


@given(st.text(max_size=200))
def test_code_that_is_none_has_no_steps(code):
    target = Symbol("m.f", "function", Place("m.py"), 1, "", "", False, code)
    steps_of(target)
    methods_of(target)
    docstring_of(target)

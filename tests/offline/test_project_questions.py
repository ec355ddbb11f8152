"""Questions about a project as such: guides, what manifests declare, exceptions, decorators, tests of something."""

import pytest

from inarch_offline.topic_kinds import DECLARED, DECORATORS, GATHER, GUIDE, RAISES, TESTS
from inarch_offline.topics import topic_of

from .conftest import write

ERRORS = """
    class ShopError(Exception):
        pass


    class PriceError(
        ShopError,
    ):
        pass


    class TillError(ShopError):
        pass


    class Closed(KeyError): ...


    class Plain: ...


    def sell(item):
        if not item:
            raise PriceError("no item")
        return item
    """
MARKS = """
    def priced(function):
        return function


    def unused(function):
        return function


    @priced
    def cake(): ...
    """


@pytest.mark.parametrize(
    ("text", "kind", "facet"),
    [
        ("how do I install this", GUIDE, "install"),
        ("how do I install click", GUIDE, "install"),
        ("installation instructions", GUIDE, "install"),
        ("how can I set up the project locally", GUIDE, "install"),
        ("how do I deploy this to production", GUIDE, "deploy"),
        ("how is it deployed", GUIDE, "deploy"),
        ("how do I use this library", GUIDE, "use"),
        ("show me a usage example", GUIDE, "use"),
        ("how do I contribute to this project", GUIDE, "contribute"),
        ("which Python versions", DECLARED, "versions"),
        ("what Python version do I need", DECLARED, "versions"),
        ("does it support Python 3.13", DECLARED, "versions"),
        ("minimum node version", DECLARED, "versions"),
        ("which version is this", DECLARED, "version"),
        ("who maintains this", DECLARED, "authors"),
        ("who is the author", DECLARED, "authors"),
        ("where is the documentation", DECLARED, "links"),
        ("where do I report bugs", DECLARED, "links"),
        ("which exceptions can a request raise", RAISES, ""),
        ("what errors should I catch", RAISES, ""),
        ("list the exception classes", RAISES, ""),
        ("exception hierarchy", RAISES, ""),
        ("which decorators does flask have to register functions", DECORATORS, ""),
        ("list all decorators", DECORATORS, ""),
        ("what tests cover digest auth", TESTS, ""),
        ("is there a test for the parser", TESTS, ""),
        ("where is the parser tested", TESTS, ""),
        ("who calls send in the tests", TESTS, ""),
        ("which functions parse options", GATHER, "function"),
        ("which classes are responsible for redirects", GATHER, "class"),
    ],
)
def test_wordings_of_what_a_project_says_of_itself(text, kind, facet):
    found = topic_of(text)
    assert found is not None
    assert (found.kind, found.facet) == (kind, facet)


@pytest.mark.parametrize(
    "text",
    [
        "how do I install a plugin hook into the parser",
        "how does the installer work",
        "how do I use Option with a callback",
        "how are errors formatted",
        "where is the test client created",
        "what does the decorator module do",
        "which class parses the version header",
    ],
)
def test_questions_about_the_code_are_none_about_the_project(text):
    found = topic_of(text)
    assert found is None or found.kind not in (GUIDE, DECLARED, RAISES, DECORATORS, TESTS), found


def test_installing_quotes_the_readme_and_the_manifest(shop, answer):
    lines = "# Shop\n\nSells.\n\n## Quick start\n\nGo.\n\n## Installation\n\nWith pip:\n\n"
    (shop / "README.md").write_text(f"{lines}```\n$ pip install shop\n```\n\n## End\n")
    for prompt in ("how do I install this?", "how do I install shop?"):
        text = answer(shop, prompt)
        assert (
            "README.md says under “Installation”:\n- With pip: (README.md:11)\n- `$ pip install shop` (README.md:14)"
            in text
        )
        assert "By its manifest it is `shop`: `pip install .` (pyproject.toml:2)" in text
        assert "Go." not in text
        assert "End" not in text


def test_deploying_is_found_in_underlined_documentation(shop, answer):
    text = (
        "Shop\n====\n\nDeploying to Production\n-----------------------\n\nPut it behind a counter.\n\nMore\n----\n\nx"
    )
    write(shop, {"docs/serving.rst": text})
    assert (
        "docs/serving.rst says under “Deploying to Production”:\n- Put it behind a counter. (docs/serving.rst:7)"
        in answer(shop, "how do I deploy this?")
    )


def test_a_guide_that_is_not_there_is_told(shop, answer):
    assert "No README and no documentation here says how to contribute to this." in answer(shop, "how do I contribute?")


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("which Python versions are supported?", '`requires-python = ">=3.11"` (pyproject.toml:5)'),
        ("what version is it?", '`version = "1.2"` (pyproject.toml:3)'),
        ("who maintains this?", "No manifest at the top says who made it."),
        ("what licence is it?", "MIT (pyproject.toml:6)"),
    ],
)
def test_what_the_manifest_declares_is_quoted(shop, answer, prompt, told):
    assert told in answer(shop, prompt)


def test_exceptions_are_a_tree_by_what_they_inherit_from(shop, answer):
    write(shop, {"src/shop/errors.py": ERRORS, "web/errors.js": "class Late extends Error {\n}\nclass Other {}\n"})
    text = answer(shop, "which exceptions can a sale raise?")
    assert "5 exceptions defined here" in text
    assert (
        "- ShopError (Exception) (src/shop/errors.py:1)\n  - PriceError (src/shop/errors.py:5)\n  - TillError" in text
    )
    assert "- Closed (KeyError)" in text
    assert "- Late (Error) (web/errors.js:1)" in text
    assert "Plain" not in text


@pytest.mark.parametrize(
    ("path", "text", "told"),
    [
        (
            "lib/errors.js",
            "const codes = {\n  ERR_RANG: createError(\n    'x'),\n}\nconst err = createError(4)\n",
            ["- `ERR_RANG: createError(` (lib/errors.js:2)"],
        ),
        (
            "errs.go",
            'package x\n\nvar ErrRang = errors.New("rang")\n\nfunc (e *Broken) Error() string {\n}\n',
            ['- `var ErrRang = errors.New("rang")` (errs.go:3)', "- `func (e *Broken) Error() string {` (errs.go:5)"],
        ),
        (
            "src/lib.rs",
            "#[derive(Debug, Error)]\n#[x]\npub enum Rang {\n}\nimpl std::error::Error for Late {}\n",
            ["- `pub enum Rang {` (src/lib.rs:3)", "- `impl std::error::Error for Late {}` (src/lib.rs:5)"],
        ),
    ],
)
def test_errors_that_are_no_classes_are_told_too(tmp_path, answer, path, text, told):
    root = write(tmp_path / "it", {path: text, "README.md": "x\n"})
    lines = answer(root, "which errors are there?").split("\n\n")[1].splitlines()
    assert lines == [f"{len(told)} error{'s' * (len(told) > 1)} defined here:", *told]


def test_a_class_of_a_script_or_of_ruby_that_extends_an_error_is_an_exception(tmp_path, answer):
    files = {"a.js": "export class Rang extends Error {\n}\n", "b.rb": "class Late < StandardError; end\n"}
    text = answer(write(tmp_path / "it", files), "which errors are there?")
    assert "- Rang (Error) (a.js:1)" in text and "- Late (StandardError) (b.rb:1)" in text


def test_what_a_named_function_raises_comes_first(shop, answer):
    write(shop, {"src/shop/errors.py": ERRORS})
    text = answer(shop, "which exceptions does sell raise?")
    assert 'It raises itself:\n- `raise PriceError("no item")` (src/shop/errors.py:23)' in text


def test_that_there_are_no_exceptions_is_told(shop, answer):
    assert "No class here is an exception" in answer(shop, "what exceptions are there?")


def test_decorators_are_those_that_stand_above_functions(shop, answer):
    write(shop, {"src/shop/marks.py": MARKS})
    text = answer(shop, "which decorators are there?")
    assert "1 decorator defined here" in text
    assert "- `@priced`, 1 time (src/shop/marks.py:1, src/shop/marks.py:9)" in text


def test_tests_of_something_are_found_by_calls_and_by_names(shop, answer):
    text = answer(shop, "which tests cover Till?")
    assert "Called in tests from" in text
    assert "tests.test_till.test_total_adds_up" in text
    text = answer(shop, "is there a test for the total?")
    assert "test_total_adds_up (tests/test_till.py:4)" in text
    assert "No test here is about “refunds”" in answer(shop, "what tests cover refunds?")


def test_follow_up_asks_for_calls_in_tests_of_the_place_that_was_answered(shop, asked):
    turns = asked(shop, "how does Till work?", "and who calls it in tests?", "is it tested?")
    for turn in turns[1:]:
        assert "class `shop.till.Till`" in turn.content
        assert "tests/test_till.py:5" in turn.content


def test_a_question_for_several_functions_is_answered_by_a_list(shop, answer):
    text = answer(shop, "which functions check an item?")
    assert "Functions with these words" in text
    assert "function `shop.till.check_item`" in text
    assert "Step by step" not in text


def test_variables_of_the_project_itself_are_all_there_are(shop, answer):
    code = "import os\n\n\ndef get(name):\n    os.environ[name] = 'x'\n    return os.environ.get(name)\n"
    (shop / "src/shop/env.py").write_text(f"{code}\n\nX = os.getenv('SHOP_X')\n")
    text = answer(shop, "which environment variables does shop read?")
    assert "- `return os.environ.get(name)` (src/shop/env.py:6)" in text
    assert "- SHOP_X: `X = os.getenv('SHOP_X')` (src/shop/env.py:9)" in text
    assert "env.py:5" not in text


def test_without_history_the_changelog_comes_first(shop, answer):
    (shop / "CHANGELOG.md").write_text("# Changes\n\n## 1.2\n\n- Receipts.\n")
    body = answer(shop, "what changed?").split("\n\n", 1)[1]
    assert body.startswith("The newest part of CHANGELOG.md:\n- 1.2 (CHANGELOG.md:3)")
    assert "Note: no commits can be told" in body


def test_a_statement_of_the_changelog_is_told_whole(shop, answer):
    entries = """
        Version 1.2
        -----------

        Released 2025-05-13

        -   Receipts name the till and
            the hour. :issue:`7`
        -   **Totals** are rounded
            only once.

        Version 1.1
        -----------

        -   First.
        """
    write(shop, {"CHANGES.rst": entries})
    for prompt in ("what changed in 1.2?", "what was the last release about?"):
        assert answer(shop, prompt).split("\n\n", 1)[1].split("\n", 1)[1].split("\n\n")[0].splitlines()[:4] == [
            "- Version 1.2 (CHANGES.rst:1)",
            "- Released 2025-05-13 (CHANGES.rst:4)",
            "- Receipts name the till and the hour. :issue:`7` (CHANGES.rst:6)",
            "- Totals are rounded only once. (CHANGES.rst:8)",
        ]


def test_configuring_lists_what_can_be_set_and_no_numbers_of_a_protocol(shop, answer):
    code = """
        class Codes:
            USE_PROXY = 305, "Use Proxy"


        def open_till(proxy: str | None = None):
            return connect(
                proxy=self.proxy,
            )
        """
    write(shop, {"src/shop/net.py": code})
    for prompt in ("configure a proxy", "how do I configure a proxy?"):
        text = answer(shop, prompt)
        assert "`def open_till(proxy: str | None = None):` (src/shop/net.py:5)" in text
        assert "305" not in text
        assert "self.proxy" not in text


def test_a_program_is_told_as_what_it_is(shop, answer):
    (shop / "prog").write_bytes(b"\x7fELF\x02\x01\x01\0" + bytes(992))
    text = answer(shop, "explain prog")
    assert "prog is a binary file (a program or library (ELF), 1,000 bytes), not text" in text


def test_how_to_do_something_is_quoted_from_the_section_about_it(shop, answer):
    guide = (
        "Shop\n====\n\nCustom Tills\n------------\n\nPass a till of your own.\n\nOther things about tills\n-----\n\nx\n"
    )
    write(shop, {"docs/guide.rst": guide})
    text = answer(shop, "how do I make my own till?")
    assert "docs/guide.rst says under “Custom Tills”:\n- Pass a till of your own. (docs/guide.rst:7)" in text
    assert "Close to it in the code:" in text


def test_how_to_set_one_thing_names_the_parameters(shop, answer):
    write(shop, {"src/shop/net.py": "def fetch(url, deadline=None):\n    return url\n\n\ndef other(x): ...\n"})
    write(shop, {"src/shop/set.py": 'def set_deadline_of(x):\n    """Set a deadline."""\n    return x\n'})
    text = answer(shop, "how do I set a deadline?")
    assert "Parameters and their defaults:\n- `def fetch(url, deadline=None):` (src/shop/net.py:1)" in text


def test_what_there_is_of_a_kind_is_what_its_module_defines(shop, answer):
    write(shop, {"src/shop/filters.py": "def upper(x): ...\n\n\ndef _inner(x): ...\n\n\nclass Trim: ...\n"})
    for prompt in ("which filters are there?", "what filters does it have?", "which filters are available?"):
        text = answer(shop, prompt)
        assert "2 public definitions in src/shop/filters.py:\n- upper, Trim (src/shop/filters.py:1)" in text


def test_marks_that_are_made_elsewhere_are_told_where_no_function_is_one(tmp_path, answer):
    root = write(tmp_path / "it", {"a.py": "import lib\n\n\n@lib.mark\ndef f(): ...\n"})
    text = answer(root, "which decorators are there?")
    assert "No function and no class that is defined here" in text
    assert "- `@lib.mark`, 1 time (a.py:4)" in text


@pytest.mark.parametrize("wording", ["what does {} depend on?", "dependencies of {}", "what does {} need?"])
def test_a_name_that_is_the_project_and_a_class_means_the_project_where_dependencies_are_asked_for(
    shop, answer, wording
):
    write(shop, {"src/shop/shop.py": "class Shop:\n    def open(self):\n        return self.lock()\n"})
    text = answer(shop, wording.format("Shop"))
    assert text == answer(shop, "list the dependencies")
    assert (
        "- click>=8 (pyproject.toml:" in text and "- click in 1 file, first `import click` (src/shop/cli.py:3)" in text
    )
    assert "class `shop.shop.Shop`" not in text


def test_what_a_module_depends_on_is_what_it_imports_and_of_a_function_what_it_calls(shop, answer):
    for name in ("the till module", "shop.till", "src/shop/till.py"):
        assert "shop.prices (src/shop/till.py:3)" in answer(shop, f"what does {name} depend on?"), name
    assert "shop.till.check_item" in answer(shop, "what does Till.add depend on?")


def test_imports_of_others_are_counted_by_file_without_prose_and_what_is_ones_own(shop, bell, answer):
    lines = [
        "import os, attrs as a, click  # both",
        "from . import till",
        "from shop import cli",
        "import things of others",
    ]
    write(
        shop,
        {
            "src/shop/more.py": "\n".join(lines),
            "tests/test_more.py": "import attrs\nimport hypothesis\n",
            "docs_src/first.py": "import attrs\n",
        },
    )
    text = answer(shop, "what does this project depend on?")
    told = text.partition("Imported by its code:")[2]
    assert [line.split(",")[0] for line in told.splitlines() if line.startswith("- ")] == [
        "- click in 2 files",
        "- attrs in 1 file",
    ]
    write(bell, {"lib/more.js": "// require('ms') in a comment\nimport ms from 'ms'\nconst fs = require('fs')\n"})
    assert "- ms in 1 file, first `import ms from 'ms'` (lib/more.js:2)" in answer(bell, "what does bell need?")


def test_links_of_a_changelog_are_told_by_their_words(shop, answer):
    log = "# Changes\n\n## [1.2](https://example.org/1.2) - 2026-01-02\n\n- Receipts. [#7](https://example.org/7)\n"
    (shop / "CHANGELOG.md").write_text(log)
    text = answer(shop, "what changed in 1.2?")
    assert "- 1.2 - 2026-01-02 (CHANGELOG.md:3)" in text and "- Receipts. #7 (CHANGELOG.md:5)" in text


def test_the_default_of_an_option_is_found_in_objects_of_scripts_and_not_in_unrelated_prose(bell, answer):
    options = "// maxRings: 9,\nconst maxRings = () => 3\n"
    options += "const defaults = {\n  maxRings: 3 * 4,\n  mode: mode,\n  maxRings: options.maxRings,\n}\n"
    readme = "# bell\n\nA bell.\n\n## Maximum\n\nOf everything, the most.\n\n## Rings\n\n`maxRings` is how often.\n"
    write(bell, {"lib/options.js": options, "README.md": readme})
    text = answer(bell, "what is the default maxRings?")
    assert "- `maxRings: 3 * 4` in lib/options.defaults (lib/options.js:4)" in text and "options.js:6" not in text
    assert "options.js:1)" not in text and "options.js:2)" not in text
    assert "is how often" in text and "the most" not in text


def test_that_nothing_is_always_needed_is_said(shop, answer):
    manifest = (shop / "pyproject.toml").read_text().replace('["click>=8", "attrs"]', "[]")
    extras = '\n[project.optional-dependencies]\ntests = ["pytest"]\n'
    (shop / "pyproject.toml").write_text(manifest + extras)
    text = answer(shop, "what does shop need?")
    assert "No dependency that is always needed is declared (pyproject.toml:1)" in text and "- tests: pytest" in text


@pytest.mark.parametrize(
    "wording", ["what is {}?", "what does {} do?", "explain {}", "tell me about {}", "what is {} for?"]
)
def test_what_the_project_is_tells_of_all_of_it_and_names_the_class_of_that_name(shop, answer, wording):
    write(shop, {"src/shop/shop.py": 'class Shop:\n    """Opens at nine."""\n'})
    write(shop, {"Cargo.lock": '[[package]]\nname = "till"\n', "src/shop/core/__init__.py": ""})
    text = answer(shop, wording.format("Shop"))
    assert "shop 1.2: Sells things over a counter." in text and "Key modules of shop:" in text
    assert "A class has this name, too:\n- class `shop.shop.Shop` — Opens at nine. (src/shop/shop.py:1)" in text
    assert "class `shop.till.Till`" in answer(shop, wording.format("Till")).split("\n\n")[1]


def test_a_folder_among_several_is_not_the_project(tmp_path, answer):
    root = write(tmp_path / "two", {"core/__init__.py": '"""The core."""\n', "parts/__init__.py": ""})
    assert "core/__init__.py, 1 line of Python" in answer(root, "what is core?")


@pytest.mark.parametrize(
    ("manifest", "text", "name"),
    [
        ("go.mod", "module example.org/chime/v2\n", "chime"),
        ("package.json", '{"name": "@bells/chime"}', "chime"),
        ("setup.cfg", "[metadata]\nname = chime\n", "chime"),
    ],
)
def test_the_name_of_a_project_is_the_one_that_its_manifest_declares(tmp_path, answer, manifest, text, name):
    root = write(
        tmp_path / "it",
        {
            manifest: text,
            "README.md": "# Chime\n\nThis is a small program that chimes at noon and at midnight.\n",
            "a.go": "package a\n",
        },
    )
    assert "chimes at noon and at midnight." in answer(root, f"what is {name}?")


DEFAULTS = """
    import os

    DEFAULT_WAIT = Wait(seconds=5.0)
    LIMITS = Limits(most_bells=100, longest=3)


    class Bell:
        \"\"\"Rings: `chunk_size = 7` is an example.

            chunk_size = 8
        \"\"\"

        chunk_size = 64 * 1024
        name: str = "bell"
        loud_sound: bool = field(default=False)

        def ring(
            self,
            wait: Wait = DEFAULT_WAIT,
            portal: str = "none",
        ):
            return self.sound(wait=9, chunk_size=self.chunk_size)


    class Gong:
        chunk_size = 2
    """


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("what is the default chunk size of Bell?", "- `chunk_size = 64 * 1024` in shop.bells.Bell ({}:13)\n"),
        ("what is the default chunk_size for the Gong?", "- `chunk_size = 2` in shop.bells.Gong ({}:26)\n"),
        ("what is the default wait?", "- `wait: Wait = DEFAULT_WAIT` in shop.bells.Bell.ring ({}:19)\n"),
        ("what is the default wait?", "  - `DEFAULT_WAIT = Wait(seconds=5.0)` ({}:3)\n"),
        ("does it sound loud by default?", "- `loud_sound: bool = field(default=False)` in shop.bells.Bell ({}:15)\n"),
        ("which wait is used by default?", "  - `DEFAULT_WAIT = Wait(seconds=5.0)` ({}:3)\n"),
        ("what is the default of most_bells?", "- `most_bells=100` in shop.bells.LIMITS ({}:4)\n"),
    ],
)
def test_a_default_is_told_with_its_name_value_and_place(shop, answer, prompt, told):
    write(shop, {"src/shop/bells.py": DEFAULTS})
    body = answer(shop, prompt) + "\n"
    assert told.format("src/shop/bells.py") in body
    assert "wait=9" not in body and "chunk_size = 8" not in body


def test_a_number_of_things_is_called_like_the_things_and_a_name_of_half_the_words_is_no_default(shop, answer):
    write(
        shop,
        {
            "src/shop/bells.py": DEFAULTS,
            "src/shop/rings.py": "def ring(bells=3, stringsize=2): ...\n\n\nNAMES = 'a', 'b'\n",
        },
    )
    assert "- `bells=3` in shop.rings.ring (src/shop/rings.py:1)" in answer(
        shop, "what is the default number of bells?"
    )
    assert "- `stringsize=2` in shop.rings.ring" in answer(shop, "what is the default string size?")
    assert "- `NAMES = 'a', 'b'` in shop.rings" in answer(shop, "what are the default names?")
    text = answer(shop, "what is the default size of the queue of parcels?")
    assert text.split("\n\n")[1].startswith(
        "No environment variable, option or setting for “size of the queue of parcels”"
    )
    assert "Nothing here clearly answers this. Closest:" in text


def test_options_of_a_library_are_fields_of_what_is_called_so(bell, answer):
    kinds = (
        "import {\n  type Options,\n} from 'ms'\nexport interface BellOptions {\n  loud: boolean\n}\nconst x = `--!>`\n"
    )
    write(bell, {"lib/kinds.ts": kinds, "dist/kinds.ts": kinds})
    text = answer(bell, "which options are there?")
    assert text.endswith("What options are fields of:\n- `export interface BellOptions` (lib/kinds.ts:4)\n")
    assert "- `} from 'ms'` (lib/kinds.ts:3)" in answer(bell, "what depends on ms?")


def test_what_nothing_imports_is_told_to_be_so(shop, answer):
    write(shop, {"NEWS.md": "# News\n\nWe no longer depend on six.\n"})
    text = answer(shop, "what depends on six?")
    assert "Nothing here imports “six”.\n" in text and "(NEWS.md:3)" in text
    assert "function `shop.till.check_item" in answer(shop, "what depends on check_item?")


def test_copies_of_what_stands_in_src_are_in_no_list(tmp_path, answer):
    error = "export class Rang extends Error {\n}\n"
    files = {"src/v4/a.ts": error, "v4/a.js": error, "src/benchmarks/b.ts": "const x = '--loud'\n"}
    root = write(tmp_path / "it", files)
    assert answer(root, "which errors are there?").split("\n\n")[1].startswith("1 exception defined here")
    assert "--loud" not in answer(root, "which options are there?")


def test_a_word_within_another_one_is_no_name_of_a_default(shop, answer):
    write(shop, {"src/shop/bells.py": DEFAULTS})
    text = answer(shop, "what is the default port?")
    assert text.split("\n\n")[1] == "No environment variable, option or setting for “port” was found here."


def test_what_there_is_of_a_kind_is_all_that_the_package_of_that_name_defines(shop, answer):
    write(shop, {"src/shop/middleware/__init__.py": "", "src/shop/middleware/logs.py": "class Logs: ...\n"})
    write(shop, {"src/shop/signals.py": "from x import make\n\nclosed = make('closed')\n"})
    text = answer(shop, "which middleware are there?")
    assert "1 public definition in src/shop/middleware:\n- Logs (src/shop/middleware/logs.py:1)" in text
    text = answer(shop, "which signals are there?")
    assert "1 public definition in src/shop/signals.py:\n- closed (src/shop/signals.py:3)" in text


def test_what_there_is_of_a_kind_are_the_classes_that_are_called_so_or_derived_from_one(shop, answer):
    code = """
        class Store: ...


        class HTTPStore(Store): ...


        class Shelf(
            Store): ...


        class Box(Store, kind="x"): ...


        class _Inner(Store): ...


        class Storekeeper: ...
        """
    write(shop, {"src/shop/kept.py": code, "tests/test_kept.py": "class FakeStore: ...\n"})
    for prompt in ("which stores are there?", "what store backends does it have?"):
        lines = answer(shop, prompt).split("\n\n")[1].splitlines()
        assert lines == [
            "3 classes are called “store” by their last word, or derived from one that is:".replace(
                "store”", "stores”" if "stores" in prompt else "store”"
            ),
            "- `class Store: ...` (src/shop/kept.py:1)",
            "- `class HTTPStore(Store): ...` (src/shop/kept.py:4)",
            '- `class Box(Store, kind="x"): ...` (src/shop/kept.py:11)',
        ]

"""Questions with an answer of their own: history, marks, files, settings, importers, the picture of packages."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarch_offline import phrasings
from inarch_offline.plans.picturing import _Arrow, _ordered
from inarch_offline.topic_patterns import PATTERNS
from inarch_offline.topic_words import WORDS
from inarch_offline.topics import topic_of

from .conftest import write

GIT = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]


def commit(root, subject):
    subprocess.run([*GIT, "add", "-A"], cwd=root, check=True)
    subprocess.run([*GIT, "commit", "-qm", subject], cwd=root, check=True)


@pytest.fixture
def history(shop):
    subprocess.run(["git", "init", "-q"], cwd=shop, check=True)
    commit(shop, "Open the shop")
    (shop / "src/shop/prices.py").write_text("def price_of(item):\n    return 0\n")
    commit(shop, "Everything is free")
    return shop


@pytest.mark.needs("git")
def test_recent_changes_are_the_last_commits(history, answer):
    text = answer(history, "what changed recently?")
    assert text.index("Everything is free — Ann") < text.index("Open the shop — Ann")


@pytest.mark.needs("git")
@pytest.mark.parametrize("what", ["src/shop/till.py", "till.py", "check_item"])
def test_changes_of_a_file_or_of_what_is_defined_in_it(history, answer, what):
    text = answer(history, f"what changed in {what}?")
    assert "The last commits that changed src/shop/till.py:" in text
    assert "Open the shop" in text
    assert "Everything is free" not in text


def test_without_history_the_newest_part_of_the_changelog_is_shown(shop, answer):
    log = "# Changes\n\n## 1.2 (2026-01-02)\n\n- Receipts are printed from 1.5 cm.\n\n## 1.1\n\n- Older.\n"
    (shop / "CHANGELOG.md").write_text(log)
    text = answer(shop, "what changed recently?")
    assert "not in a git repository" in text
    assert "1.2 (2026-01-02) (CHANGELOG.md:3)" in text
    assert "Receipts are printed from 1.5 cm. (CHANGELOG.md:5)" in text
    assert "Older" not in text


def test_marks_are_listed_with_their_places(shop, answer):
    (shop / "src/shop/extra.py").write_text("x = 1\n# TODO: sell more\ny = 2  # FIXME(ann) less\n# a todolist\n")
    text = answer(shop, "list the TODOs")
    assert "2 marks in 1 file:" in text
    assert "TODO: sell more (src/shop/extra.py:2)" in text
    assert "FIXME(ann) less (src/shop/extra.py:3)" in text


def test_absence_of_marks_is_told(shop, answer):
    assert "No TODO, FIXME or XXX stands in the files here." in answer(shop, "what TODOs are there?")


def test_files_that_handle_something_are_ranked_by_what_they_are_about(shop, answer):
    text = answer(shop, "which files handle prices?")
    body = text[text.index("Files about") :]
    assert body.index("src/shop/prices.py") < body.index("src/shop/till.py")


def test_files_about_what_is_not_there(shop, answer):
    assert "No file here mentions “websockets”." in answer(shop, "which files handle websockets?")


def test_environment_variables_come_with_their_defaults_and_places(shop, answer):
    code = 'import os\n\nTILL = os.environ.get("SHOP_TILL", "left")\nAGAIN = os.environ["SHOP_TILL"]\n'
    (shop / "src/shop/settings.py").write_text(code)
    text = answer(shop, "which environment variables are read?")
    assert 'SHOP_TILL, "left" unless it is set' in text
    assert "(src/shop/settings.py:3, src/shop/settings.py:4)" in text.replace("\n    ", " ")


def test_configuration_of_a_subject_names_options_settings_and_parameters(shop, answer):
    code = """
        CURRENCY_SIGN = "€"
        DEFAULTS = {"currency": "EUR", "other": 1}


        def main(parser):
            parser.add_argument("--currency", default="EUR")
            parser.add_argument("--other")
        """
    write(shop, {"src/shop/money.py": code})
    text = " ".join(answer(shop, "how do I configure the currency?").split())
    assert '`parser.add_argument("--currency", default="EUR")` (src/shop/money.py:6)' in text
    assert '`CURRENCY_SIGN = "€"` (src/shop/money.py:1)' in text
    assert '`DEFAULTS = {"currency": "EUR", "other": 1}` (src/shop/money.py:2)' in text
    assert '`def __init__(self, currency: str = "EUR") -> None:` (src/shop/till.py:9)' in text
    assert "--other" not in text


def test_configuration_of_what_is_not_there(shop, answer):
    assert "for “proxies” was found here" in answer(shop, "how do I configure proxies?")


def test_importers_are_counted(shop, answer):
    text = answer(shop, "what depends on click?")
    assert "“click” is imported in 1 file (1 import):" in text
    assert "`import click` (src/shop/cli.py:3)" in text
    assert "(pyproject.toml:7)" in text[text.index("Declared in:") :]


def test_what_is_no_module_is_answered_by_its_callers(shop, answer):
    assert "Called from 1 place" in answer(shop, "what depends on check_item?")


def test_architecture_has_the_picture_of_who_imports_whom(shop, answer):
    text = answer(shop, "architecture")
    assert "Who imports whom:" in text
    assert "cli   → till (src/shop/cli.py:5)" in text
    assert "till  → prices (src/shop/till.py:3)" in text
    assert "prices imports none of the others" in text


def test_picture_of_javascript_follows_relative_imports(bell, answer):
    text = answer(bell, "architecture")
    assert "index  → lib/bell (index.js:1)" in text


def test_parts_that_import_come_before_what_they_import_and_circles_end():
    arrows = {_Arrow("a", "b"): 1, _Arrow("b", "c"): 1, _Arrow("c", "b"): 1}
    assert _ordered(arrows)[0] == "a"
    assert sorted(_ordered(arrows)) == ["a", "b", "c"]


def test_summary_tells_each_part_of_a_monorepo(tmp_path, answer):
    files = {
        "package.json": '{"name": "all", "private": true}',
        "packages/ui/package.json": '{"name": "@all/ui", "description": "Buttons."}',
        "packages/ui/index.js": "module.exports = {}\n",
        "services/api/pyproject.toml": '[project]\nname = "api"\ndescription = "Serves orders."\n',
        "services/api/api/__init__.py": "",
        "crates/core/Cargo.toml": '[package]\nname = "core"\ndescription = "Counts."\n',
    }
    text = answer(write(tmp_path / "all", files), "summarize this codebase")
    assert "Parts with a manifest of their own (3):" in text
    assert "@all/ui: Buttons. (packages/ui/package.json:1)" in text
    assert "api: Serves orders. (services/api/pyproject.toml:2)" in text
    assert "core: Counts. (crates/core/Cargo.toml:2)" in text


def test_dependencies_are_those_of_the_manifest_that_is_cited(tmp_path, answer):
    files = {
        "pyproject.toml": '[project]\nname = "bell"\ndependencies = ["tomli"]\n',
        "Cargo.toml": '[package]\nname = "bell"\n[dependencies]\nanyhow = "1.0"\nglob = "0.3"\n',
        "src/main.rs": "fn main() {\n}\n",
    }
    text = answer(write(tmp_path / "bell", files), "summarize this codebase")
    assert "Depends on  anyhow 1.0, glob 0.3 (Cargo.toml:4)" in text


def test_a_monorepo_without_a_manifest_of_its_own_is_none_of_its_parts(tmp_path, asked):
    files = {
        "README.md": "# Everything\n",
        "packages/ui/package.json": '{"name": "@all/ui", "scripts": {"test": "jest"}, "dependencies": {"left": "1"}}',
        "packages/ui/index.test.js": "test('buttons', () => {})\n",
        "services/bell/go.mod": "module example.org/bell\n",
        "services/bell/main.go": "package main\n\nfunc main() {\n}\n",
    }
    whole, tests = [
        turn.content for turn in asked(write(tmp_path / "all", files), "summarize this", "how do I run the tests?")
    ]
    assert "Everything (README.md:1)" in whole
    assert "Depends on" not in whole
    assert "Tests  1 test file" in whole
    assert "In packages/ui/ run them with `npm test` (packages/ui/package.json:1)" in tests
    assert "In services/bell/ run them with `go test ./...` (services/bell/go.mod:1)" in tests


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"package.json": '{"scripts": {"test": "jest"}}'}, "Run them with `npm test` (package.json:1)"),
        ({"Makefile": "build:\n\ttrue\ntest:\n\ttrue\n"}, "Run them with `make test` (Makefile:3)"),
        ({"Cargo.toml": '[package]\nname = "x"\n'}, "Run them with `cargo test`"),
        ({"go.mod": "module x\n"}, "Run them with `go test ./...`"),
        (
            {".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: tox -e py\n"},
            "Continuous integration runs `tox -e py` (.github/workflows/ci.yml:4)",
        ),
    ],
)
def test_how_tests_are_run_is_told_in_every_language(tmp_path, answer, files, told):
    assert told in answer(write(tmp_path / "it", files), "how do I run the tests?")


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"package.json": '{"name": "x"}', "index.js": "1\n"}, "main module index.js, by convention (index.js:1)"),
        ({"package.json": '{"scripts": {"start": "node a.js"}}'}, "npm start = node a.js (package.json:1)"),
        ({"Cargo.toml": '[[bin]]\nname = "run"\npath = "a.rs"\n'}, "run = a.rs (Cargo.toml:2)"),
        ({"main.go": "package main\n\nfunc main() {\n}\n"}, "`func main() {` (main.go:3)"),
        ({"src/main.rs": "fn main() {\n}\n"}, "`fn main() {` (src/main.rs:1)"),
    ],
)
def test_entry_points_of_other_languages(tmp_path, answer, files, told):
    assert told in answer(write(tmp_path / "it", files), "where is the entry point?")


@pytest.mark.parametrize("text", ["what is a Context", "where is it configured", "which files are there", "list tests"])
def test_other_questions_have_no_topic(text):
    assert topic_of(text) is None


@pytest.mark.parametrize(("kind", "pattern"), [(kind, one) for kind, patterns in PATTERNS for one in patterns])
def test_what_a_phrasing_matches_has_a_word_of_its_kind(kind, pattern):
    @given(st.from_regex(pattern, fullmatch=True, alphabet=st.characters(max_codepoint=127)))
    @settings(max_examples=20, deadline=None, database=None)
    def holds(text):
        assert any(word in text.lower() for word in WORDS[kind])

    holds()


@pytest.mark.parametrize("heading", ["## 1.1", "## [1.1] - 2026-01-01", "Version 1.1\n-----------"])
def test_changes_of_a_version_are_its_part_of_the_changelog(shop, answer, heading):
    log = (
        f"# Changes\n\n## 11.1\n\n- Newest, better than 1.1 was.\n\n{heading}\n\n- Doors open.\n\n## 1.0\n\n- Older.\n"
    )
    (shop / "CHANGELOG.md").write_text(log)
    text = answer(shop, "what changed in 1.1?")
    assert "What CHANGELOG.md says of 1.1:" in text
    assert "Doors open. (CHANGELOG.md:" in text
    assert "Newest" not in text
    assert "Older" not in text
    assert "and more" not in text
    (shop / "CHANGELOG.md").write_text(log.replace("- Doors open.", "- Doors open.\n" * 20))
    assert "… and more (CHANGELOG.md:" in answer(shop, "what changed in version 1.1?")
    assert "is called “9.9”; these are the last changes" in answer(shop, "what changed in 9.9?")


def test_subclasses_are_listed_and_nothing_that_only_names_the_class(shop, answer):
    code = (
        "class Base(Generic[T]): ...\nclass Near(Base[int], Other): ...\nclass Holder(List[Base]): ...\n"
        "class Keyed(Other, metaclass=Base): ...\nclass BaseLike(Other): ...\n"
    )
    (shop / "src/shop/kinds.py").write_text(code)
    (shop / "web.js").write_text("export default class Page extends Base {\n}\n")
    for prompt in ("which classes inherit from Base?", "list all subclasses of Base", "what extends Base"):
        text = answer(shop, prompt)
        assert "2 classes directly below “Base”" in text, prompt
        assert "`class Near(Base[int], Other): ...` (src/shop/kinds.py:2)" in text
        assert "extends Base {` (web.js:1)" in text
    assert "names “Till” as its base" in answer(shop, "who subclasses Till?")


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        *((one, phrasings.SUMMARY_WORDS) for one in phrasings.SUMMARIES),
        *((one, phrasings.FACET_WORDS) for one in phrasings.FACETS.values()),
        *((one, phrasings.COMPARISON_WORDS) for one in phrasings.COMPARISONS),
        *((one, phrasings.CALL_WORDS) for one in (*phrasings.CALLERS, *phrasings.CALLEES)),
        (phrasings.HELP, phrasings.HELP_WORDS),
        (phrasings.NEEDS, phrasings.NEEDS_WORDS),
        (phrasings.TEST_RUN, phrasings.TEST_RUN_WORDS),
        (phrasings.WHERE, phrasings.WHERE_WORDS),
        (phrasings.ONE_AS_A_WHOLE, phrasings.ONE_AS_A_WHOLE_WORDS),
    ],
)
def test_what_is_tried_only_with_some_word_has_one(pattern, words):
    @given(st.from_regex(pattern, fullmatch=True, alphabet=st.characters(max_codepoint=127)))
    @settings(max_examples=20, deadline=None, database=None)
    def holds(text):
        assert any(word in text for word in words)

    holds()

"""Keys that are there are told with the model they would serve; code goes nowhere before it was chosen."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from ...running.program import Run

KEYS = {"OPENAI_API_KEY": "sk-none-0123456789abcdef", "MISTRAL_API_KEY": "none-0123456789abcdef"}
OFFER = "OPENAI_API_KEY is set: `inarch config model litellm/openai/gpt-5` uses it"


def config_of(environ: dict[str, str]) -> Path:
    return Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"


def test_a_first_prompt_tells_which_keys_are_there_and_goes_nowhere(cli: Run) -> None:
    first = cli("what is in README.md", **KEYS)
    assert first.returncode == 0 and OFFER in first.stderr and "MISTRAL_API_KEY is set" in first.stderr
    assert first.stdout.startswith("Offline planner") and KEYS["OPENAI_API_KEY"] not in first.stdout + first.stderr
    assert OFFER not in cli("--continue", "what is in README.md", **KEYS).stderr


@pytest.mark.parametrize("words", [("--model", "offline", "hi there"), ("tools", "list")])
def test_who_has_chosen_is_not_told(cli: Run, words: tuple[str, ...]) -> None:
    assert "is set" not in cli(*words, **KEYS).stderr


def test_doctor_tells_them_beside_the_keys_that_auto_takes(cli: Run) -> None:
    said = cli("doctor", GEMINI_API_KEY="AIza-none-0123456789abcdef", **KEYS).stdout
    assert "OPENAI_API_KEY is set (inarch config model litellm/openai/gpt-5 uses it)" in said
    assert "GEMINI_API_KEY is set" in said and KEYS["MISTRAL_API_KEY"] not in said


def test_a_model_is_written_into_the_profile_and_nothing_else_changes(cli: Run, environ: dict[str, str]) -> None:
    file = config_of(environ)
    assert "profile default asks litellm/openai/gpt-5" in cli("config", "model", "gpt-5", **KEYS).stdout
    assert tomllib.loads(file.read_text()) == {"profiles": {"default": {"model": "litellm/openai/gpt-5"}}}
    file.write_text('# mine\nprofile = "own"\n\n[profiles.own]  # why\nmodel = "auto"  # for now\nmax_seconds = 9\n')
    assert "profile own asks offline" in cli("config", "model", "offline").stdout
    assert file.read_text() == (
        '# mine\nprofile = "own"\n\n[profiles.own]  # why\nmodel = "offline"  # for now\nmax_seconds = 9\n'
    )
    assert "profile own asks offline already" in cli("config", "model", "offline").stdout


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("gpt-5", "litellm/openai/gpt-5 needs a key: OPENAI_API_KEY is not set (set it, "),
        ("gemini", "GEMINI_API_KEY is not set (set GEMINI_API_KEY"),
        ("kimi-k3", "several providers know a model 'kimi-k3' (name litellm/moonshot/kimi-k3 or "),
        ("nobody/x", "no plugin provides the model 'nobody/x'"),
        ("two words", "'two words' is no model"),
        ("a\x1b[31m", "is no model"),
        ("", "'' is no model"),
    ],
)
def test_a_model_that_can_not_be_asked_is_not_written(cli: Run, environ: dict[str, str], model: str, why: str) -> None:
    done = cli("config", "model", model)
    assert done.returncode == 2 and why in done.stderr and "\x1b" not in done.stderr
    assert not config_of(environ).exists()


def test_a_prompt_for_a_model_without_its_key_names_the_variable(cli: Run) -> None:
    done = cli("--model", "gpt-5", "what is in README.md")
    assert done.returncode == 1 and "litellm/openai/gpt-5 needs a key: OPENAI_API_KEY is not set" in done.stderr


def test_the_first_line_without_a_model_names_the_first_key(cli: Run) -> None:
    first = cli("what is in README.md", **KEYS).stdout.splitlines()[0]
    assert first == f"Offline planner (no language model): answers by extraction. {OFFER}."


def test_what_a_service_of_several_variables_lacks_is_told_where_it_is_chosen_and_by_doctor(cli: Run) -> None:
    said = "takes AZURE_API_KEY, AZURE_API_BASE and AZURE_API_VERSION (not set: AZURE_API_BASE, AZURE_API_VERSION)"
    chosen = cli("config", "model", "litellm/azure/gpt-5", AZURE_API_KEY="none-0123456789abcdef")
    assert chosen.returncode == 0 and said in chosen.stderr
    assert said in cli("doctor", AZURE_API_KEY="none-0123456789abcdef").stdout


def test_doctor_tells_a_key_that_the_profiles_model_lacks(cli: Run) -> None:
    assert cli("config", "model", "litellm/openai/gpt-5", **KEYS).returncode == 0
    done = cli("doctor")
    assert done.returncode == 1 and "OPENAI_API_KEY is not set" in done.stdout

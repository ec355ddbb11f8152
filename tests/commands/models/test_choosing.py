"""Keys choose the model: `auto` takes them in their order, and says so; commands write and refuse a choice."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inarch import proposed
from inarch.testing import HttpServer, sse_reply

from ...running.program import Run

KEYS = {"OPENAI_API_KEY": "sk-none-0123456789abcdef", "MISTRAL_API_KEY": "none-0123456789abcdef"}
OPENROUTER = "sk-or-v1-0123456789abcdef"


def config_of(environ: dict[str, str]) -> Path:
    return Path(environ["XDG_CONFIG_HOME"]) / "inarch" / "config.toml"


def says(text: str) -> Any:
    return sse_reply([{"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}])


@pytest.fixture
def service(environ: dict[str, str]) -> Iterator[HttpServer]:
    """OpenRouter, at an address that does not look like this machine's."""
    with HttpServer([says("fine")] * 4) as server:
        file = config_of(environ)
        file.parent.mkdir(parents=True)
        file.write_text(f'[plugins.openrouter]\nbase_url = "{server.url.replace("127.0.0.1", "0.0.0.0")}/v1"\n')
        yield server


@pytest.mark.parametrize("words", [(), ("--quiet",), ("--output", "json"), ("--output", "jsonl")], ids=" ".join)
def test_the_first_line_says_which_service_is_used_for_the_first_time(
    cli: Run, service: HttpServer, words: tuple[str, ...]
) -> None:
    first = cli(*words, "hi there", OPENROUTER_API_KEY=OPENROUTER)
    assert first.returncode == 0, first.stderr
    said = first.stdout if "jsonl" in words else first.stderr.splitlines()[0]  # there each note is an event
    assert "first use of OpenRouter: your prompts and the files it reads go to 0.0.0.0; " in said
    assert "openrouter/openrouter/auto, price unknown" in said and OPENROUTER not in first.stdout + first.stderr
    again = cli(*words, "hi there", OPENROUTER_API_KEY=OPENROUTER)
    assert "first use" not in again.stdout + again.stderr and len(service.requests) >= 2


def test_without_a_key_the_first_line_says_how_to_have_a_model(cli: Run) -> None:
    done = cli("what is in README.md")
    assert done.stdout.splitlines()[0].endswith("Set a key such as OPENAI_API_KEY for a model.")
    assert "first use" not in done.stderr


def test_doctor_and_check_say_what_auto_takes_and_why(cli: Run, environ: dict[str, str]) -> None:
    environ |= KEYS
    model = f"openai/{proposed('openai').model}"
    said = cli("doctor").stdout
    assert f"auto means {model}: OPENAI_API_KEY is set" in said
    assert "keys: OPENAI_API_KEY, MISTRAL_API_KEY" in said and KEYS["MISTRAL_API_KEY"] not in said
    found = json.loads(cli("models", "check", "--json", "offline").stdout)
    assert found["auto"] == {"model": model, "why": "OPENAI_API_KEY is set"} and found["notes"] == []


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"GOOGLE_API_KEY": "AIza-none-0123", "GEMINI_API_KEY": "AIza-none-0124"}, "GOOGLE_API_KEY is used"),
        ({"OPENAI_API_KEY": "sk-ant-none-0123456789"}, "OPENAI_API_KEY holds a key of Anthropic (put it into ANTHR"),
        ({"ANTHROPIC_API_KEY": OPENROUTER}, "ANTHROPIC_API_KEY holds a key of OpenRouter (put it into OPENROUTER"),
    ],
)
def test_what_is_odd_about_keys_is_said_without_them(cli: Run, keys: dict[str, str], said: str) -> None:
    doctor, check = cli("doctor", **keys), cli("models", "check", "offline", **keys)
    assert said in doctor.stdout and said in check.stdout
    assert not any(key in run.stdout + run.stderr for run in (doctor, check) for key in keys.values())


def test_a_model_that_retires_is_told_by_doctor_and_check(cli: Run, environ: dict[str, str]) -> None:
    environ |= KEYS
    said = f"openai/gpt-5.1-codex has retired on 2026-07-23 (take openai/{proposed('openai').model})"
    assert said in cli("doctor", "--model", "openai/gpt-5.1-codex").stdout
    assert said in cli("models", "check", "--model", "openai/gpt-5.1-codex", "offline").stdout


def test_a_model_is_written_into_the_profile_and_nothing_else_changes(cli: Run, environ: dict[str, str]) -> None:
    file = config_of(environ)
    assert "profile default asks openai/gpt-6.2-sol" in cli("config", "model", "gpt-6.2-sol", **KEYS).stdout
    assert tomllib.loads(file.read_text()) == {"profiles": {"default": {"model": "openai/gpt-6.2-sol"}}}
    file.write_text('# mine\nprofile = "own"\n\n[profiles.own]  # why\nmodel = "auto"  # for now\nmax_seconds = 9\n')
    assert "profile own asks offline" in cli("config", "model", "offline").stdout
    assert file.read_text() == (
        '# mine\nprofile = "own"\n\n[profiles.own]  # why\nmodel = "offline"  # for now\nmax_seconds = 9\n'
    )
    assert "profile own asks offline already" in cli("config", "model", "offline").stdout


@pytest.mark.parametrize(
    ("model", "why"),
    [
        ("gpt-6.2-sol", "openai needs a key: OPENAI_API_KEY is not set"),
        ("claude-sonnet-5-5", "anthropic needs a key: ANTHROPIC_API_KEY is not set"),
        ("gemini", "_API_KEY"),
        ("kimi-k3", "several providers know a model 'kimi-k3' (name litellm/moonshot/kimi-k3 or "),
        ("nobody/x", "no plugin provides the model 'nobody/x'"),
        ("two words", "'two words' is not a model"),
        ("a\x1b[31m", "is not a model"),
        ("", "'' is not a model"),
    ],
)
def test_a_model_that_can_not_be_asked_is_not_written(cli: Run, environ: dict[str, str], model: str, why: str) -> None:
    done = cli("config", "model", model)
    assert done.returncode == 2 and why in done.stderr and "\x1b" not in done.stderr
    assert not config_of(environ).exists()


def test_what_a_service_of_several_variables_lacks_is_told_where_it_is_chosen_and_by_doctor(cli: Run) -> None:
    said = "takes AZURE_API_KEY, AZURE_API_BASE and AZURE_API_VERSION (not set: AZURE_API_BASE, AZURE_API_VERSION)"
    chosen = cli("config", "model", "litellm/azure/gpt-6", AZURE_API_KEY="none-0123456789abcdef")
    assert chosen.returncode == 0 and said in chosen.stderr
    assert said in cli("doctor", AZURE_API_KEY="none-0123456789abcdef").stdout

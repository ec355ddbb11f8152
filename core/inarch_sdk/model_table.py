"""Models that Inarch proposes: a dated table of services, in the order in which `auto` tries their keys.

`tox -e release` fails when a proposed name retires within `NOTICE_DAYS` or was seen more than `STALE_DAYS` ago. To
update the table, read each service's page of models, correct the rows and set `seen` to that day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal

from inarch.contract.errors import ProviderError
from inarch.contract.frozen import frozen
from inarch.contract.records import Price

NOTICE_DAYS = 30
"""Days before retirement from which a model is not proposed."""
STALE_DAYS = 90
"""Days after which a name must be checked again."""


@frozen
class ProposedModel:
    """Model of a service on the day `seen`.

    Args:
        name: The service's name for it, without a provider.
        seen: The day on which the service or a list of its models was last checked.
        retires: The day on which the service stops serving it; None if none is announced.
        context_tokens: Maximum tokens of input.
        output_tokens: Maximum tokens of output.
        price: US dollars for a million tokens; None if it varies or is unknown.
    """

    name: str
    seen: date
    retires: date | None = None
    context_tokens: int | None = None
    output_tokens: int | None = None
    price: Price | None = None


@frozen
class ProposedService:
    """Service with a key, and the models that Inarch uses by default.

    Args:
        name: The service's name.
        title: Its name for people.
        provider: The provider of its models: `PROVIDER`, or `PROVIDER/SERVICE`.
        keys: Variables that may hold its key, each with a rank: `auto` uses the set variable of the lowest rank.
        model: The model for coding.
        decision_model: A cheap model for decisions.
        models: Data of these and other models of the service.
        key_begins: The prefix of its keys, "" if other services' keys may share it.
    """

    name: str
    title: str
    provider: str
    keys: tuple[tuple[str, int], ...]
    model: str
    decision_model: str
    models: tuple[ProposedModel, ...] = ()
    key_begins: str = ""

    def find(self, name: str) -> ProposedModel | None:
        """Return the data of a model, None if it is unknown."""
        return next((one for one in self.models if one.name == name), None)

    def key_fault(self, variable: str, key: str, remedy: str, *, is_own: bool) -> ProviderError | None:
        """Return why a key cannot work, None if it may.

        Args:
            variable: The variable that holds it.
            key: The key, "" if there is none.
            remedy: Where to get one.
            is_own: Whether it is sent to the service's own address; gateways have their own keys.
        """
        if not key:
            return ProviderError("auth", f"{self.name} needs a key: {variable} is not set", remedy=remedy)
        other = misplaced(variable, key) if is_own else None
        if other is not None:
            message = f"{variable} holds a key of {other.title} ({other.key_begins}…)"
            return ProviderError("auth", message, remedy=f"store it in {other.keys[0][0]}, or {remedy}", was_sent=False)
        if is_own and self.key_begins and key.startswith("sk-") and not key.startswith(self.key_begins):
            message = f"{variable} does not hold a key of {self.title}: those begin with {self.key_begins}"
            return ProviderError("auth", message, remedy=remedy, was_sent=False)
        return None

    @property
    def proposals(self) -> Iterator[ProposedModel]:
        """The rows of the proposed models: for coding and for decisions."""
        names = dict.fromkeys((self.model, self.decision_model))
        return (one for one in self.models if one.name in names)


def proposed(service: str) -> ProposedService:
    """Return the row of a service, such as `openai`.

    Raises:
        KeyError: The table does not have it.
    """
    return _BY_NAME[service]


def service_of(full_name: str) -> ProposedService | None:
    """Return the service of `PROVIDER/NAME`, None if the table does not have it."""
    return next((one for one in SERVICES if full_name.startswith(f"{one.provider}/")), None)


def proposed_model(full_name: str) -> ProposedModel | None:
    """Return the row of `PROVIDER/NAME`, None if the table does not have it."""
    service = service_of(full_name)
    return None if service is None else service.find(full_name.removeprefix(f"{service.provider}/"))


_FAMILIES = dict.fromkeys(("claude", "opus", "sonnet", "haiku"), "anthropic") | {"gpt": "openai", "gemini": "gemini"}


def family_model(word: str, environ: Mapping[str, str]) -> str:
    """Return `PROVIDER/NAME` of the newest model of a family, such as `claude` or `opus`; "" if it is not one.

    The maker's own service comes first, then others. One whose key is set comes before those without.
    """
    maker = _FAMILIES.get(word)
    own = [one for one in SERVICES if one.name == maker]
    keyed = [one for one in SERVICES if any(environ.get(name, "").strip() for name, _ in one.keys)]
    for service in (*sorted(keyed, key=lambda one: one not in own), *own) if maker else ():
        for model in service.models:  # the newest of a service is first
            if word in re.split(r"[^a-z]+", model.name) and "-oss" not in model.name:
                return f"{service.provider}/{model.name}"
    return ""


def misplaced(variable: str, key: str) -> ProposedService | None:
    """Return the other service whose key a variable holds, as far as the key's prefix shows."""
    own = next((one for one in SERVICES if any(variable == name for name, _ in one.keys)), None)
    whose = next((one for one in SERVICES if one.key_begins and key.startswith(one.key_begins)), None)
    return whose if own is not None and whose is not own else None


def table_faults(today: date) -> list[str]:
    """Return a sentence for each proposed name that retires soon or was not checked for too long."""
    faults = []
    for service in SERVICES:
        for model in service.proposals:
            name = f"{service.provider}/{model.name}"
            if model.retires is not None and model.retires <= today + timedelta(days=NOTICE_DAYS):
                faults.append(f"{name} retires on {model.retires}")
            if model.seen < today - timedelta(days=STALE_DAYS):
                faults.append(f"{name} was last seen on {model.seen}")
    return faults


def _price(into: str, out: str, cached: str = "", written: str = "", above: tuple[int, Price] | None = None) -> Price:
    read, kept = (Decimal(text) if text else None for text in (cached, written))
    return Price(Decimal(into), Decimal(out), read, above, kept)


_NOV = date(2026, 11, 28)
_K = 1_000
_LONG = 272 * _K  # OpenAI charges twice the input price and 1.5 times the output price beyond, developers.openai.com


# OpenAI: developers.openai.com, pages of models and deprecations, Nov 2026. The cached price of 6.2 is unpublished;
# this is the one of 6.1. Cache writes cost 1.25 times as much from 5.6 on.
_OPENAI = (
    ProposedModel("gpt-6.2-sol", _NOV, None, 922 * _K, 128 * _K,
                  _price("2", "10", "0.10", "2.5", (_LONG, _price("4", "15", "0.20", "5")))),
    ProposedModel("gpt-6.2-astra", _NOV, None, 922 * _K, 128 * _K,
                  _price("8", "40", above=(_LONG, _price("16", "60")))),
    ProposedModel("gpt-6.1-sol", _NOV, None, 922 * _K, 128 * _K,
                  _price("2", "10", "0.10", "2.5", (_LONG, _price("4", "15", "0.20", "5")))),
    ProposedModel("gpt-6.1-terra", _NOV, None, 922 * _K, 128 * _K,
                  _price("1", "5", "0.05", "1.25", (_LONG, _price("2", "7.5", "0.10", "2.5")))),
    ProposedModel("gpt-6-luna", _NOV, None, 922 * _K, 128 * _K,
                  _price("0.10", "0.50", "0.01", "0.125", (_LONG, _price("0.20", "0.75", "0.02", "0.25")))),
    ProposedModel("gpt-5", _NOV, date(2026, 12, 11)),
    ProposedModel("gpt-5-mini", _NOV, date(2026, 12, 11)),
    ProposedModel("gpt-5-nano", _NOV, date(2026, 12, 11)),
    ProposedModel("o3", _NOV, date(2026, 12, 11)),
    ProposedModel("gpt-4o", _NOV, date(2027, 1, 14)),
    ProposedModel("gpt-4.1", _NOV, date(2027, 1, 14)),
    ProposedModel("gpt-5.1", _NOV, date(2027, 4, 1)),
    ProposedModel("gpt-5.4-nano", _NOV, date(2027, 4, 1)),
    ProposedModel("gpt-5.1-codex", _NOV, date(2026, 7, 23)),
)  # fmt: skip

# Anthropic: platform.claude.com, models, pricing and deprecations, Nov 2026. Writes to the 5-minute cache cost 1.25
# times as much. Reads cost 1/20 with 5.5, 1/40 with Fable and 1/10 with Haiku.
_ANTHROPIC = (
    ProposedModel("claude-sonnet-5-5", _NOV, None, 1_000 * _K, 128 * _K, _price("2", "10", "0.10", "2.5")),
    ProposedModel("claude-opus-5-5", _NOV, None, 1_000 * _K, 128 * _K, _price("4", "20", "0.20", "5")),
    ProposedModel("claude-fable-5-2", _NOV, None, 1_000 * _K, 128 * _K, _price("8", "40", "0.20", "10")),
    ProposedModel("claude-haiku-5-5", _NOV, None, 1_000 * _K, 128 * _K,
                  _price("0.10", "0.50", "0.01", "0.125", (100 * _K, _price("0.50", "2.50", "0.05", "0.625")))),
    ProposedModel("claude-sonnet-4-5", _NOV, date(2026, 11, 30)),
    ProposedModel("claude-opus-4-5", _NOV, date(2027, 1, 22)),
)  # fmt: skip

# Google: ai.google.dev, changelog, pricing and deprecations, Oct 2026. Google moves aliases. Prices of Flash are valid
# until 31 Dec 2026, of 4 Argon from 1 Dec 2026 (half as much before).
_GEMINI = (
    ProposedModel("gemini-flash-latest", _NOV, None, 1_048_576, 65_536, _price("0.75", "3.75", "0.075")),
    ProposedModel("gemini-3.5-flash-lite", _NOV, None, 1_048_576, 65_536, _price("0.30", "2.50", "0.03")),
    ProposedModel("gemini-flash-lite-latest", _NOV, None, 1_048_576, 65_536, _price("0.30", "2.50", "0.03")),
    ProposedModel("gemini-4-argon", _NOV, None, 1_048_576, 65_536, _price("4", "20", "0.20")),
    ProposedModel("gemini-3.8-flash", _NOV, None, 1_048_576, 65_536, _price("0.75", "3.75", "0.075")),
    ProposedModel("gemini-2.5-pro", _NOV, date(2026, 12, 1)),
    ProposedModel("gemini-2.5-flash", _NOV, date(2026, 12, 1)),
)

# OpenRouter: openrouter.ai, Nov 2026; the price of `auto` is that of the chosen model.
_OPENROUTER = (
    ProposedModel("openrouter/auto", _NOV),
    ProposedModel("~anthropic/claude-sonnet-latest", _NOV),
    ProposedModel("anthropic/claude-sonnet-5.5", _NOV, None, 1_000 * _K, 128 * _K, _price("2", "10", "0.10", "2.5")),
    ProposedModel("google/gemini-3.5-flash-lite", _NOV, None, 1_048_576, 65_536, _price("0.30", "2.50", "0.03")),
)

# DeepSeek: api-docs.deepseek.com, pricing, Oct 2026; daytime price, half of it at other hours.
_DEEPSEEK = (
    ProposedModel("deepseek-v4-pro", _NOV, None, 1_000 * _K, 384 * _K, _price("1.32", "3.96", "0.044")),
    ProposedModel("deepseek-flash", _NOV, None, 1_000 * _K, 384 * _K, _price("0.30", "1.20", "0.006")),
    ProposedModel("deepseek-chat", _NOV, date(2026, 7, 24)),
    ProposedModel("deepseek-reasoner", _NOV, date(2026, 7, 24)),
)

# The others: LiteLLM 1.110.2's table, Nov 2026.
_XAI = (
    ProposedModel("grok-4.7", _NOV, None, 500 * _K, 500 * _K,
                  _price("2", "6", "0.50", above=(200 * _K, _price("4", "12", "1")))),
    ProposedModel("grok-4.3", _NOV, None, 1_000 * _K, 1_000 * _K,
                  _price("1.25", "2.50", "0.20", above=(200 * _K, _price("2.50", "5", "0.40")))),
    ProposedModel("grok-code-fast-1", _NOV, date(2026, 5, 15)),
    ProposedModel("grok-4", _NOV, date(2026, 5, 15)),
    ProposedModel("grok-3", _NOV, date(2026, 5, 15)),
)  # fmt: skip
_MISTRAL = (
    ProposedModel("devstral-latest", _NOV, None, 256 * _K, 256 * _K, _price("0.40", "2", "0.04")),
    ProposedModel("mistral-small-latest", _NOV, None, 262_144, 262_144, _price("0.15", "0.60", "0.015")),
)
_GROQ = (
    ProposedModel("openai/gpt-oss-120b", _NOV, None, 131_072, 65_536, _price("0.15", "0.60", "0.075")),
    ProposedModel("openai/gpt-oss-20b", _NOV, None, 131_072, 65_536, _price("0.075", "0.30", "0.0375")),
)


def _hosted(
    name: str, title: str, variable: str, rank: int, model: str, price: Price, context: int | None = None
) -> ProposedService:
    """Return a service with one proposed model, through LiteLLM."""
    row = ProposedModel(model, _NOV, None, context, None, price)
    return ProposedService(name, title, f"litellm/{name}", ((variable, rank),), model, model, (row,))


_GLM = _price("1.40", "4.40", "0.26")
_KIMI = _price("3", "15", "0.30")
_QWEN = _price("2", "6", "0.25")

# Users of GEMINI_API_KEY or OPENROUTER_API_KEY keep these: earlier versions knew only them, followed by the user's own
# server (rank 30, see pyproject.toml). GOOGLE_API_KEY comes later, because many have it for other services.
# OPENAI_CHATGPT_TOKEN represents a sign-in with ChatGPT.
SERVICES = (
    ProposedService("gemini", "Google Gemini", "gemini", (("GEMINI_API_KEY", 10), ("GOOGLE_API_KEY", 60)),
                    "gemini-flash-latest", "gemini-3.5-flash-lite", _GEMINI, "AIza"),
    ProposedService("openrouter", "OpenRouter", "openrouter", (("OPENROUTER_API_KEY", 20),),
                    "openrouter/auto", "google/gemini-3.5-flash-lite", _OPENROUTER, "sk-or-"),
    ProposedService("openai", "OpenAI", "openai", (("OPENAI_API_KEY", 40), ("OPENAI_CHATGPT_TOKEN", 45)),
                    "gpt-6.2-sol", "gpt-6-luna", _OPENAI),
    ProposedService("anthropic", "Anthropic", "anthropic", (("ANTHROPIC_API_KEY", 50),),
                    "claude-sonnet-5-5", "claude-haiku-5-5", _ANTHROPIC, "sk-ant-"),
    ProposedService("deepseek", "DeepSeek", "litellm/deepseek", (("DEEPSEEK_API_KEY", 110),),
                    "deepseek-v4-pro", "deepseek-flash", _DEEPSEEK),
    ProposedService("xai", "xAI", "litellm/xai", (("XAI_API_KEY", 120),), "grok-4.7", "grok-4.3", _XAI, "xai-"),
    ProposedService("mistral", "Mistral", "litellm/mistral", (("MISTRAL_API_KEY", 130),),
                    "devstral-latest", "mistral-small-latest", _MISTRAL),
    ProposedService("groq", "Groq", "litellm/groq", (("GROQ_API_KEY", 140),),
                    "openai/gpt-oss-120b", "openai/gpt-oss-20b", _GROQ, "gsk_"),
    _hosted("moonshot", "Kimi", "MOONSHOT_API_KEY", 150, "kimi-k3", _KIMI, 1_048_576),
    _hosted("dashscope", "Qwen", "DASHSCOPE_API_KEY", 160, "qwen3.8-max", _QWEN, 991_808),
    _hosted("qwencloud", "Qwen Cloud", "QWENCLOUD_API_KEY", 170, "qwen3.8-max", _QWEN, 991_808),
    _hosted("qwen_ai_platform", "Qwen AI Platform", "QWEN_AI_PLATFORM_API_KEY", 180, "qwen3.8-max", _QWEN, 991_808),
    _hosted("cerebras", "Cerebras", "CEREBRAS_API_KEY", 190, "gpt-oss-120b", _price("0.35", "0.75"), 131_072),
    _hosted("together_ai", "Together", "TOGETHERAI_API_KEY", 200, "zai-org/GLM-5.3", _GLM, 1_048_575),
    _hosted("fireworks_ai", "Fireworks", "FIREWORKS_AI_API_KEY", 210, "glm-5p3", _GLM, 1_048_576),
    _hosted("perplexity", "Perplexity", "PERPLEXITYAI_API_KEY", 220, "anthropic/claude-sonnet-5-5",
            _price("2", "10", "0.10")),
    _hosted("deepinfra", "DeepInfra", "DEEPINFRA_API_KEY", 230, "zai-org/GLM-5.2", _price("0.75", "2.40", "0.14"),
            1_048_576),
    _hosted("nebius", "Nebius", "NEBIUS_API_KEY", 240, "zai-org/GLM-5.3", _GLM, 1_024_000),
    _hosted("baseten", "Baseten", "BASETEN_API_KEY", 250, "moonshotai/Kimi-K3", _KIMI, 1_048_576),
    _hosted("novita", "Novita", "NOVITA_API_KEY", 260, "moonshotai/kimi-k3", _KIMI, 1_048_576),
    _hosted("tencent", "Tencent", "TENCENT_API_KEY", 270, "glm-5.3", _GLM, 1_000_000),
    _hosted("volcengine", "Volcengine", "VOLCENGINE_API_KEY", 280, "doubao-seed-2-1-pro-260915",
            _price("0.8625", "4.3125", "0.1725"), 1_024_000),
    _hosted("inception", "Inception", "INCEPTION_API_KEY", 290, "mercury-2.5", _price("0.20", "0.75", "0.02"),
            260_000),
    _hosted("wandb", "Weights & Biases", "WANDB_API_KEY", 300, "zai-org/GLM-5.3-Flash",
            _price("0.12", "0.38", "0.02"), 1_049_000),
    _hosted("replicate", "Replicate", "REPLICATE_API_KEY", 310, "openai/gpt-oss-120b", _price("0.18", "0.72")),
)  # fmt: skip
"""The services, in the order of their first key's rank."""

_BY_NAME = {service.name: service for service in SERVICES}

"""Services whose key is in one variable, and its name; `inarch.ready` offers these."""

from __future__ import annotations

import os
from collections.abc import Mapping

WITH_KEY = frozenset({
    "anthropic", "baseten", "cerebras", "dashscope", "deepinfra", "deepseek", "fireworks_ai", "groq", "inception",
    "mistral", "moonshot", "nebius", "novita", "openai", "perplexity", "qwen_ai_platform", "qwencloud", "replicate",
    "tencent", "together_ai", "vercel_ai_gateway", "volcengine", "wandb", "xai",
})  # fmt: skip
"""Services that refuse requests without the key; the library handles others, because it knows more ways to log in."""
SEVERAL = {
    "azure": ("AZURE_API_KEY", "AZURE_API_BASE", "AZURE_API_VERSION"),
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION_NAME"),
    "cloudflare": ("CLOUDFLARE_API_KEY", "CLOUDFLARE_API_BASE"),
    "sagemaker": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION_NAME"),
    "vertex_ai": ("VERTEXAI_PROJECT", "VERTEXAI_LOCATION"),
}
"""Services with several variables; each has other ways to log in, such as a profile or a role of the machine."""
_OWN_NAMES = {"perplexity": "PERPLEXITYAI_API_KEY", "together_ai": "TOGETHERAI_API_KEY"}
_INSTEAD = {
    "anthropic": "ANTHROPIC_AUTH_TOKEN ANTHROPIC_IDENTITY_TOKEN",
    "fireworks_ai": "FIREWORKS_API_KEY FIREWORKSAI_API_KEY FIREWORKS_AI_TOKEN",
    "mistral": "MISTRAL_AZURE_API_KEY",
    "perplexity": "PERPLEXITY_API_KEY",
    "replicate": "REPLICATE_API_TOKEN",
    "together_ai": "TOGETHER_API_KEY TOGETHER_AI_API_KEY TOGETHER_AI_TOKEN",
    "vercel_ai_gateway": "VERCEL_OIDC_TOKEN",
}
"""Variables that the library also reads by itself, from the environment of the process."""


def variable_of(service: str) -> str:
    """Return the variable that holds a service's key."""
    return _OWN_NAMES.get(service) or f"{service.upper().replace('-', '_')}_API_KEY"


def several_of(service: str, environ: Mapping[str, str]) -> str:
    """Return the service's variables and which are not set; "" if all are, or it takes one."""
    wanted = SEVERAL.get(service, ())
    missing = [name for name in wanted if not environ.get(name, "").strip()]
    return f"takes {', '.join(wanted[:-1])} and {wanted[-1]} (not set: {', '.join(missing)})" if missing else ""


def missing_of(service: str, environ: Mapping[str, str]) -> str:
    """Return the missing variable of a service's key; "" if one is set, or none is needed."""
    variable, instead = variable_of(service), _INSTEAD.get(service, "").split()
    is_there = environ.get(variable, "").strip() or any(os.environ.get(name, "").strip() for name in instead)
    return "" if service not in WITH_KEY or is_there else variable

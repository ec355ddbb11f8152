"""What a person can choose in the editor for a session: the mode and the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acp import schema

MODES = {
    "ask": ("Ask", "Nothing that has effects runs without a question."),
    "edits": ("Edits", "Edits of files run without a question, everything else that has effects is asked about."),
    "all": ("All", "Everything that the policy does not deny runs without a question."),
    "plan": ("Plan", "Nothing that has effects runs until you approve a plan."),
    "none": ("Read only", "Nothing that has effects runs."),
}


def choices(reads_only: bool) -> dict[str, tuple[str, str]]:
    """Return the modes that an editor can choose: where the command was started to read only, no other."""
    return {"none": MODES["none"]} if reads_only else MODES


def modes(current: str, offered: Mapping[str, tuple[str, str]]) -> schema.SessionModeState:
    """Return the modes as the protocol's own list of them."""
    return schema.SessionModeState(
        current_mode_id=current,
        available_modes=[
            schema.SessionMode(id=mode, name=name, description=words) for mode, (name, words) in offered.items()
        ],
    )


def config_options(
    mode: str, offered: Mapping[str, tuple[str, str]], model: str, models: Sequence[str]
) -> list[schema.SessionConfigOptionSelect]:
    """Return mode and model as options of the session.

    Args:
        mode: The mode that holds.
        offered: Those that can be chosen.
        model: The model that is asked.
        models: Those that are offered.
    """
    return [
        _option("mode", "Mode", mode, [(key, *words) for key, words in offered.items()]),
        _option("model", "Model", model, [(name, name, None) for name in dict.fromkeys([model, *models])]),
    ]


def _option(
    key: str, name: str, current: str, offered: Sequence[tuple[str, str, str | None]]
) -> schema.SessionConfigOptionSelect:
    return schema.SessionConfigOptionSelect(
        type="select",
        id=key,
        name=name,
        category="mode" if key == "mode" else "model",
        current_value=current,
        options=[
            schema.SessionConfigSelectOption(value=value, name=label, description=words)
            for value, label, words in offered
        ],
    )

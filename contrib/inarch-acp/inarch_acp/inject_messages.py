"""Messages of the draft `session/inject`, which the library of the protocol does not have yet."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from inarch_acp.prompts import Block


class _Message(BaseModel):
    model_config = ConfigDict(populate_by_name=True)


class InjectRequest(_Message):
    """Words for the prompt that is being answered: they go in before the next request to the model."""

    session_id: str = Field(alias="sessionId")
    content: list[Block]
    mode: Literal["steer"] = "steer"


class Injected(_Message):
    """They wait; `message_id` takes them back, and is that of the `user_message_chunk` with which they go in."""

    message_id: str = Field(alias="messageId")


class RevokeRequest(_Message):
    """Take back words that wait."""

    session_id: str = Field(alias="sessionId")
    message_id: str = Field(alias="messageId")

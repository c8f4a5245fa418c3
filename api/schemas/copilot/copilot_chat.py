"""Request model for a question to the copilot."""

from typing import Annotated, Final

from pydantic import AfterValidator, ConfigDict, Field, JsonValue, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.copilot.question import (
    MAX_MESSAGE,
    MAX_MESSAGES,
    CopilotMessage,
    CopilotQuestion,
    Speaker,
)
from domain.core.plain_text import clean_text

_EXAMPLE: Final[dict[str, JsonValue]] = {
    "messages": [{"role": "user", "content": "Qui attend depuis le plus longtemps ?"}]
}
# `clean_text` removes these characters.
_UNSEEN: Final = (
    r"\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff"
)


def _says_something(text: str) -> str:
    plain = clean_text(text)
    if not plain:
        raise ValueError("content: at least one visible character expected")
    return plain


class CopilotChatMessage(StrictBody):
    role: Annotated[Speaker, Field(strict=False)]
    content: Annotated[
        str,
        Field(min_length=1, max_length=MAX_MESSAGE),
        AfterValidator(_says_something),
        WithJsonSchema(
            {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_MESSAGE,
                "pattern": rf"^[^\x00]*[^\s{_UNSEEN}][^\x00]*$",
            }
        ),
    ]


def _ends_with_the_user(messages: tuple[CopilotChatMessage, ...]) -> tuple[CopilotChatMessage, ...]:
    if messages and messages[-1].role is not Speaker.USER:
        raise ValueError("messages: the last one must be the user's")
    return messages


class CopilotChatBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    client_id: str | None = Field(
        default=None, description="ULID of the client; defaults to the caller's default client."
    )
    messages: Annotated[
        tuple[CopilotChatMessage, ...],
        Field(
            strict=False,
            min_length=1,
            max_length=MAX_MESSAGES,
            description=(
                "Messages of the conversation, in order. The last message is the user's question."
            ),
        ),
        # The validator must follow the length limits. Otherwise, the OpenAPI document would omit
        # them.
        AfterValidator(_ends_with_the_user),
    ]

    @property
    def question(self) -> CopilotQuestion:
        return CopilotQuestion(
            tuple(CopilotMessage(one.role, one.content) for one in self.messages)
        )

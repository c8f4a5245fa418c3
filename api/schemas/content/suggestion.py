"""Request and response models for the dashboard's suggestion routes."""

from typing import Annotated

from pydantic import BaseModel, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.agent.brain import Language
from domain.content.content import MAX_BODY, MAX_LINE, KnowledgeChange
from domain.content.suggestion import Suggestion

# The texts are validated in domain/content/content.py because the errors raised there name the
# problem.
_Line = Annotated[
    str, WithJsonSchema({"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_LINE})
]
_Body = Annotated[
    str, WithJsonSchema({"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_BODY})
]


class AcceptSuggestionBody(StrictBody):
    """The member's edits of a suggested knowledge entry. They do not apply to a template."""

    title: _Line | None = Field(
        default=None, description="Title of the entry; null keeps the suggested title."
    )
    body: _Body | None = Field(
        default=None, description="Text of the entry; null keeps the suggested text."
    )
    language: Language | None = Field(
        default=None, description="Language of the text; null keeps the suggested language."
    )

    @property
    def edit(self) -> KnowledgeChange:
        return KnowledgeChange(title=self.title, body=self.body, language=self.language)


class RefuseSuggestionBody(StrictBody):
    pass


class SuggestionPage(BaseModel):
    suggestions: tuple[Suggestion, ...] = Field(description="Suggestions, oldest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")

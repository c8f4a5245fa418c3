"""Request and response models for the dashboard's suggestion routes."""

from pydantic import BaseModel, Field

from api.schemas.core.strict_body import StrictBody
from domain.content.suggestion import Suggestion


class AcceptSuggestionBody(StrictBody):
    pass


class RefuseSuggestionBody(StrictBody):
    pass


class SuggestionPage(BaseModel):
    suggestions: tuple[Suggestion, ...] = Field(description="Suggestions, oldest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")

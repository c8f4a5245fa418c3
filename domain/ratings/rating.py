"""A rating: a customer's score for the answer to one message, with an optional comment."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.core.errors import InvalidInput
from domain.core.plain_text import clean_text

LEAST: Final = 1
MOST: Final = 5
MAX_COMMENT: Final = 1_000
"""Maximum length of a rating's comment, in characters."""


class RatingChannel(StrEnum):
    MAIL = "mail"
    WIDGET = "widget"


@dataclass(frozen=True, slots=True)
class GivenRating:
    """A rating in its stored form. `score` is an integer from LEAST (bad) to MOST (good)."""

    score: int
    comment: str | None = None


class Rating(BaseModel):
    """A customer's rating for the answer of one run. The customer can change it for a limited
    time."""

    model_config = ConfigDict(frozen=True)

    id: str
    run_id: str
    score: int = Field(ge=LEAST, le=MOST)
    comment: str | None
    channel: RatingChannel
    created_at: datetime
    updated_at: datetime | None


def checked_rating(score: int, comment: str | None = None) -> GivenRating:
    """Return the rating in its stored form, in which a blank comment is None. Raises
    InvalidInput."""
    if not LEAST <= score <= MOST:
        raise InvalidInput(f"score: {LEAST} to {MOST} expected")
    words = clean_text(comment or "", 2 * MAX_COMMENT)
    if len(words) > MAX_COMMENT:
        raise InvalidInput(f"comment: {MAX_COMMENT} characters at most")
    return GivenRating(score, words or None)

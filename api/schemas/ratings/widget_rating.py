"""Request model for a rating from the widget."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.widget.session_messages import MAX_NUMBER
from domain.ratings.rating import LEAST, MAX_COMMENT, MOST
from domain.widget.widget_session import MAX_TOKEN


class WidgetRatingBody(BaseModel):
    """A visitor's rating of an answer. `number` is the number of the rated message within the
    session."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "examples": [{"session_id": "the token of the session", "number": 2, "score": 5}]
        },
    )

    session_id: Annotated[str, Field(max_length=MAX_TOKEN)]
    number: Annotated[int, Field(strict=True, ge=0, le=MAX_NUMBER)]
    score: Annotated[
        int, Field(strict=True, ge=LEAST, le=MOST, description="Rating from 1 (bad) to 5 (good).")
    ]
    comment: Annotated[str, Field(max_length=MAX_COMMENT, pattern=r"^[^\x00]*$")] | None = None

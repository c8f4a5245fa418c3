"""A labelled example: a customer's message with a category and intent assigned by a user."""

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent

MAX_EXAMPLES: Final = 10_000
"""Maximum number of labelled examples per client."""


class LabelledExample(BaseModel):
    """A customer's message with the category and intent that a user assigned. Personal data in
    `text` and `answer` is replaced. The example is erased with the customer of its run."""

    model_config = ConfigDict(frozen=True)

    id: str
    run_id: str | None = Field(
        description="Id of the run from which the example was created. Null if the run is unknown."
    )
    text: str = Field(description="Text of the customer's message, with personal data replaced.")
    answer: str | None = Field(
        default=None,
        description=(
            "Text that a human agent sent, with personal data replaced. Null if it is unknown."
        ),
    )
    language: Language
    classification: Category = Field(description="Category that a user assigned to the message.")
    intent: Intent | None = Field(
        description=("Intent that a user assigned to the message. Null if there is none.")
    )
    labelled_by: str
    created_at: datetime

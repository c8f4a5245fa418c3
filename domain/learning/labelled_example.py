"""The labelled example: a customer's message with the class and intent that a person gave it."""

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent

MAX_EXAMPLES: Final = 10_000
"""Of one client."""


class LabelledExample(BaseModel):
    """`text`: with the personal data replaced. `run_id`: of the run that it was made of, with whose
    customer it is erased; None of one that no run is known of."""

    model_config = ConfigDict(frozen=True)

    id: str
    run_id: str | None = Field(description="The run that it was made of.")
    text: str = Field(description="What the customer wrote, personal data replaced.")
    language: Language
    classification: Category = Field(description="The class that a person gave it.")
    intent: Intent | None = Field(description="The intent that a person gave it.")
    labelled_by: str
    created_at: datetime

"""The labelled example: a customer's message with a category and intent assigned by a person."""

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent

MAX_EXAMPLES: Final = 10_000
"""Maximum number of labelled examples of one client."""


class LabelledExample(BaseModel):
    """A labelled example. `text`: the message with personal data replaced. `run_id`: the run from
    which the example was created, or None if unknown. The example is erased together with that
    run's customer."""

    model_config = ConfigDict(frozen=True)

    id: str
    run_id: str | None = Field(description="The run that it was made of.")
    text: str = Field(description="What the customer wrote, personal data replaced.")
    language: Language
    classification: Category = Field(description="The class that a person gave it.")
    intent: Intent | None = Field(description="The intent that a person gave it.")
    labelled_by: str
    created_at: datetime

"""The labelled example: a customer's message with the category and intent that a person
assigned."""

from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent

MAX_EXAMPLES: Final = 10_000
"""The limit for one client."""


class LabelledExample(BaseModel):
    """A labelled example. `text`: with personal data replaced. `run_id`: the run that it was made
    from; it is erased with that run's customer. None if no run is known."""

    model_config = ConfigDict(frozen=True)

    id: str
    run_id: str | None = Field(description="The run that it was made of.")
    text: str = Field(description="What the customer wrote, personal data replaced.")
    language: Language
    classification: Category = Field(description="The class that a person gave it.")
    intent: Intent | None = Field(description="The intent that a person gave it.")
    labelled_by: str
    created_at: datetime

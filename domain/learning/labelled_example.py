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
    run_id: str | None = Field(
        description="Id of the run that the example was made from; null if no run is known."
    )
    text: str = Field(description="Customer's text, with personal data replaced.")
    language: Language
    classification: Category = Field(description="Category that a person assigned.")
    intent: Intent | None = Field(description="Intent that a person assigned.")
    labelled_by: str
    created_at: datetime

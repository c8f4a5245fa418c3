"""The suggestion: an addition to templates or knowledge, proposed by a client's AI assistant.

A member accepts or refuses it. Until then no brain sees it: customers' text may have led the
assistant to it.
"""

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.content.content import check_body, check_line, check_not_for, check_template_body

MAX_SUGGESTIONS: Final = 200
"""The most undecided suggestions of one client."""

MAX_REASON: Final = 1_000
"""The most characters of the reason."""


class SuggestedEntry(BaseModel):
    """A suggested knowledge entry. Content that no entry may have raises InvalidContent."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["knowledge"] = "knowledge"
    title: Annotated[str, AfterValidator(lambda text: check_line("title", text))]
    body: Annotated[str, AfterValidator(check_body)]
    language: Language


class SuggestedTemplate(BaseModel):
    """A suggested template. Content that no template may have raises InvalidContent."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["template"] = "template"
    name: Annotated[str, AfterValidator(lambda text: check_line("name", text))]
    category: Category
    language: Language
    body: Annotated[str, AfterValidator(check_template_body)]
    intent: Intent | None = None
    not_for: Annotated[tuple[str, ...], AfterValidator(check_not_for)] = ()


Suggested = Annotated[SuggestedEntry | SuggestedTemplate, Field(discriminator="kind")]


class Suggestion(BaseModel):
    """A suggestion that waits. `suggested_by`: the API key it came with."""

    model_config = ConfigDict(frozen=True)

    id: str
    proposed: Suggested = Field(description="Suggested addition.")
    reason: str = Field(description="Reason for the suggestion, as given by the assistant.")
    suggested_by: str = Field(description="Id of the API key that sent the suggestion.")
    created_at: datetime

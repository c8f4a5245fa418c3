"""A suggested template or knowledge entry, from the client's AI assistant or an imported website.

No brain uses a suggestion until a member accepts it, because customer text may have influenced it.
"""

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.content.content import check_body, check_line, check_not_for, check_template_body

MAX_SUGGESTIONS: Final = 200
"""Maximum number of pending suggestions from AI assistants per client."""

MAX_REASON: Final = 1_000
"""Maximum length of the reason for a suggestion, in characters."""


class SuggestedEntry(BaseModel):
    """A suggested knowledge entry. Raises InvalidContent for values that are invalid in a knowledge
    entry."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["knowledge"] = "knowledge"
    title: Annotated[str, AfterValidator(lambda text: check_line("title", text))]
    body: Annotated[str, AfterValidator(check_body)]
    language: Language


class SuggestedTemplate(BaseModel):
    """A suggested template. Raises InvalidContent for values that are invalid in a template."""

    model_config = ConfigDict(frozen=True)

    kind: Literal["template"] = "template"
    name: Annotated[str, AfterValidator(lambda text: check_line("name", text))]
    category: Category
    language: Language
    body: Annotated[str, AfterValidator(check_template_body)]
    intent: Intent | None = None
    not_for: Annotated[tuple[str, ...], AfterValidator(check_not_for)] = ()


Suggested = Annotated[SuggestedEntry | SuggestedTemplate, Field(discriminator="kind")]


class SameText(BaseModel):
    """An article or another pending suggestion with the same title or nearly the same text."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str


class PageSource(BaseModel):
    """The website page from which a suggestion was made."""

    model_config = ConfigDict(frozen=True)

    url: str = Field(description="Address of the page.")
    read_at: datetime = Field(description="Time when the page was read.")
    import_id: str = Field(description="Id of the import that read the page.")
    integration_id: str | None = Field(
        default=None,
        description="Id of the integration from which the page was read; null for a website.",
    )
    digest: str = Field(description="Digest of the page's title and text.")
    changes: str | None = Field(
        default=None,
        description="Id of the knowledge entry that the suggestion changes; null for a new entry.",
    )
    same_as: SameText | None = Field(
        default=None,
        description="Article or suggestion with the same title or nearly the same text.",
    )


class Suggestion(BaseModel):
    """A pending suggestion. `suggested_by`: id of the API key or member that made the
    suggestion."""

    model_config = ConfigDict(frozen=True)

    id: str
    proposed: Suggested = Field(
        description=("Template or knowledge entry that the assistant suggests.")
    )
    reason: str = Field(description="Reason for the suggestion, as given by the assistant.")
    suggested_by: str = Field(
        description="Id of the API key that submitted the suggestion, or of the importing member."
    )
    created_at: datetime
    source: PageSource | None = Field(
        default=None, description="Website page of an imported suggestion; null otherwise."
    )

"""The copilot's answer: its text, the records that support the text, and changes that the user may
make."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class CitedKind(StrEnum):
    """The kind of record or page that a citation links to."""

    RUN = "run"
    REVIEW = "review"
    CONVERSATION = "conversation"
    KNOWLEDGE = "knowledge"
    TEMPLATE = "template"
    PLAYBOOK = "playbook"
    WEBHOOK = "webhook"
    INTEGRATION = "integration"
    KEY = "key"
    MEMBER = "member"
    AUDIT = "audit"
    USAGE = "usage"
    METRICS = "metrics"
    CHURN = "churn"
    GAP = "gap"
    RUNS = "runs"
    FAILED_RUNS = "failed_runs"
    REVIEWS = "reviews"
    UNHAPPY = "unhappy"
    ARTICLES = "articles"
    VERSIONS = "versions"
    DOCUMENT = "document"


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True)


class CitedRecord(_Shown):
    """A record read by one of the copilot's tools. The link is built from the record's kind and id,
    never from text that a model wrote."""

    kind: CitedKind
    id: str = Field(description="Id of the record. For a document, the page and heading.")
    title: str = Field(description="Title of the record. The title may quote a customer.")
    url: str = Field(description="URL of the record's page in the dashboard, or of the document.")


class DraftedChange(_Shown):
    """A prepared request that the user may send in their own session. The copilot does not send
    it."""

    kind: str = Field(description="Kind of the change, such as `knowledge.add`.")
    changes: str = Field(description="Effect of the request, in one sentence.")
    method: Literal["POST", "PUT", "PATCH", "DELETE"]
    path: str = Field(
        description="Path of the API route that makes the change. The route checks the user's role."
    )
    body: dict[str, JsonValue] | None = Field(
        default=None, description="Body of the request. The user fills in its empty fields."
    )


class CopilotAnswer(_Shown):
    """The copilot's answer to a question. `text` is the answer's text, which contains only the
    links in `citations`."""

    text: str
    citations: tuple[CitedRecord, ...] = ()
    drafts: tuple[DraftedChange, ...] = ()
    can_not: str | None = Field(
        default=None, description="Reason why the copilot cannot help. Null if it can."
    )
    model: str = Field(description="Name of the language model that answered, or `embedded`.")
    notice: str | None = Field(
        default=None,
        description=(
            "Reason why the embedded copilot answered instead of a language model. Null if a "
            "language model answered or none is configured."
        ),
    )

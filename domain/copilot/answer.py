"""The copilot's answer: text, the records on which it is based, and changes that the user may
make."""

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue


class CitedKind(StrEnum):
    """The kind of record or page that a citation points to."""

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
    DOCUMENT = "document"


class _Shown(BaseModel):
    model_config = ConfigDict(frozen=True)


class CitedRecord(_Shown):
    """A record that a tool read. The link is built from the record's kind and id, never from
    text."""

    kind: CitedKind
    id: str = Field(description="Id of the record. For a document, its page and heading.")
    title: str = Field(description="Title of the record; may quote a customer.")
    url: str = Field(
        description="URL of a page of the dashboard, or of the product's documentation."
    )


class DraftedChange(_Shown):
    """A request that the user may send with their own session. The copilot has not sent it."""

    kind: str = Field(
        description="Kind of the change, as `<noun>.<verb>`, such as `knowledge.add`."
    )
    changes: str = Field(description="Effect of the request, in one sentence.")
    method: Literal["POST", "PUT", "PATCH", "DELETE"]
    path: str = Field(
        description="Path of the ordinary route, which checks the user's role itself."
    )
    body: dict[str, JsonValue] | None = Field(
        default=None, description="Body of the request. A person fills in its empty fields."
    )


class CopilotAnswer(_Shown):
    """The copilot's answer. `text`: contains no links other than those of `citations`."""

    text: str
    citations: tuple[CitedRecord, ...] = ()
    drafts: tuple[DraftedChange, ...] = ()
    can_not: str | None = Field(
        default=None, description="Reason that the copilot cannot help; null if it can."
    )
    model: str = Field(description="Name of the language model that answered, or `embedded`.")
    notice: str | None = Field(
        default=None,
        description="Reason that the embedded copilot answered instead of a language model; null "
        "if it did not.",
    )

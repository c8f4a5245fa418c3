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
    id: str = Field(description="Of the record; a document has its page and heading.")
    title: str = Field(description="May quote a customer.")
    url: str = Field(description="A page of the dashboard, or of the product's documents.")


class DraftedChange(_Shown):
    """A request that the user may send with their own session. The copilot has not sent it."""

    kind: str = Field(description="`<noun>.<what>`, as in `knowledge.add`.")
    changes: str = Field(description="What the request would change, in one sentence.")
    method: Literal["POST", "PUT", "PATCH", "DELETE"]
    path: str = Field(description="Of the ordinary route, which checks the user's role itself.")
    body: dict[str, JsonValue] | None = Field(
        default=None, description="What is empty in it is for a person to write."
    )


class CopilotAnswer(_Shown):
    """The copilot's answer. `text`: contains no links other than those of `citations`."""

    text: str
    citations: tuple[CitedRecord, ...] = ()
    drafts: tuple[DraftedChange, ...] = ()
    can_not: str | None = Field(
        default=None, description="Why it is out of the copilot's reach; null: it is not."
    )
    model: str = Field(description="Who answered: a language model's name, or `embedded`.")
    notice: str | None = Field(
        default=None, description="Why the embedded copilot answered in a model's place."
    )

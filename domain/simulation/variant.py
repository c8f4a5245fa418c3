"""A variant: the playbook, content and brain used to simulate or replay messages."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from domain.content.content import KnowledgeChange, TemplateChange
from domain.content.suggestion import SuggestedEntry, SuggestedTemplate
from domain.playbooks.playbook import PlaybookSpec
from domain.tenants.answer_decision import AnswerDecision


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class ContentVariant(_Part):
    """An unsaved change to templates or knowledge: exactly one of `added`, `template`, `knowledge`
    and `deleted`. `id` is the item to change or delete."""

    added: Annotated[SuggestedEntry | SuggestedTemplate, Field(discriminator="kind")] | None = None
    id: str | None = None
    template: TemplateChange | None = None
    knowledge: KnowledgeChange | None = None
    deleted: Literal["template", "knowledge"] | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [self.added, self.template, self.knowledge, self.deleted]
        if sum(one is not None for one in given) != 1 or (self.added is None) != bool(self.id):
            raise ValueError("one change of one entry expected")
        return self


class DraftedPlaybook(_Part):
    """An unsaved version of the playbook `playbook_id`."""

    playbook_id: str
    draft: PlaybookSpec


class Variant(_Part):
    """Overrides of the live configuration for a simulation or replay. Omitted fields keep their
    live value.

    - `playbook_id`: handles every event type, in its current version or in `version`.
    - `draft`: an unsaved playbook, which replaces `playbook_id` for its own events if both are set.
    - `others`: further playbooks replaced in the same way.
    - `threshold`: overrides the playbook's threshold.
    - `embedded_brain`: use the embedded brain even if a language model is configured.
    - `answers_from_knowledge`, `answer_decision`: override the client's settings.
    """

    playbook_id: str | None = None
    version: int | None = Field(default=None, ge=1)
    draft: PlaybookSpec | None = None
    others: tuple[DraftedPlaybook, ...] = ()
    threshold: float | None = Field(default=None, ge=0, le=1)
    content: ContentVariant | None = None
    embedded_brain: bool = False
    answers_from_knowledge: bool | None = None
    answer_decision: AnswerDecision | None = None

    def draft_of(self, playbook_id: str | None) -> PlaybookSpec | None:
        """Return the unsaved version of a playbook, or None if the variant does not replace it.
        `playbook_id` is the playbook's id, or None for a new playbook."""
        for one in self.others:
            if one.playbook_id == playbook_id:
                return one.draft
        return self.draft if playbook_id == self.playbook_id else None


LIVE = Variant()

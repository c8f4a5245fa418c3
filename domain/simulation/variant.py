"""The variant: by which playbook, content and brain a message is thought through again."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from domain.content.content import KnowledgeChange, TemplateChange
from domain.content.suggestion import SuggestedEntry, SuggestedTemplate
from domain.playbooks.playbook import PlaybookSpec


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class ContentVariant(_Part):
    """A change of templates or knowledge that is not saved. `id`: of the entry that is changed or
    taken away; `added`: a new one. Exactly one of the four is tried."""

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


class Variant(_Part):
    """What is tried in place of what is live; nothing given: what is live.

    `playbook_id`: this one, in its current version or in `version`, whatever the event's type.
    `draft`: a playbook that is not saved; with `playbook_id` it stands for that one, so that cases
    and events that fall to it are thought through by the draft. `threshold`: in place of the
    playbook's own. `embedded_brain`: think with the embedded brain though a model is configured.
    `answers_from_knowledge`: in place of the client's setting.
    """

    playbook_id: str | None = None
    version: int | None = Field(default=None, ge=1)
    draft: PlaybookSpec | None = None
    threshold: float | None = Field(default=None, ge=0, le=1)
    content: ContentVariant | None = None
    embedded_brain: bool = False
    answers_from_knowledge: bool | None = None


LIVE = Variant()

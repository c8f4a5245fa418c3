"""Request models for the dashboard routes that test a change to a template or knowledge entry
before it is saved."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from api.schemas.content.content import EntryBody, NewEntryBody, NewTemplateBody, TemplateBody
from api.schemas.core.strict_body import StrictBody
from domain.content.suggestion import SuggestedEntry
from domain.core.errors import InvalidBody
from domain.core.ids import ULID, parse_ulid
from domain.simulation.variant import ContentVariant

_Id = Annotated[str, Field(pattern=ULID)]


class _TemplatePreview(StrictBody):
    id: _Id
    change: TemplateBody


class _EntryPreview(StrictBody):
    id: _Id
    change: EntryBody


class _DeletionPreview(StrictBody):
    id: _Id
    kind: Literal["template", "knowledge"]


class ContentPreviewBody(StrictBody):
    """A content change to test before saving it. Exactly one field is required."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "maxProperties": 1,
            "examples": [
                {
                    "new_knowledge": {
                        "title": "Retours",
                        "body": "Trente jours après la réception.",
                        "language": "fr",
                    }
                }
            ],
        }
    )

    new_template: NewTemplateBody | SkipJsonSchema[None] = None
    new_knowledge: NewEntryBody | SkipJsonSchema[None] = None
    template: _TemplatePreview | SkipJsonSchema[None] = None
    knowledge: _EntryPreview | SkipJsonSchema[None] = None
    deletion: _DeletionPreview | SkipJsonSchema[None] = None

    @property
    def variant(self) -> ContentVariant:
        """Return the change as a domain object. Raises InvalidBody, InvalidContent."""
        if len(self.model_fields_set) != 1:
            raise InvalidBody("un seul changement attendu")
        if new := self.new_template:
            return ContentVariant(added=new.template.suggested)
        if self.new_knowledge:
            return ContentVariant(
                added=SuggestedEntry.model_validate(self.new_knowledge.model_dump())
            )
        if self.template:
            return ContentVariant(
                id=parse_ulid(self.template.id), template=self.template.change.change
            )
        if self.knowledge:
            return ContentVariant(
                id=parse_ulid(self.knowledge.id), knowledge=self.knowledge.change.change
            )
        if self.deletion:
            return ContentVariant(id=parse_ulid(self.deletion.id), deleted=self.deletion.kind)
        raise InvalidBody("un changement attendu")

"""What a dashboard asks and is told about templates and knowledge."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.agent.brain import Category, Language
from domain.content.content import (
    MAX_BODY,
    MAX_LINE,
    KnowledgeChange,
    KnowledgeEntry,
    TemplateChange,
    TemplateEntry,
)
from services.content.templates import NewTemplate

_TEMPLATE: Final[dict[str, JsonValue]] = {
    "name": "Où est ma commande",
    "category": "order_status",
    "language": "fr",
    "body": "Bonjour, votre commande {{ order_number }} est {{ order_status }}.",
}
_ENTRY: Final[dict[str, JsonValue]] = {
    "title": "Délais de livraison",
    "body": "La livraison standard prend 3 à 6 jours ouvrés.",
    "language": "fr",
}

# What is written is checked by domain/content/content.py, which says what is wrong.
_Line = Annotated[
    str, WithJsonSchema({"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_LINE})
]
_Body = Annotated[
    str, WithJsonSchema({"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_BODY})
]
_Category = Annotated[
    Category, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Category)})
]


class NewTemplateBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_TEMPLATE]})

    name: _Line
    category: _Category
    language: Language
    body: Annotated[_Body, Field(description="Placeholders: docs/playbooks.md.")]
    is_active: bool = Field(default=True, description="False: no agent is shown it.")

    @property
    def template(self) -> NewTemplate:
        return NewTemplate(self.name, self.category, self.language, self.body, self.is_active)


class TemplateBody(StrictBody):
    """At least one field; null leaves it as it is."""

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"is_active": False}]}
    )

    name: _Line | None = None
    category: _Category | None = None
    language: Language | None = None
    body: _Body | None = None
    is_active: bool | None = None

    @property
    def change(self) -> TemplateChange:
        """Raises InvalidBody, InvalidContent."""
        self.require_some()
        return TemplateChange.model_validate(self, from_attributes=True)


class NewEntryBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_ENTRY]})

    title: _Line
    body: _Body
    language: Language


class EntryBody(StrictBody):
    """At least one field; null leaves it as it is."""

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"title": "Livraison"}]}
    )

    title: _Line | None = None
    body: _Body | None = None
    language: Language | None = None

    @property
    def change(self) -> KnowledgeChange:
        """Raises InvalidBody, InvalidContent."""
        self.require_some()
        return KnowledgeChange.model_validate(self, from_attributes=True)


class TemplatePage(BaseModel):
    templates: tuple[TemplateEntry, ...] = Field(description="The oldest first.")
    next_cursor: str | None = Field(description="Null: these are the last.")


class KnowledgePage(BaseModel):
    knowledge: tuple[KnowledgeEntry, ...] = Field(description="The oldest first.")
    next_cursor: str | None = Field(description="Null: these are the last.")

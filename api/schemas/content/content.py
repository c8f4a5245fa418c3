"""Request and response models for the dashboard's template and knowledge routes."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.content.content import (
    MAX_BODY,
    MAX_LINE,
    MAX_NOT_FOR,
    MAX_NOT_FOR_PHRASE,
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

# The texts are validated in domain/content/content.py, not here, because the errors raised there
# name the problem.
_Line = Annotated[
    str, WithJsonSchema({"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_LINE})
]
_Body = Annotated[
    str, WithJsonSchema({"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_BODY})
]
_Category = Annotated[
    Category, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Category)})
]

_Intent = Annotated[
    Intent, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(Intent)})
]
_Phrase = Annotated[
    str,
    WithJsonSchema(
        {"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_NOT_FOR_PHRASE}
    ),
]
# The pattern excludes NUL because PostgreSQL cannot store it.
_PHRASE: Final = r"^[^\x00]*[^\s\x00][^\x00]*$"
_NotFor = Annotated[
    list[_Phrase],
    WithJsonSchema(
        {
            "type": "array",
            "maxItems": MAX_NOT_FOR,
            "items": {"type": "string", "pattern": _PHRASE, "maxLength": MAX_NOT_FOR_PHRASE},
        }
    ),
]
_INTENT_SHOWN: Final = (
    "Intent that the template may answer without review. If null, every answer made from the "
    "template is held for human review."
)
_NOT_FOR_SHOWN: Final = "Words and phrases that exclude a message from the template."


class NewTemplateBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_TEMPLATE]})

    name: _Line
    category: _Category
    language: Language
    body: Annotated[
        _Body,
        Field(
            description="Text of the answer. docs/playbooks.md lists the available placeholders."
        ),
    ]
    is_active: bool = Field(
        default=True, description="If false, the agent does not use the template."
    )
    intent: _Intent | None = Field(default=None, description=_INTENT_SHOWN)
    not_for: _NotFor = Field(default=[], description=_NOT_FOR_SHOWN)

    @property
    def template(self) -> NewTemplate:
        return NewTemplate(
            self.name,
            self.category,
            self.language,
            self.body,
            self.is_active,
            self.intent,
            tuple(self.not_for),
        )


class TemplateBody(StrictBody):
    """A change to a template. At least one field is required. A null field stays unchanged."""

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"is_active": False}]}
    )

    name: _Line | None = None
    category: _Category | None = None
    language: Language | None = None
    body: _Body | None = None
    is_active: bool | None = None
    intent: _Intent | Literal["none"] | None = Field(
        default=None, description="Intent of the template; `none` clears the intent."
    )
    not_for: _NotFor | None = Field(default=None, description=_NOT_FOR_SHOWN)

    @property
    def change(self) -> TemplateChange:
        """Return the change as a domain object. Raises InvalidBody, InvalidContent."""
        self.require_some()
        return TemplateChange.model_validate(self, from_attributes=True)


class AddStartersBody(StrictBody):
    pass


class AddedStarters(BaseModel):
    added: int = Field(description="Number of templates that were added.")


class NewEntryBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [_ENTRY]})

    title: _Line
    body: _Body
    language: Language


class EntryBody(StrictBody):
    """A change to a knowledge entry. At least one field is required. A null field stays
    unchanged."""

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"title": "Livraison"}]}
    )

    title: _Line | None = None
    body: _Body | None = None
    language: Language | None = None

    @property
    def change(self) -> KnowledgeChange:
        """Return the change as a domain object. Raises InvalidBody, InvalidContent."""
        self.require_some()
        return KnowledgeChange.model_validate(self, from_attributes=True)


class TemplatePage(BaseModel):
    templates: tuple[TemplateEntry, ...] = Field(description="Templates, oldest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class KnowledgePage(BaseModel):
    knowledge: tuple[KnowledgeEntry, ...] = Field(
        description="The client's knowledge entries, oldest first."
    )
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")

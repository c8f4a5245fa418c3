"""Templates and knowledge entries, as client members read and write them."""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, computed_field

from domain.agent.brain import Category, Language, Template
from domain.agent.intent import Intent
from domain.agent.speech.language import likely_language, plain_language
from domain.agent.template import KNOWN_NAMES, names, unreadable
from domain.core.errors import InvalidContent
from domain.core.plain_text import without_controls

MAX_TEMPLATES: Final = 1_000
"""Maximum number of templates per client. A brain receives only the 200 oldest active templates."""

MAX_ENTRIES: Final = 5_000
"""Maximum number of knowledge entries per client. The number is limited because each question
requires a scan of all entries' embeddings."""

MAX_KNOWLEDGE: Final = 5_000_000
"""Maximum size of a client's knowledge entries in their search form, in bytes. The size is limited
because all entries are read for each question."""

MAX_LINE: Final = 200
"""Maximum length of a template name or knowledge entry title, in characters."""

MAX_BODY: Final = 20_000
"""Maximum length of the body of a template or knowledge entry, in characters. A language model
receives only the first 4,000 characters."""


MAX_NOT_FOR: Final = 50
"""Maximum number of exclusions per template. The template does not answer a message that contains
one of its exclusions, which are words or phrases."""

MAX_ALL_NOT_FOR: Final = 1_000
"""Maximum number of exclusions of all templates of a client. Each message is compared with all of
them. The starter templates have about 350."""

MAX_NOT_FOR_PHRASE: Final = 80
"""Maximum length of a template exclusion, in characters."""


_Otherwise = TypeVar("_Otherwise", bound=str)
# A placeholder contains no braces, so the search takes linear time even for a text that has many
# opening braces.
_PLACEHOLDER: Final = re.compile(r"\{\{[^{}]*\}\}")
# The language is detected from the beginning of a text. The rest of an overlong text, which is
# rejected later, is not searched for placeholders.
_SEEN_CHARS: Final = MAX_LINE + MAX_BODY
_NAMED: Final[Mapping[Language, tuple[str, str]]] = {
    "fr": ("French", "français"),
    "en": ("English", "anglais"),
}


class TemplateEntry(Template):
    """A template as displayed to its authors."""

    is_active: bool = Field(description="True if the agent may use the template.")
    is_starter: bool = Field(
        default=False, description="True if the template is an unedited starter template."
    )
    created_at: datetime
    updated_at: datetime | None

    @computed_field(  # type: ignore[prop-decorator]
        description=(
            "Placeholders in the body that the event must fill, because neither the service "
            "nor the shop knows their values."
        )
    )
    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(sorted(names(self.body) - KNOWN_NAMES))


class KnowledgeEntry(BaseModel):
    """A knowledge entry, with its text as the author wrote it."""

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    body: str
    language: Language
    created_at: datetime
    updated_at: datetime | None
    source_url: str | None = Field(
        default=None, description="Website page from which the entry was imported; null otherwise."
    )
    source_read_at: datetime | None = Field(
        default=None, description="Time when that page was last read."
    )
    source_changed_at: datetime | None = Field(
        default=None,
        description="Time when the page was first found changed; null if it is unchanged.",
    )
    source_integration_id: str | None = Field(
        default=None,
        description="Id of the integration from which the page was read; null for a website.",
    )


def check_line(field: str, text: str) -> str:
    """Return a name or title as one trimmed line. Raises InvalidContent for `field`."""
    return _of_length(field, " ".join(without_controls(text).split()), MAX_LINE)


def check_body(text: str) -> str:
    """Return the body of a template or entry, trimmed. Raises InvalidContent."""
    return _of_length("body", text.strip(), MAX_BODY)


def check_template_body(text: str) -> str:
    """Return a template's body, trimmed. Raises InvalidContent if the body or one of its
    placeholders is invalid."""
    body = check_body(text)
    if wrong := unreadable(body):
        raise InvalidContent(
            f"body: cannot be read as a placeholder, as in {{{{ name }}}}: {wrong}",
            f"body : illisible comme champ, tel que {{{{ nom }}}} : {wrong}",
        )
    return body


def language_of(texts: tuple[str, ...], otherwise: _Otherwise) -> Language | _Otherwise:
    """Return the language in which the texts are clearly written. If the language is not clear,
    return `otherwise`."""
    return plain_language(_own_words(texts)) or otherwise


def unchosen_language(texts: tuple[str, ...], otherwise: _Otherwise) -> Language | _Otherwise:
    """Return the more likely language of texts without a chosen language. If both languages are
    equally likely, return `otherwise`."""
    return likely_language(_own_words(texts)) or otherwise


def _own_words(texts: tuple[str, ...]) -> str:
    """Return the beginning of the texts without placeholders, whose names are in English."""
    return _PLACEHOLDER.sub(" ", " ".join(text[:_SEEN_CHARS] for text in texts))


def check_language(language: Language, *texts: str) -> Language:
    """Return `language`. Raises InvalidContent if the texts are clearly in another language."""
    written = language_of(texts, language)
    if written != language:
        english, french = _NAMED[written]
        raise InvalidContent(
            f"language: the text is in {english} ({written})",
            f"language : le texte est en {french} ({written})",
        )
    return language


def _of_length(field: str, text: str, limit: int) -> str:
    if not 1 <= len(text) <= limit:
        raise InvalidContent(
            f"{field}: 1 to {limit} characters expected", f"{field} : 1 à {limit} caractères"
        )
    return text


def check_not_for(phrases: tuple[str, ...]) -> tuple[str, ...]:
    """Return a template's exclusions in their stored form: one trimmed line each, without
    duplicates.

    Raises InvalidContent.
    """
    kept = tuple(
        dict.fromkeys(
            _of_length("not_for", " ".join(without_controls(phrase).split()), MAX_NOT_FOR_PHRASE)
            for phrase in phrases
        )
    )
    if len(kept) > MAX_NOT_FOR:
        raise InvalidContent(
            f"not_for: {MAX_NOT_FOR} phrases at most",
            f"not_for : {MAX_NOT_FOR} expressions au plus",
        )
    return kept


class TemplateChange(BaseModel):
    """A change to a template. None leaves a field unchanged, and the intent "none" removes the
    intent. Invalid values raise InvalidContent."""

    model_config = ConfigDict(frozen=True)

    name: Annotated[str, AfterValidator(partial(check_line, "name"))] | None = None
    category: Category | None = None
    language: Language | None = None
    body: Annotated[str, AfterValidator(check_template_body)] | None = None
    intent: Intent | Literal["none"] | None = None
    not_for: Annotated[tuple[str, ...], AfterValidator(check_not_for)] | None = None
    is_active: bool | None = None


class KnowledgeChange(BaseModel):
    """A change to a knowledge entry. A field that is None stays unchanged."""

    model_config = ConfigDict(frozen=True)

    title: Annotated[str, AfterValidator(partial(check_line, "title"))] | None = None
    body: Annotated[str, AfterValidator(check_body)] | None = None
    language: Language | None = None

"""The templates that a new client starts with, in French and English."""

from functools import cache
from typing import Final

from pydantic import Field

from domain.agent.brain import Category, Language, Template
from domain.agent.intent import Intent
from domain.core.lexicon import LexiconFile, lexicon
from domain.core.ports import NewId

_LANGUAGES: Final[tuple[Language, ...]] = ("fr", "en")
_FRAMED: Final = "{{ greeting }}\n\n%s\n\n{{ sign_off }}"


class _Text(LexiconFile):
    name: str
    body: str


class _Starter(LexiconFile):
    intent: Intent
    category: Category
    not_for: dict[Language, tuple[str, ...]] = Field(default={})
    fr: _Text
    en: _Text

    def in_language(self, language: Language, template_id: str) -> Template:
        text = self.fr if language == "fr" else self.en
        return Template(
            id=template_id,
            name=text.name,
            category=self.category,
            language=language,
            body=_FRAMED % text.body.strip(),
            intent=self.intent,
            not_for=self.not_for.get(language, ()),
            is_starter=True,
        )


class _File(LexiconFile):
    templates: tuple[_Starter, ...]


def starter_templates(new_id: NewId) -> tuple[Template, ...]:
    """Return the starter templates, each with a new id. Raises BrokenLexicon if the file is
    invalid."""
    wanted = [(starter, language) for starter in _file().templates for language in _LANGUAGES]
    # Sort the ids because lists of templates are sorted by id, and ids generated within one
    # millisecond are not in ascending order.
    ids = sorted(new_id() for _ in wanted)
    return tuple(
        starter.in_language(language, template_id)
        for (starter, language), template_id in zip(wanted, ids, strict=True)
    )


@cache
def _file() -> _File:
    return lexicon(__file__, _File)

"""A client's templates, prepared for comparison with messages."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from adapters.brain.features import READ_CHARACTERS
from adapters.brain.relevance import Coverage
from domain.agent.brain import Language, Template
from domain.agent.intents.phrase_lists import PhraseLists
from domain.agent.template import names
from domain.content.content import MAX_ALL_NOT_FOR
from domain.core.effort import spend
from domain.core.recent import Recent
from domain.core.text_size import text_bytes

# Maximum total size of the cached catalogues, in bytes. The largest possible catalogue fits, so
# that it is not prepared again for each message.
_HELD: Final = 100_000_000
# The size of a prepared template, measured on texts of many different short words.
_BYTES_PER_TEMPLATE: Final = 2_000
_BYTES_PER_CHAR: Final = 100
_BYTES_PER_EXCLUDED_CHAR: Final = 300
# After preparing about this many characters, the code yields to other tasks of the event loop.
_CHARS_AT_ONCE: Final = 5_000
# The search for placeholders is much cheaper per character than the other steps.
_CHARS_PER_STEP: Final = 10


class Catalogue:
    """A client's templates, with indexes for comparing them with messages. `coverage`, `not_for`
    and `placeholders` refer to templates by position.

    Once `MAX_ALL_NOT_FOR` exclusions are read, templates with further exclusions are not used.
    Without its exclusions, a template could answer the wrong messages.
    """

    def __init__(self, templates: tuple[Template, ...]) -> None:
        """Create the catalogue without indexes. `prepare` adds each template to them."""
        self.templates = templates
        self.coverage = Coverage()
        self.not_for = PhraseLists()
        self.placeholders: list[frozenset[str]] = []
        self.size = 0
        self._exclusions = 0
        self._places: dict[Language, list[int]] = defaultdict(list)

    def places(self, language: Language) -> Sequence[int]:
        """Return the positions of the templates in the given language, oldest first."""
        return self._places.get(language, ())

    def prepare(self, template: Template) -> int:
        """Add the next template to the indexes. Return the number of characters that were read."""
        place, not_for = len(self.placeholders), template.not_for
        spend(len(template.body) // _CHARS_PER_STEP)
        self.placeholders.append(names(template.body))
        self.coverage.add(template.name, template.body)
        read = len(template.name) + min(len(template.body), READ_CHARACTERS)
        self.size += _BYTES_PER_TEMPLATE + _BYTES_PER_CHAR * read
        self.size += text_bytes((template.name, template.body, *not_for))
        if self._exclusions + len(not_for) > MAX_ALL_NOT_FOR:
            return read
        excluded = sum(map(len, not_for))
        self._exclusions += len(not_for)
        self.size += _BYTES_PER_EXCLUDED_CHAR * excluded
        self.not_for.add(place, not_for)
        self._places[template.language].append(place)
        return read + excluded


class Catalogues:
    """A cache of recently used template catalogues, so that templates are not prepared again for
    each message."""

    def __init__(self) -> None:
        self._recent: Recent[tuple[int, ...], Catalogue] = Recent(_HELD)

    async def of(self, templates: tuple[Template, ...]) -> Catalogue:
        """Return the prepared catalogue for exactly these template objects. The cache keeps
        references to the objects, so that other objects cannot reuse the same `id()`."""
        key = tuple(map(id, templates))
        known = self._recent.get(key)
        if known is not None:
            return known
        catalogue, read = Catalogue(templates), 0
        for template in templates:
            if read > _CHARS_AT_ONCE:
                await asyncio.sleep(0)
                read = 0
            read += catalogue.prepare(template)
        return self._recent.keep(key, catalogue, catalogue.size)

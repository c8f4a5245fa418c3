"""A client's templates, prepared for comparison with messages."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from adapters.brain.relevance import Coverage, body_stems, stems
from domain.agent.brain import Language, Template
from domain.agent.intents.phrase_lists import PhraseLists
from domain.agent.template import names
from domain.core.recent import Recent

# Maximum total size of the cached catalogues, in bytes.
_HELD: Final = 100_000_000
# The size of a prepared template, measured on texts of many different short words.
_BYTES_PER_TEMPLATE: Final = 2_000
_BYTES_PER_CHAR: Final = 100
_BYTES_PER_EXCLUDED_CHAR: Final = 300
# After preparing this many templates, the code yields to other tasks of the event loop.
_AT_ONCE: Final = 10


class Catalogue:
    """A client's templates, with indexes for comparing them with messages. `coverage`, `not_for`
    and `placeholders` refer to templates by position."""

    def __init__(self, templates: tuple[Template, ...], coverage: Coverage) -> None:
        self.templates = templates
        self.coverage = coverage
        self.not_for = PhraseLists([template.not_for for template in templates])
        self.placeholders = tuple(names(template.body) for template in templates)
        self._places: dict[Language, list[int]] = defaultdict(list)
        for place, template in enumerate(templates):
            self._places[template.language].append(place)

    def places(self, language: Language) -> Sequence[int]:
        """Return the positions of the templates in the given language, oldest first."""
        return self._places.get(language, ())


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
        titles, bodies = [], []
        for number, template in enumerate(templates):
            if number and number % _AT_ONCE == 0:
                await asyncio.sleep(0)
            titles.append(stems(template.name))
            bodies.append(body_stems(template.body))
        catalogue = Catalogue(templates, Coverage(titles, bodies))
        return self._recent.keep(key, catalogue, sum(map(_size, templates)))


def _size(template: Template) -> int:
    """Return the approximate size of a prepared template, in bytes."""
    return (
        _BYTES_PER_TEMPLATE
        + _BYTES_PER_CHAR * (len(template.name) + len(template.body))
        + _BYTES_PER_EXCLUDED_CHAR * sum(map(len, template.not_for))
    )

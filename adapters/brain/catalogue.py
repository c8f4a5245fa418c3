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

# Maximum total size of the cached catalogues, measured in template characters. A prepared catalogue
# takes several times as many bytes.
_HELD: Final = 4_000_000
# The weight of a character of an excluded phrase, in template characters. It takes up to 300 bytes
# in the tree of phrases.
_PHRASE_WEIGHT: Final = 20
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
        weight = sum(
            len(one.body) + _PHRASE_WEIGHT * sum(map(len, one.not_for)) for one in templates
        )
        return self._recent.keep(key, Catalogue(templates, Coverage(titles, bodies)), weight)

"""The answer to an error, as callers receive it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from api.surface import Surface

INTERNAL: Final = "Erreur interne."


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """The answer to one type of error.

    `text` may name the error's facts in braces. `fields`: facts that the body carries as well.
    `on`: other texts, by route family. `challenge`: the WWW-Authenticate header of an error that
    another token could avoid; it may name facts too.
    """

    status: int
    text: str
    fields: tuple[str, ...] = ()
    on: Mapping[Surface, str] = field(default_factory=dict)
    challenge: str | None = None

    def text_on(self, surface: Surface) -> str:
        if self.status >= 500 and surface is Surface.USAGE:
            return INTERNAL
        return self.on.get(surface, self.text)

"""What a caller is told of an error."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from api.surface import Surface

INTERNAL: Final = "Erreur interne."


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """What a caller is told.

    `text` may name the error's facts in braces, `fields` are facts that the body has too, and
    `on` holds the texts of the families of routes that say it differently. `challenge`: the
    WWW-Authenticate of one that another token could avoid, which may name facts too.
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

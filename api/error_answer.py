"""Error responses sent to callers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from api.route_family import RouteFamily

INTERNAL: Final = "Erreur interne."


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """The response to one type of error.

    `text`: may have placeholders for the error's facts. `fields`: facts that the body also
    contains. `on`: different texts for route families. `challenge`: the WWW-Authenticate header of
    an error that another token could avoid; may have placeholders too.
    """

    status: int
    text: str
    fields: tuple[str, ...] = ()
    on: Mapping[RouteFamily, str] = field(default_factory=dict)
    challenge: str | None = None

    def text_on(self, surface: RouteFamily) -> str:
        if self.status >= 500 and surface is RouteFamily.USAGE:
            return INTERNAL
        return self.on.get(surface, self.text)

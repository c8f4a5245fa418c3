"""The description of an error response: its status, text, fields and headers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from api.route_family import RouteFamily

INTERNAL: Final = "Erreur interne."


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """The response to one type of error.

    - `text`: the message, with placeholders for the error's fields.
    - `fields`: the error's fields in the body.
    - `on`: other messages by route family.
    - `challenge`: the WWW-Authenticate header, if another token would help.
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

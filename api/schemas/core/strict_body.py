"""Bodies of requests, which `JsonBody` reads strictly."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from domain.core.errors import InvalidBody


def _whole(number: object) -> object:
    return int(number) if isinstance(number, float) and number.is_integer() else number


Whole = Annotated[int, BeforeValidator(_whole)]
"""JSON has one kind of numbers: 90.0 is 90, which a strict int does not believe."""


class StrictBody(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    def require_some(self) -> None:
        """A body of changes: at least one field must be given. Raises InvalidBody."""
        if not self.model_fields_set:
            raise InvalidBody("aucun champ à modifier")

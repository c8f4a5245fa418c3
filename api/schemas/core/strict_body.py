"""Base class for request bodies, which `JsonBody` parses strictly."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from domain.core.errors import InvalidBody


def as_whole(number: object) -> object:
    """Return a float without a fraction as an integer, and any other value unchanged."""
    return int(number) if isinstance(number, float) and number.is_integer() else number


Whole = Annotated[int, BeforeValidator(as_whole)]
"""An integer field that also accepts 90.0, which a strict int would reject. JSON has only one
number type, so 90.0 equals 90."""


class StrictBody(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    def require_some(self) -> None:
        """Raise InvalidBody unless at least one field is given."""
        if not self.model_fields_set:
            raise InvalidBody("aucun champ à modifier")

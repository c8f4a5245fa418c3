"""Bodies of requests, which `JsonBody` reads strictly."""

from pydantic import BaseModel, ConfigDict

from domain.core.errors import InvalidBody


class StrictBody(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    def require_some(self) -> None:
        """For changes: at least one field must be given. Raises InvalidBody."""
        if not self.model_fields_set:
            raise InvalidBody("aucun champ à modifier")

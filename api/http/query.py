"""Validate a request's query parameters against the route's model."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.datastructures import QueryParams

from domain.core.errors import InvalidQuery

Model = TypeVar("Model", bound=BaseModel)


def parse_query(model: type[Model], query: QueryParams) -> Model:
    """Return the validated query. Raises InvalidQuery for invalid values, and for unknown or
    repeated parameters."""
    for name in query:
        if len(query.getlist(name)) > 1:
            raise InvalidQuery(name)
    try:
        return model.model_validate(dict(query))
    except ValidationError as error:
        first = error.errors()[0]
        known = first["type"] != "extra_forbidden"
        raise InvalidQuery(str(first["loc"][0]) if known else "inconnu") from None

"""A page of runs: how it is asked for, and how it is answered."""

from enum import StrEnum
from typing import Annotated, Final, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import QueryParams

from domain.brain import Category
from domain.errors import InvalidQuery
from domain.ids import parse_ulid
from domain.run import RunStatus
from domain.run_trace import RunSummary

MAX_PAGE: Final = 200
PAGE: Final = 50

_Choice = TypeVar("_Choice", bound=StrEnum)


class RunQuery(BaseModel):
    """Which runs are wanted. `cursor`: a page's `next_cursor`, for the one after it."""

    model_config = ConfigDict(frozen=True)

    status: RunStatus | None = None
    classification: Category | None = None
    limit: int = PAGE
    cursor: str | None = None

    @classmethod
    def read(cls, query: QueryParams) -> Self:
        """Raises InvalidQuery. Parameters that it does not know are left alone."""
        limit, cursor = _single(query, "limit"), _single(query, "cursor")
        if limit is not None and not (
            limit.isascii() and limit.isdigit() and len(limit) < 4 and 1 <= int(limit) <= MAX_PAGE
        ):
            raise InvalidQuery(f"limit, de 1 à {MAX_PAGE}")
        if cursor is not None and parse_ulid(cursor) is None:
            raise InvalidQuery("cursor")
        return cls(
            status=_choice(query, "status", RunStatus),
            classification=_choice(query, "classification", Category),
            limit=PAGE if limit is None else int(limit),
            cursor=cursor and parse_ulid(cursor),
        )


class RunPage(BaseModel):
    runs: list[RunSummary]
    next_cursor: Annotated[
        str | None, Field(description="Asks for the runs after these; null: these are the last.")
    ]


def _single(query: QueryParams, name: str) -> str | None:
    given = query.getlist(name)
    if len(given) > 1:
        raise InvalidQuery(f"{name} donné plusieurs fois")
    return given[0] if given else None


def _choice(query: QueryParams, name: str, kind: type[_Choice]) -> _Choice | None:
    given = _single(query, name)
    if given is None:
        return None
    try:
        return kind(given)
    except ValueError:
        raise InvalidQuery(f"{name}, parmi {', '.join(kind)}") from None

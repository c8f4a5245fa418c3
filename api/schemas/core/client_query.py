"""Query models for a single client and for one page of a list."""

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from domain.core.ids import ULID

T = TypeVar("T")


class ClientQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    client_id: Annotated[
        str | None,
        Field(description="ULID of the client; defaults to the caller's default client."),
    ] = None


class PageQuery(ClientQuery):
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    cursor: Annotated[
        str | None,
        Field(pattern=ULID, description="Value of `next_cursor` from the previous page."),
    ] = None


def cursor_after(found: Sequence[T], limit: int, place: Callable[[T], str]) -> str | None:
    """Return the cursor for the next page, or None on the last page.

    `found`: up to one record more than the page's `limit`, so that the last page can be detected.
    """
    return place(found[limit - 1]) if len(found) > limit else None

"""Queries that name a client, and those that ask for a page."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from domain.core.ids import ULID


class ClientQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    client_id: Annotated[
        str | None, Field(description="ULID of the client; absent: the caller's own.")
    ] = None


class PageQuery(ClientQuery):
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    cursor: Annotated[
        str | None, Field(pattern=ULID, description="`next_cursor` of the page before.")
    ] = None

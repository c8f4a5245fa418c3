"""Customers' requests for their data: how they are asked for, and how they are answered."""

from typing import Annotated

from pydantic import BaseModel, Field

from api.schemas.core.client_query import ClientQuery
from domain.core.ids import ULID
from domain.inbound.data_request import DataRequest


class DataRequestQuery(ClientQuery):
    """The query of a list."""

    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None, Field(pattern=ULID, description="`next_cursor` of the previous page.")
    ] = None


class DataRequestPage(BaseModel):
    requests: list[DataRequest]
    next_cursor: Annotated[
        str | None, Field(description="Cursor of the next page; null on the last page.")
    ]

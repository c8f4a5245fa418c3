"""Query and response models for the dashboard's data request routes."""

from typing import Annotated

from pydantic import BaseModel, Field

from api.schemas.core.client_query import ClientQuery
from domain.core.ids import ULID
from domain.inbound.data_request import DataRequest


class DataRequestQuery(ClientQuery):
    limit: Annotated[int, Field(ge=1, le=200)] = 50
    cursor: Annotated[
        str | None,
        Field(pattern=ULID, description="Value of `next_cursor` from the previous page."),
    ] = None


class DataRequestPage(BaseModel):
    requests: list[DataRequest]
    next_cursor: Annotated[
        str | None, Field(description="Cursor for the next page; null on the last page.")
    ]

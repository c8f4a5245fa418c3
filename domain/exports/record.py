"""The base class for export records: parsing rules and field types."""

from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from domain.core.ids import ULID

_MAX_INTEGER: Final = 2**31 - 1
_MAX_BIGINT: Final = 2**63 - 1


class Record(BaseModel):
    """A record in an export, or a part of a record. Parsing is strict: an unknown field is an
    error."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


Id = Annotated[str, Field(pattern=ULID)]
Time = AwareDatetime
Count = Annotated[int, Field(ge=0, le=_MAX_INTEGER)]
BigCount = Annotated[int, Field(ge=0, le=_MAX_BIGINT)]
Share = Annotated[float, Field(ge=0, le=1)]
Score = Annotated[float, Field(ge=-1, le=1)]

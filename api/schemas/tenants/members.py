"""What a dashboard asks and is told about a client's members."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.tenants.client import Role

_GIVEN: Final = [Role.ADMIN, Role.AGENT, Role.VIEWER]

# The use case refuses the owner's role.
GivenRole = Annotated[
    Role, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(_GIVEN)})
]


class RoleBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "agent"}]})

    role: GivenRole


class MemberOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    user_id: str
    email: str
    role: Role
    since: datetime


class MemberList(BaseModel):
    members: tuple[MemberOut, ...] = Field(description="All there are; who came first first.")

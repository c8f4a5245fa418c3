"""Request and response models for the dashboard's member routes."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody
from api.schemas.tenants.keys import Key
from domain.tenants.client import Role
from domain.tenants.key_choice import KeyFate

_GIVEN: Final = [Role.ADMIN, Role.AGENT, Role.VIEWER]

# The use case rejects the owner role.
GivenRole = Annotated[
    Role, Field(strict=False), WithJsonSchema({"type": "string", "enum": list(_GIVEN)})
]


class RoleBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "agent"}]})

    role: GivenRole
    keys: KeyFate | None = Field(
        default=None,
        description=(
            "What to do with the active keys that the member created, if the new role may not "
            "create keys. If the field is omitted, such a change returns 409 "
            "`keys_undecided`."
        ),
    )


class RemovalQuery(ClientQuery):
    keys: Annotated[
        KeyFate | None,
        Field(
            description=(
                "What to do with the active keys that the member created. If the field is "
                "omitted and there are such keys, the request returns 409 `keys_undecided`."
            )
        ),
    ] = None


class KeysQuery(ClientQuery):
    """Query parameters for the page on which a manager decides about a member's keys. `role` is the
    new role, or None if the member is being removed."""

    user_id: str
    role: GivenRole | None = None


class MemberOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    user_id: str
    email: str
    role: Role
    since: datetime


class MadeKeys(BaseModel):
    keys: tuple[Key, ...] = Field(description="Active keys that the member created, oldest first.")


class MemberList(BaseModel):
    members: tuple[MemberOut, ...] = Field(description="All of the client's members, oldest first.")

"""Request and response models for the dashboard's invitation routes."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from api.schemas.tenants.members import GivenRole
from domain.identity.address import MAX_ADDRESS
from domain.tenants.client import Role

# The address is validated in domain/identity/address.py, not here, because the errors raised there
# name the problem.
_Email = Annotated[
    str, WithJsonSchema({"type": "string", "format": "email", "maxLength": MAX_ADDRESS})
]


class InvitationBody(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"email": "camille@example.com", "role": "agent"}]}
    )

    email: _Email
    role: GivenRole
    language: Literal["fr", "en"] | None = Field(
        default=None, description="Language of the email; defaults to the Accept-Language header."
    )


class ResendBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"language": "fr"}]})

    language: Literal["fr", "en"] | None = Field(
        default=None, description="Language of the email; defaults to the Accept-Language header."
    )


class InvitationOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: str
    email: str
    role: Role
    invited_by: str = Field(description="User or operator who sent the invitation.")
    language: str
    created_at: datetime
    expires_at: datetime


class InvitationList(BaseModel):
    invitations: tuple[InvitationOut, ...] = Field(
        description="Invitations that the user can accept, newest first."
    )


class ReceivedInvitationOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: str
    client_id: str
    brand_name: str = Field(
        description=("Name that the inviting client chose. The service has not verified it.")
    )
    role: Role
    inviter_email: str | None = Field(
        description="Verified email address of the inviter; null for an operator of the service."
    )
    created_at: datetime
    expires_at: datetime


class ReceivedInvitationList(BaseModel):
    invitations: tuple[ReceivedInvitationOut, ...] = Field(
        description=("The client's open invitations, oldest first.")
    )


class AcceptedInvitation(BaseModel):
    client_id: str
    role: Role

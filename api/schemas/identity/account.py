"""Responses about the signed-in user."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from domain.identity.session import SessionKind
from domain.tenants.client import Role


class OwnClientOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: str
    brand_name: str
    role: Role
    owner_email: str = Field(description="Distinguishes clients of the same name.")


class ClientList(BaseModel):
    clients: tuple[OwnClientOut, ...] = Field(
        description="The first one is meant where a request names none."
    )


class Me(ClientList):
    user_id: str
    email: str | None = Field(
        description="Null of a user of another identity provider whom no client knows."
    )
    is_admin: bool = Field(description="Of the service itself: such a user may see every client.")


class SessionOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: str
    kind: SessionKind
    network: str = Field(description="Where it was opened from: /24 of IPv4 or /48 of IPv6.")
    agent: str = Field(description="The browser or program, as it calls itself.")
    created_at: datetime
    used_at: datetime = Field(description="To the minute.")


class SessionList(BaseModel):
    sessions: tuple[SessionOut, ...] = Field(description="The one used last first.")


class Ended(BaseModel):
    ended: int = Field(description="How many sessions.")

"""Response models for the signed-in user."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from domain.identity.session import SessionKind
from domain.tenants.client import Role


class OwnClientOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: str
    brand_name: str
    role: Role
    owner_email: str = Field(
        description=(
            "Email address of the client's owner, which distinguishes clients with the same name."
        )
    )


class ClientList(BaseModel):
    clients: tuple[OwnClientOut, ...] = Field(
        description=(
            "The user's clients. The first client is the default for requests that do not name a "
            "client."
        )
    )


class Me(ClientList):
    user_id: str
    email: str | None = Field(
        description=(
            "Email address; null if the user signs in through another identity provider and "
            "belongs to no client."
        )
    )
    is_admin: bool = Field(
        description="True if the user is an administrator of the service and may see every client."
    )


class SessionOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: str
    kind: SessionKind
    network: str = Field(
        description="IP network from which the session was opened: a /24 (IPv4) or /48 (IPv6)."
    )
    agent: str = Field(
        description="Browser or program that uses the session, as stated in its User-Agent."
    )
    created_at: datetime
    used_at: datetime = Field(description="Time of the session's last use, accurate to a minute.")


class SessionList(BaseModel):
    sessions: tuple[SessionOut, ...] = Field(
        description="The user's sessions, sorted by last use, most recent first."
    )


class Ended(BaseModel):
    ended: int = Field(description="Number of sessions that were ended.")

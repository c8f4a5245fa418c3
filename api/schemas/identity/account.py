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
            "Email address of the client's owner, which distinguishes clients of the same name."
        )
    )


class ClientList(BaseModel):
    clients: tuple[OwnClientOut, ...] = Field(
        description=(
            "Clients of the user. The first client is the default for requests that name no client."
        )
    )


class Me(ClientList):
    user_id: str
    email: str | None = Field(
        description=(
            "Email address; null if the user signs in with another identity provider and is "
            "unknown to all clients."
        )
    )
    is_admin: bool = Field(
        description="True if the user is an administrator of the service, who may see every client."
    )


class SessionOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: str
    kind: SessionKind
    network: str = Field(description="Network that opened the session: a /24 (IPv4) or /48 (IPv6).")
    agent: str = Field(
        description=(
            "Browser or program of the session, as the browser or program identifies itself."
        )
    )
    created_at: datetime
    used_at: datetime = Field(description="Time of the session's last use, to the minute.")


class SessionList(BaseModel):
    sessions: tuple[SessionOut, ...] = Field(
        description="The user's sessions, sorted by last use, most recent first."
    )


class Ended(BaseModel):
    ended: int = Field(description="Number of sessions that were ended.")

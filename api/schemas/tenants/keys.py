"""Requests and responses of the dashboard about a client's API keys."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.tenants.api_key import MAX_LABEL

# domain/tenants/api_key.py validates the values, and names the problem.
_Label = Annotated[
    str,
    WithJsonSchema({"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_LABEL}),
    Field(description="What the key is for. One line."),
]


class KeyBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"label": "Caisse de Lyon"}]})

    label: _Label


class Key(BaseModel):
    """The key itself is shown only once, when it is created."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    client_id: str = Field(description="The one client that the key is for.")
    label: str
    prefix: str = Field(description="How the key begins.")
    is_active: bool = Field(description="False: revoked.")
    created_at: datetime
    created_by: str | None = Field(description="The user or operator; null: not known.")
    scopes: tuple[str, ...] | None = Field(description="What it may do; null: all that keys may.")
    oauth_client_id: str | None = Field(
        description="The program that holds it, if a member let one in; `label` is its name."
    )
    last_used_at: datetime | None = Field(description="Told within a minute of the use.")
    last_used_from: str | None = Field(description="The network, /24 of IPv4 or /48 of IPv6.")
    revoked_at: datetime | None = Field(description="Null: it can be used.")
    vouches: bool = Field(
        description="Whether its `customer_verified` counts. False: a second manager has not "
        "approved that yet. An `mcp_` key never vouches."
    )


class KeyWithText(BaseModel):
    key: Key
    key_value: str = Field(
        pattern="^ak_[0-9a-f]{32}$",
        description="The key itself. It is kept nowhere: it is shown only now.",
    )
    text: str = Field(deprecated=True, description="As `key_value`, for one more release.")


class KeyPage(BaseModel):
    keys: tuple[Key, ...] = Field(description="The newest first; revoked ones too.")
    next_cursor: str | None = Field(description="Null: these are the last.")

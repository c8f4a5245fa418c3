"""Request and response models for the dashboard's API key routes."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody
from domain.tenants.api_key import MAX_LABEL

# The values are validated in domain/tenants/api_key.py, not here, because the errors raised there
# name the problem.
_Label = Annotated[
    str,
    WithJsonSchema({"type": "string", "pattern": r"\S", "minLength": 1, "maxLength": MAX_LABEL}),
    Field(description="Purpose of the key, as a single line."),
]


class KeyBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"label": "Caisse de Lyon"}]})

    label: _Label


class Key(BaseModel):
    """An API key without its secret. The complete key is shown only once, when it is created."""

    model_config = ConfigDict(from_attributes=True)

    id: str
    client_id: str = Field(description="The only client that the key gives access to.")
    label: str
    prefix: str = Field(description="First characters of the key.")
    is_active: bool = Field(description="False if the key is revoked.")
    created_at: datetime
    created_by: str | None = Field(
        description="User or operator who created the key; null if unknown."
    )
    scopes: tuple[str, ...] | None = Field(
        description="Scopes of the key; null if the key has all scopes."
    )
    oauth_client_id: str | None = Field(
        description=(
            "OAuth client that holds the key; null if no OAuth client does. If set, `label` is the "
            "OAuth client's name."
        )
    )
    last_used_at: datetime | None = Field(
        description="Time of the key's last use, accurate to a minute."
    )
    last_used_from: str | None = Field(
        description="IP network from which the key was last used: a /24 (IPv4) or /48 (IPv6)."
    )
    revoked_at: datetime | None = Field(
        description="Time at which the key was revoked; null if the key is active."
    )
    vouches: bool = Field(
        description=(
            "True if requests with this key may set `customer_verified`. False until a second "
            "manager has approved this permission. Always false for an `mcp_` key."
        )
    )


class KeyWithText(BaseModel):
    key: Key
    key_value: str = Field(
        pattern="^ak_[0-9a-f]{32}$",
        description="The complete key. The service does not store it and shows it only once.",
    )
    text: str = Field(
        deprecated=True,
        description="The same value as `key_value`. The next release removes this field.",
    )


class KeyPage(BaseModel):
    keys: tuple[Key, ...] = Field(
        description="The client's keys, newest first, including revoked keys."
    )
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")

"""A client's widget settings. They contain the allowed websites, the widget's share of the client's
limits, and the secret with which the merchant's server signs its users."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.core.ports import Sealer

MAX_SHARE: Final = 10_000_000
"""Upper bound of `hourly_messages` and `monthly_tickets`. It is higher than the limits of any
plan."""
OVERLAP_HOURS: Final = 24.0
"""Default number of hours for which a rotated key or secret stays valid."""
MAX_OVERLAP_HOURS: Final = 7 * 24.0


class Widget(BaseModel):
    """The widget's settings, without the widget key. The field defaults apply to a client without
    stored settings.

    - `hourly_messages`, `monthly_tickets`: the widget's share of the client's limits. None is half
      of the limit.
    - `api_key_used_at`: the last call of the chat with an API key.
    - `previous_key`: valid until `previous_key_until`.
    - `vouches`: signatures with `sealed_secret`, created at `secret_since`, are trusted.
    """

    model_config = ConfigDict(frozen=True)

    allowed_origins: tuple[str, ...] = ()
    hourly_messages: int | None = None
    monthly_tickets: int | None = None
    accepts_api_keys: bool = True
    api_key_used_at: datetime | None = None
    sealed_secret: str | None = Field(default=None, repr=False)
    previous_sealed_secret: str | None = Field(default=None, repr=False)
    previous_secret_until: datetime | None = None
    vouches: bool = True
    secret_since: datetime | None = None
    previous_key: str | None = None
    previous_key_until: datetime | None = None
    updated_at: datetime | None = None

    def sealed_secrets(self, now: datetime) -> tuple[str, ...]:
        """Return the sealed secrets that may currently sign users, newest first."""
        until = _future(self.previous_secret_until, now)
        previous = None if until is None else self.previous_sealed_secret
        current = self.sealed_secret if self.vouches else None
        return tuple(one for one in (current, previous) if one is not None)


HARMLESS_WIDGET: Final[Mapping[str, str]] = {
    "allowed_origins": "Where browsers show it. A visitor proves an address there as elsewhere.",
    "hourly_messages": "A share of what the client may use at all.",
    "monthly_tickets": "A share of what the client may use at all.",
    "accepts_api_keys": "A key names the client there, and vouches for no visitor.",
}
"""For each field of WidgetChange, the reason why changing it never expands the agent's permissions
or trust. The secret is a credential, and its trust is held back separately
(`services/tenants/loosenings.py`)."""


class WidgetChange(BaseModel):
    """A change to the widget's settings. Unset fields stay unchanged. None returns a share to its
    default."""

    model_config = ConfigDict(frozen=True)

    allowed_origins: tuple[str, ...] = ()
    hourly_messages: int | None = None
    monthly_tickets: int | None = None
    accepts_api_keys: bool = True

    @property
    def given(self) -> Mapping[str, tuple[str, ...] | int | bool | None]:
        """Return the values of the fields that are set, keyed by field."""
        return {name: value for name, value in self if name in self.model_fields_set}


class WidgetSummary(BaseModel):
    """The widget's settings as displayed to client members, without the secrets."""

    model_config = ConfigDict(frozen=True)

    widget_key: str | None = Field(
        description=(
            "Public key of the widget, which is visible in the pages that show the widget; null "
            "before the first key is created."
        )
    )
    previous_key_until: datetime | None = Field(
        description=(
            "Time until which the previous key is valid; null if there is no previous key."
        )
    )
    allowed_origins: tuple[str, ...] = Field(
        description="Origins of the websites that may show the widget."
    )
    hourly_messages: int | None = Field(
        description=(
            "Maximum number of the client's hourly messages that the widget may use; null means "
            "half of the limit."
        )
    )
    monthly_tickets: int | None = Field(
        description=(
            "Maximum number of the plan's monthly tickets that the widget may use; null means "
            "half of the tickets."
        )
    )
    accepts_api_keys: bool = Field(description="True if the widget's routes also accept API keys.")
    api_key_used_at: datetime | None = Field(
        description=(
            "Time of the widget's last call with an API key; null if there was none. A value is "
            "a warning, because a web page that sends an API key publishes it."
        )
    )
    has_secret: bool = Field(
        description=("True if the widget has a secret with which the merchant signs users.")
    )
    vouches: bool = Field(
        description=(
            "True if signatures with the current secret are accepted. If false, they are "
            "accepted once a second manager approves the secret, or after a day."
        )
    )
    previous_secret_until: datetime | None = Field(
        description=(
            "Time until which signatures with the previous secret are accepted; null if they are "
            "not accepted."
        )
    )
    snippet: str | None = Field(
        description=(
            "HTML line that embeds the widget in the merchant's pages; null without a widget key."
        )
    )
    updated_at: datetime | None


def summary_of(widget: Widget, key: str | None, *, origin: str, now: datetime) -> WidgetSummary:
    """Return the summary of the widget's settings. `key` is the client's widget key, and `origin`
    the service's public origin."""
    return WidgetSummary(
        widget_key=key,
        previous_key_until=_future(widget.previous_key_until, now),
        allowed_origins=widget.allowed_origins,
        hourly_messages=widget.hourly_messages,
        monthly_tickets=widget.monthly_tickets,
        accepts_api_keys=widget.accepts_api_keys,
        api_key_used_at=widget.api_key_used_at,
        has_secret=widget.sealed_secret is not None,
        vouches=widget.vouches,
        previous_secret_until=_future(widget.previous_secret_until, now),
        snippet=None if key is None else snippet_of(key, origin),
        updated_at=widget.updated_at,
    )


def snippet_of(key: str, origin: str) -> str:
    """Return the HTML line that embeds the widget in a web page."""
    return f'<script src="{origin}/widget.js" data-key="{key}" async></script>'


def overlap_end(now: datetime, overlap: timedelta) -> datetime | None:
    """Return the time when the old value of a rotated key or secret expires, or None if it expires
    immediately."""
    return now + overlap if overlap else None


def seal_widget_secret(sealer: Sealer, client_id: str, secret: str) -> str:
    """Return the secret, sealed together with its client's id, so that it is not valid for another
    client."""
    return sealer.seal(f"{_whose(client_id)}{secret}")


def unseal_widget_secret(sealer: Sealer, client_id: str, sealed: str) -> str:
    """Return the unsealed secret. Raises ValueError if the secret was sealed with another key or
    for another client."""
    opened = sealer.unseal(sealed)
    whose = _whose(client_id)
    if not opened.startswith(whose):
        raise ValueError("another client's secret")
    return opened.removeprefix(whose)


def _future(until: datetime | None, now: datetime) -> datetime | None:
    return until if until is not None and now < until else None


def _whose(client_id: str) -> str:
    return f"{client_id}/widget/"

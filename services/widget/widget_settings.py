"""Management of a client's widget: its sites, shares, key and secret."""

from dataclasses import dataclass, field
from datetime import timedelta

from domain.core.ports import Sealer
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.client_settings import ClientSettings, widget_key_of
from domain.tenants.loosening import HeldTrust
from domain.widget.signed_user import secret_of
from domain.widget.widget import Widget, WidgetChange, overlap_end, seal_widget_secret
from services.core.unit_of_work import UnitOfWork
from services.tenants.loosenings import withhold
from store.tenants.accounts import AccountRepository
from store.tenants.client_settings import SettingsRepository
from store.widget.widgets import WidgetRepository


@dataclass(frozen=True, slots=True)
class WidgetSecretShown:
    """The widget with its new secret, which is shown only once."""

    widget: Widget
    secret: str = field(repr=False)


async def widget_and_key(work: UnitOfWork) -> tuple[Widget, str | None]:
    """Return the current widget settings, and the widget key or None if there is no key."""
    settings = await SettingsRepository(work.connection, work.tenant).read()
    return await WidgetRepository(work.connection, work.tenant).read(), settings.widget_key


async def change_widget(work: UnitOfWork, actor: Actor, change: WidgetChange) -> Widget:
    """Change the widget settings, starting with the next request. The caller has validated the
    values (`domain/widget/`). Raises RoleRequired, ClientNotFound."""
    actor.require(MANAGERS)
    changed = await WidgetRepository(work.connection, work.tenant).change(change, work.now)
    work.note(actor, "widget changed", fields=" ".join(sorted(change.given)))
    return changed


async def rotate_widget_secret(
    work: UnitOfWork, actor: Actor, *, overlap: timedelta, sealer: Sealer, random_bytes: bytes
) -> WidgetSecretShown:
    """Create or rotate the secret that signs user identities, from SECRET_BYTES random bytes.

    During the overlap, the previous secret is valid too. If loosening changes must wait, the new
    secret signs only after approval or a delay. Raises RoleRequired, ClientNotFound,
    TooManyLoosenings.
    """
    actor.require(MANAGERS)
    secret = secret_of(random_bytes)
    trust = HeldTrust(use="widget", since=work.now)
    waits = await withhold(work, actor, trust, trust.credential)
    rotated = await WidgetRepository(work.connection, work.tenant).rotate_secret(
        seal_widget_secret(sealer, work.tenant, secret),
        previous_until=overlap_end(work.now, overlap),
        vouches=not waits,
        now=work.now,
    )
    work.note(actor, "widget secret rotated")
    return WidgetSecretShown(rotated, secret)


async def rotate_widget_key(
    work: UnitOfWork, actor: Actor, *, overlap: timedelta, random_bytes: bytes
) -> ClientSettings:
    """Create or rotate the widget key, from WIDGET_KEY_BYTES random bytes.

    During the overlap, the previous key is valid too. Raises RoleRequired, ClientNotFound.
    """
    actor.require(MANAGERS)
    # If two rotations run concurrently, the second one keeps the first one's key as the previous
    # key.
    await AccountRepository(work.connection, work.tenant).lock()
    settings = SettingsRepository(work.connection, work.tenant)
    until_now = (await settings.read()).widget_key
    changed = await settings.rotate_widget_key(widget_key_of(random_bytes), work.now)
    await WidgetRepository(work.connection, work.tenant).keep_key(
        until_now, until=overlap_end(work.now, overlap), now=work.now
    )
    work.note(actor, "widget key rotated")
    return changed

"""What people do with a client's widget: its sites and shares, its key, its secret."""

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
    """The widget with its new secret, which is shown once."""

    widget: Widget
    secret: str = field(repr=False)


async def widget_and_key(work: UnitOfWork) -> tuple[Widget, str | None]:
    """The widget as it stands within the work, and its key; None where it has none."""
    settings = await SettingsRepository(work.connection, work.tenant).read()
    return await WidgetRepository(work.connection, work.tenant).read(), settings.widget_key


async def change_widget(work: UnitOfWork, actor: Actor, change: WidgetChange) -> Widget:
    """From the next request on. The values are checked (`domain/widget/`). Raises RoleRequired,
    ClientNotFound."""
    actor.require(MANAGERS)
    changed = await WidgetRepository(work.connection, work.tenant).change(change, work.now)
    work.note(actor, "widget changed", fields=" ".join(sorted(change.given)))
    return changed


async def rotate_widget_secret(
    work: UnitOfWork, actor: Actor, *, overlap: timedelta, sealer: Sealer, random_bytes: bytes
) -> WidgetSecretShown:
    """A new secret, or the first one, from SECRET_BYTES random bytes. Until the overlap ends, the
    one before signs as well; never a third. The new one signs at once, or once a second manager
    approves that. Raises RoleRequired, ClientNotFound, TooManyLoosenings."""
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
    """A new key, or the first one, from WIDGET_KEY_BYTES random bytes. Until the overlap ends, the
    one before is valid as well; never a third. Raises RoleRequired, ClientNotFound."""
    actor.require(MANAGERS)
    # Of two rotations at once, the second keeps the key that the first has made.
    await AccountRepository(work.connection, work.tenant).lock()
    settings = SettingsRepository(work.connection, work.tenant)
    until_now = (await settings.read()).widget_key
    changed = await settings.rotate_widget_key(widget_key_of(random_bytes), work.now)
    await WidgetRepository(work.connection, work.tenant).keep_key(
        until_now, until=overlap_end(work.now, overlap), now=work.now
    )
    work.note(actor, "widget key rotated")
    return changed

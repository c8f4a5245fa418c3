"""The demo shop's widget: its API key, the storefront that may show it, and the secret for signing
customer identities."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from demo.webhook import DEMO
from domain.core.ports import Sealer
from domain.tenants.client_settings import WIDGET_KEY_BYTES
from domain.widget.signed_user import SECRET_BYTES
from domain.widget.widget import Widget, WidgetChange, unseal_widget_secret
from services.core.unit_of_work import UnitOfWork
from services.widget.widget_settings import (
    change_widget,
    rotate_widget_key,
    rotate_widget_secret,
    widget_and_key,
)

_AT_ONCE = timedelta(0)


@dataclass(frozen=True, slots=True)
class DemoWidget:
    """The widget. `origin` is the origin of the storefront that shows it."""

    origin: str
    key: str
    secret: str


async def open_widget(
    work: UnitOfWork, sealer: Sealer, origin: str, *, before: str | None
) -> DemoWidget:
    """Allow the storefront at this origin to show the widget, and return the widget, with its key
    and secret.

    `before`, the storefront's previous origin, is removed. Other origins stay allowed.
    """
    widget, key = await widget_and_key(work)
    others = tuple(it for it in widget.allowed_origins if it not in {before, origin})
    if widget.allowed_origins != (*others, origin):
        await change_widget(work, DEMO, WidgetChange(allowed_origins=(*others, origin)))
    return DemoWidget(origin, key or await _new_key(work), await _secret(work, sealer, widget))


async def _new_key(work: UnitOfWork) -> str:
    random = secrets.token_bytes(WIDGET_KEY_BYTES)
    settings = await rotate_widget_key(work, DEMO, overlap=_AT_ONCE, random_bytes=random)
    if settings.widget_key is None:
        raise LookupError("the widget has no key after its rotation")
    return settings.widget_key


async def _secret(work: UnitOfWork, sealer: Sealer, widget: Widget) -> str:
    if widget.sealed_secret is not None:
        return unseal_widget_secret(sealer, work.tenant, widget.sealed_secret)
    random = secrets.token_bytes(SECRET_BYTES)
    made = await rotate_widget_secret(
        work, DEMO, overlap=_AT_ONCE, sealer=sealer, random_bytes=random
    )
    return made.secret

"""Warn clients about widget requests that use an API key instead of the widget key. Such requests
are accepted."""

from datetime import timedelta
from typing import Final

from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from store.widget.widgets import WidgetRepository

NOTED_EVERY: Final = timedelta(days=1)


async def note_api_key_use(work: UnitOfWork, actor: Actor) -> None:
    """Warn the client, at most once a day, that a page called the widget with an API key. Raises
    ClientNotFound.

    Anyone can read a key in a web page, and an API key grants more access than the widget key.
    """
    widgets = WidgetRepository(work.connection, work.tenant)
    if await widgets.note_api_key(work.now, at_most_every=NOTED_EVERY):
        work.note(actor, "API key used in the widget")

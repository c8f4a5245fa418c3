"""notifications: a member's email notifications for a client."""

from typing import Annotated

import typer

from commands.core.context import (
    DEFAULT_DATA,
    ClientOption,
    DataOption,
    JsonOption,
    answer,
    command,
    reading_client,
    work_on,
)
from commands.core.person import acting
from domain.core.ids import TenantId
from domain.reviews.notification import (
    DEFAULT_HOUR,
    LAST_HOUR,
    NotificationMode,
    NotificationSettings,
)
from domain.tenants.actor import Actor
from services.reviews.notifications import (
    ChosenNotifications,
    read_notifications,
    set_notifications,
)
from store.tenants.members import MemberRepository

app = typer.Typer(help="Manage members' email notifications.", no_args_is_help=True)

_MemberOption = Annotated[
    str, typer.Option("--as", help="Id or email address of the member.", show_default=False)
]


@app.callback()
def group() -> None:
    """docs/reviews.md explains notifications."""


@command(app, "show")
async def show(
    client: ClientOption,
    member: _MemberOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show a member's email notifications."""
    async with reading_client(data, client) as (connection, tenant):
        person = await MemberRepository(connection).person(member)
        found = await read_notifications(connection, tenant, Actor.operator(person))
    _show(found, "Email notifications of this member:", as_json)


@command(app, "set")
async def change(
    client: ClientOption,
    member: _MemberOption,
    mode: Annotated[NotificationMode, typer.Option(help="When the member receives emails.")],
    digest_hour: Annotated[
        int,
        typer.Option(
            min=0,
            max=LAST_HOUR,
            help="Hour of the digest, in the time zone of the client's business hours.",
        ),
    ] = DEFAULT_HOUR,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Replace a member's email notifications."""
    settings = NotificationSettings(mode=mode, digest_hour=digest_hour)
    async with work_on(data) as units:
        actor = await acting(units.database, member)
        async with units.of(TenantId(client)) as work:
            changed = await set_notifications(work, actor, settings)
    _show(changed, "Changed.", as_json)


def _show(found: ChosenNotifications, sentence: str, as_json: bool) -> None:
    answer(as_json, sentence, **found.model_dump(mode="json"))

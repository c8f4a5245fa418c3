"""invitation: commands that accept or decline an invitation on the invited user's behalf."""

from typing import Annotated

import typer

from adapters.system import utc_now
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    database_of,
    work_on,
)
from commands.core.listing import print_list
from commands.core.person import operator
from domain.core.errors import InvalidInput
from services.core.unit_of_work import UnitsOfWork
from services.identity.answers import accept_invitation, decline_invitation
from services.tenants.members import acting_as
from store.identity.invitations import client_of, invitations_of
from store.identity.people import address_of
from store.tenants.members import MemberRepository

app = typer.Typer(
    help=("Manage invitations that are waiting for a user's response."), no_args_is_help=True
)
UserOption = Annotated[str, typer.Option(help="Id or email address of the invited user.")]
InvitationArgument = Annotated[str, typer.Argument(help="Id of the invitation.")]


@command(app, "list")
async def list_all(
    user: UserOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """List the open invitations for a user's address, with the client and inviter of each."""
    async with database_of(data) as database, database.reading_across() as connection:
        known = await MemberRepository(connection).find_user(user)
        email = None if known is None else await address_of(connection, known)
        found = await invitations_of(connection, email or user, utc_now())
    if as_json:
        fields = [
            {
                "id": one.id,
                "client_id": one.client_id,
                "brand_name": one.brand_name,
                "role": one.role.value,
                "inviter_email": one.inviter_email,
            }
            for one in found
        ]
        answer(True, "", invitations=fields)
        return
    print_list(
        ("invitation", "client", "name", "role", "invited by"),
        [
            (one.id, one.client_id, one.brand_name, one.role.value, one.inviter_email or "")
            for one in found
        ],
    )


@command(app, "accept")
async def accept(
    invitation: InvitationArgument,
    user: UserOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Accept an invitation on the invited user's behalf."""
    async with work_on(data) as units:
        tenant = await units.database.find_client(client_of, invitation)
        known = await _known(units, user)
        async with units.spanning(tenant) as work:
            actor = await acting_as(work, operator(), known)
            role = await accept_invitation(work, actor, known, invitation)
    answer(as_json, "Invitation accepted.", client_id=tenant, user_id=known, role=role.value)


@command(app, "decline")
async def decline(
    invitation: InvitationArgument,
    user: UserOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Decline an invitation on the invited user's behalf."""
    async with work_on(data) as units:
        tenant = await units.database.find_client(client_of, invitation)
        known = await _known(units, user)
        async with units.spanning(tenant) as work:
            actor = await acting_as(work, operator(), known)
            await decline_invitation(work, actor, known, invitation)
    answer(as_json, "Invitation declined.", client_id=tenant, user_id=known)


async def _known(units: UnitsOfWork, user: str) -> str:
    """Return the id of the invited user. Raises InvalidInput if there is no such user."""
    async with units.database.reading_across() as connection:
        known = await MemberRepository(connection).find_user(user)
    if known is None:
        raise InvalidInput("there is no such user")
    return known

"""member: the users who may act for a client, other than its owner."""

from typing import Annotated, Literal

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
from commands.core.listing import print_list
from commands.core.person import operator
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from domain.tenants.actor import without_address
from domain.tenants.client import Role
from domain.tenants.key_choice import key_choice
from services.tenants.members import add_member, remove_member
from store.tenants.keys import KeyRepository
from store.tenants.members import ClientMember, MemberRepository

app = typer.Typer(
    help="Manage members of a client. To end a membership, use `remove`.", no_args_is_help=True
)
UserOption = Annotated[str, typer.Option(help="Id or email address of the user.")]
KeysOption = Annotated[
    Literal["revoke", "keep"] | None,
    typer.Option(
        help=(
            "What to do with the active keys that the member created, if the member may no "
            "longer create keys."
        )
    ),
]


@command(app, "add")
async def add(
    client: ClientOption,
    user: UserOption,
    role: Annotated[Literal["admin", "agent", "viewer"], typer.Option()],
    user_id: Annotated[
        str | None,
        typer.Option(help=("Id for a new user: the `sub` claim from your identity provider.")),
    ] = None,
    keys: KeysOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add a member, or change a member's role. A user is created for an unknown email address."""
    choice = key_choice(keys)
    async with work_on(data) as units, units.spanning(TenantId(client)) as work:
        known = await add_member(work, operator(), user, Role(role), user_id=user_id, keys=choice)
    answer(as_json, "Member added.", client_id=client, user_id=known, role=role)


@command(app, "list")
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """List the users who may act for a client, including its owner."""
    async with reading_client(data, client) as (connection, tenant):
        found = await MemberRepository(connection).all(tenant)
    if as_json:
        answer(True, "", members=[_fields(member) for member in found])
        return
    print_list(
        ("user", "mail address", "role"),
        [(member.user_id, member.email, member.role.value) for member in found],
    )


@command(app, "show")
async def show(
    client: ClientOption,
    user: UserOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Show one member of a client."""
    async with reading_client(data, client) as (connection, tenant):
        members = MemberRepository(connection)
        known = await members.find_user(user)
        found = [one for one in await members.all(tenant) if one.user_id == known]
    if not found:
        raise InvalidInput("the user is not a member of this client")
    answer(as_json, found[0].email, client_id=tenant, **_fields(found[0]))


def _fields(member: ClientMember) -> dict[str, object]:
    return {
        "user_id": member.user_id,
        "email": member.email,
        "role": member.role.value,
        "since": member.since,
    }


@command(app, "remove")
async def remove(
    client: ClientOption,
    user: UserOption,
    keys: KeysOption = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Remove a member immediately. `member keys` lists the API keys that the member created."""
    async with work_on(data) as units, units.spanning(TenantId(client)) as work:
        known = await remove_member(work, operator(), user, keys=key_choice(keys))
    answer(as_json, "Member removed.", client_id=client, user_id=known)


@command(app, "keys")
async def keys_made(
    client: ClientOption,
    user: UserOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """List the active API keys created by a current or former member."""
    async with reading_client(data, client) as (connection, tenant):
        known = await MemberRepository(connection).find_user(user)
        if known is None:
            raise InvalidInput("there is no such user")
        made = await KeyRepository(connection).made_by(tenant, without_address(known))
    if as_json:
        answer(True, "", keys=[{"id": one.id, "label": one.label} for one in made])
        return
    print_list(("key", "label", "begins"), [(one.id, one.label, one.prefix) for one in made])

"""member: who may act for a client, besides its owner."""

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
from domain.tenants.client import Role
from services.tenants.members import add_member, remove_member
from store.tenants.members import ClientMember, MemberRepository

app = typer.Typer(help="Members of a client; `remove` ends a membership.", no_args_is_help=True)
UserOption = Annotated[str, typer.Option(help="The user's id or mail address.")]


@command(app, "add")
async def add(
    client: ClientOption,
    user: UserOption,
    role: Annotated[Literal["admin", "agent", "viewer"], typer.Option()],
    user_id: Annotated[
        str | None, typer.Option(help="Id of a new user: `sub` at your identity provider.")
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Add a member, or change the role of one. An unknown mail address makes a new user."""
    async with work_on(data) as units, units.spanning(TenantId(client)) as work:
        known = await add_member(work, operator(), user, Role(role), user_id=user_id)
    answer(as_json, "Member added.", client_id=client, user_id=known, role=role)


@command(app, "list")
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show who may act for a client, its owner too."""
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
    """Show one of those who may act for a client."""
    async with reading_client(data, client) as (connection, tenant):
        members = MemberRepository(connection)
        known = await members.find_user(user)
        found = [one for one in await members.all(tenant) if one.user_id == known]
    if not found:
        raise InvalidInput("the user is no member of this client")
    answer(as_json, found[0].email, client_id=tenant, **_fields(found[0]))


def _fields(member: ClientMember) -> dict[str, object]:
    return {
        "user_id": member.user_id,
        "email": member.email,
        "role": member.role.value,
        "since": member.since.isoformat(),
    }


@command(app, "remove")
async def remove(
    client: ClientOption,
    user: UserOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """End a membership, at once."""
    async with work_on(data) as units, units.spanning(TenantId(client)) as work:
        known = await remove_member(work, operator(), user)
    answer(as_json, "Member removed.", client_id=client, user_id=known)

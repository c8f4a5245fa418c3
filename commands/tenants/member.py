"""member: who may act for a client, besides its owner."""

from typing import Annotated, Literal

import typer

from adapters.system import new_ulid, utc_now
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    transaction_on,
)
from commands.core.listing import print_list
from domain.core.errors import InvalidInput
from domain.tenants.client import Role
from domain.tenants.user import is_user_id
from store.tenants.clients import ClientRepository
from store.tenants.members import Member, MemberRepository

app = typer.Typer(help="Members of a client.", no_args_is_help=True)

ClientOption = Annotated[str, typer.Option(help="client_id")]
UserOption = Annotated[str, typer.Option(help="The user's id or mail address.")]


@app.command("add")
@command
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
    async with transaction_on(data) as connection:
        members = MemberRepository(connection)
        known = await members.find_user(user) if user_id is None else None
        if known is None:
            known = checked_id(user_id or new_ulid())
            if "@" not in user:
                raise InvalidInput("there is no such user: a mail address makes one")
            await members.ensure_user(known, user, utc_now())
        await members.add(client, known, Role(role), utc_now())
    answer(as_json, "Member added.", client_id=client, user_id=known, role=role)


@app.command("list")
@command
async def list_all(
    client: ClientOption, data: DataOption = DEFAULT_DATA, as_json: JsonOption = False
) -> None:
    """Show who may act for a client, its owner too."""
    async with transaction_on(data) as connection:
        await ClientRepository(connection).brand_name(client)
        found = await MemberRepository(connection).all(client)
    if as_json:
        answer(True, "", members=[_fields(member) for member in found])
        return
    print_list(
        ("user", "mail address", "role"),
        [(member.user_id, member.email, member.role.value) for member in found],
    )


def _fields(member: Member) -> dict[str, object]:
    return {
        "user_id": member.user_id,
        "email": member.email,
        "role": member.role.value,
        "since": member.since.isoformat(),
    }


@app.command("remove")
@command
async def remove(
    client: ClientOption,
    user: UserOption,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """End a membership, at once."""
    async with transaction_on(data) as connection:
        members = MemberRepository(connection)
        known = await members.find_user(user)
        if known is None:
            raise InvalidInput("there is no such user")
        await members.remove(client, known)
    answer(as_json, "Member removed.", client_id=client, user_id=known)


def checked_id(user_id: str) -> str:
    """The id, if it can be one. Raises InvalidInput."""
    if not is_user_id(user_id):
        raise InvalidInput("a user's id has 1 to 255 characters, all of them visible")
    return user_id

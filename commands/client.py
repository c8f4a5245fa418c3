"""client: make merchants' accounts and change their plan."""

from typing import Annotated

import typer

from adapters.system import new_ulid, utc_now
from commands.context import DEFAULT_DATA, DataOption, JsonOption, answer, command, transaction_on
from commands.member import checked_id
from domain.client import Plan
from domain.errors import InvalidInput
from store.client_repository import ClientRepository
from store.member_repository import MemberRepository

app = typer.Typer(help="Merchants' accounts.", no_args_is_help=True)


@app.command("create")
@command
async def create(
    brand: Annotated[str, typer.Option(help="Name the customers know.")],
    owner_email: Annotated[str, typer.Option(help="The owner; made if unknown.")],
    plan: Annotated[Plan, typer.Option()] = Plan.FREE,
    owner_id: Annotated[
        str | None, typer.Option(help="Id of a new owner: `sub` at your identity provider.")
    ] = None,
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Make a client."""
    if not brand.strip() or "@" not in owner_email:
        raise InvalidInput("a brand and the owner's mail address are needed")
    client_id = new_ulid()
    async with transaction_on(data) as connection:
        if owner_id is not None:
            members = MemberRepository(connection)
            await members.ensure_user(checked_id(owner_id), owner_email, utc_now())
        owner = await ClientRepository(connection).create(
            client_id=client_id,
            user_id=new_ulid(),
            brand=brand.strip(),
            plan=plan,
            owner_email=owner_email,
            now=utc_now(),
        )
    answer(as_json, f"Client {brand} made.", client_id=client_id, owner_user_id=owner)


@app.command("set-plan")
@command
async def set_plan(
    client: Annotated[str, typer.Option(help="client_id")],
    plan: Annotated[Plan, typer.Option()],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Change a client's plan at once."""
    async with transaction_on(data) as connection:
        await ClientRepository(connection).set_plan(client, plan)
    answer(as_json, "Plan changed.", client_id=client, plan=plan.value)

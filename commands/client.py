"""client: make merchants' accounts and change their plan."""

from dataclasses import replace
from datetime import timedelta
from typing import Annotated

import typer

from adapters.system import new_ulid, utc_now
from commands.context import DEFAULT_DATA, DataOption, JsonOption, answer, command, transaction_on
from commands.member import checked_id
from domain.client import Plan
from domain.errors import InvalidInput
from domain.ids import TenantId
from store.account_repository import AccountRepository
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
    """Change a client's plan: upwards at once, downwards from the next month on."""
    now = utc_now()
    async with transaction_on(data) as connection:
        accounts = AccountRepository(connection, TenantId(client))
        changed = (await accounts.lock()).subscription.changed_to(plan, now)
        await accounts.save(changed)
    answer(
        as_json,
        "Plan changed." if changed.next_plan is None else "Plan changes next month.",
        client_id=client,
        plan=changed.plan_at(now).value,
        next_plan=changed.next_plan.value if changed.next_plan else None,
        next_plan_from=changed.next_plan_from,
    )


@app.command("set-trial")
@command
async def set_trial(
    client: Annotated[str, typer.Option(help="client_id")],
    days: Annotated[int, typer.Option(help="From now; 0 ends the trial.", min=0, max=365)],
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Give a client the pro plan's quota and features for some days; its own plan follows."""
    now = utc_now()
    ends_at = now + timedelta(days=days) if days else None
    async with transaction_on(data) as connection:
        accounts = AccountRepository(connection, TenantId(client))
        subscription = (await accounts.lock()).subscription
        await accounts.save(replace(subscription, trial_ends_at=ends_at))
    answer(as_json, "Trial set.", client_id=client, trial_ends_at=ends_at)

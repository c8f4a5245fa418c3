"""The actor of a command: the person for whom the command runs."""

import getpass
from typing import Annotated

import typer

from domain.tenants.actor import OPERATOR_PREFIX, Actor
from store.core.database import Database
from store.tenants.members import MemberRepository

AsOption = Annotated[
    str | None,
    typer.Option(
        "--as", help="Id or email address of the person to act for; defaults to operator:LOGIN."
    ),
]


def operator() -> Actor:
    """Return the actor for the user who is logged in at the terminal, named `operator:LOGIN`."""
    return Actor.operator(f"{OPERATOR_PREFIX}{getpass.getuser()}")


async def acting(database: Database, name: str | None) -> Actor:
    """Return the actor of a command: the operator who acts on behalf of that person, or the
    operator alone. Raises InvalidInput."""
    if name is None:
        return operator()
    async with database.reading_across() as connection:
        person = await MemberRepository(connection).person(name)
    return Actor.operator(person, login=operator().name)

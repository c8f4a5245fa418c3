"""The actor of a command: the operator, or the user on whose behalf the operator acts."""

import getpass
from typing import Annotated

import typer

from domain.tenants.actor import OPERATOR_PREFIX, Actor
from store.core.database import Database
from store.tenants.members import MemberRepository

AsOption = Annotated[
    str | None,
    typer.Option(
        "--as", help="Id or email address of the user to act for; defaults to operator:LOGIN."
    ),
]


def operator() -> Actor:
    """Return the actor for the user logged in to the terminal, named `operator:LOGIN`."""
    return Actor.operator(f"{OPERATOR_PREFIX}{getpass.getuser()}")


async def acting(database: Database, name: str | None) -> Actor:
    """Return the actor of a command, on behalf of the user `name` if given. Raises InvalidInput for
    an unknown user."""
    if name is None:
        return operator()
    async with database.reading_across() as connection:
        person = await MemberRepository(connection).person(name)
    return Actor.operator(person, login=operator().name)

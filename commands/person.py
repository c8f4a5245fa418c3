"""Who acts: the person that a command is run for."""

import getpass
from typing import Annotated

import typer

from commands.member import checked_id

AsOption = Annotated[
    str | None, typer.Option("--as", help="The person who does it; if absent, operator:LOGIN.")
]


def acting_person(name: str | None) -> str:
    """That person, else whoever is logged in. Raises InvalidInput."""
    return f"operator:{getpass.getuser()}" if name is None else checked_id(name)

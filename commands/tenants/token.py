"""token: a command that creates a session token like those created at sign-in."""

import os
from pathlib import Path
from typing import Annotated

import typer

from adapters.identity.session_key import LIFETIME, SessionKeys
from adapters.system import utc_now
from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    database_of,
    environment_of,
    synchronous,
)
from domain.core.errors import InvalidInput
from domain.tenants.actor import is_operator
from domain.tenants.user import User, check_user_id
from embedded.data_folder import kept_folder
from store.tenants.members import MemberRepository


@synchronous
async def token(
    user: Annotated[str, typer.Option(help="Id or email address of the user.")],
    admin: Annotated[
        bool,
        typer.Option(
            "--admin",
            help=(
                "Create a token with access to every client. Any id is accepted, except "
                "operators' ids."
            ),
        ),
    ] = (False),
    data: DataOption = DEFAULT_DATA,
    as_json: JsonOption = False,
) -> None:
    """Create a session token that is valid for one hour."""
    keys = _session_keys(data)
    async with database_of(data) as database, database.reading_across() as connection:
        known = await MemberRepository(connection).find_user(user)
    if known is None:
        if not admin:
            raise InvalidInput(
                "there is no such user: create one with `client create` or `member add`"
            )
        known = check_user_id(user)
        if is_operator(known):
            raise InvalidInput("an id that begins with operator: is not a user's id")
    now = utc_now()
    made = keys.sign(User(known, admin), now)
    if as_json:
        ends_at = (now + LIFETIME).replace(microsecond=0)
        answer(True, "", token=made, user_id=known, is_admin=admin, expires_at=ends_at)
    else:
        typer.echo(made)  # The token is printed alone on a line, for shell substitution with $(…).


def _session_keys(data: Path) -> SessionKeys:
    """Return the session keys that the API accepts. Raises InvalidInput if no session keys are
    configured, or if the API accepts only an identity provider's tokens."""
    env = environment_of(data)
    if env.get("JWT_JWKS_URL") or env.get("OIDC_ISSUER"):
        raise InvalidInput(
            "the API accepts only session tokens from the provider at JWT_JWKS_URL or OIDC_ISSUER"
        )
    text = env.get("SESSION_KEY")
    if not text and not os.environ.get("DATABASE_URL"):
        text = kept_folder(data).session_key()
    if not text:
        raise InvalidInput("not configured: SESSION_KEY is not set")
    try:
        return SessionKeys(text)
    except ValueError:
        raise InvalidInput("not configured: SESSION_KEY contains no P-256 private keys") from None

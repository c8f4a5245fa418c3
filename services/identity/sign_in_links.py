"""Single-use sign-in links, which only an operator with database access can create."""

from domain.core.errors import InvalidInput
from domain.identity.errors import SignInLinkGone
from domain.identity.session import SessionKind
from domain.identity.sign_in_link import LASTS, link_token, token_digest
from domain.tenants.actor import Actor
from services.core.unit_of_work import UnitOfWork
from services.identity.sessions import OpenedSession, Visitor, open_session
from store.identity.people import user_of
from store.identity.sign_in_links import SignInLinks


async def make_sign_in_link(work: UnitOfWork, actor: Actor, email: str, random: bytes) -> str:
    """Create a sign-in link for the user with this address, and return the link's token, derived
    from TOKEN_BYTES random bytes.

    Raises InvalidInput if no user has the address.
    """
    user_id = await user_of(work.connection, email)
    if user_id is None:
        raise InvalidInput("no user has this email address")
    token = link_token(random)
    links = SignInLinks(work.connection)
    await links.add(token_digest(token), user_id, work.now + LASTS)
    work.note(actor, "sign-in link made", user_id=user_id)
    return token


async def enter_by_link(
    work: UnitOfWork, token: str, visitor: Visitor, random: bytes
) -> OpenedSession:
    """Open a browser session for the user of a sign-in link, with a secret from SECRET_BYTES random
    bytes. Raises SignInLinkGone for a used, expired or unknown link."""
    user_id = await SignInLinks(work.connection).use(token_digest(token), work.now)
    if user_id is None:
        raise SignInLinkGone
    return await open_session(work, user_id, SessionKind.BROWSER, visitor, random)

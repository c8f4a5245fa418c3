"""The OAuth token endpoints. An OAuth client uses them to get an API key, to check whether the key
is still active, and to revoke it."""

from dataclasses import dataclass, field, replace

from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.identity.errors import OAuthError, OAuthRefused
from domain.identity.grant import OAuthGrant, code_digest
from domain.identity.pkce import challenge_of, is_verifier
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.api_key import MAX_ACTIVE, MCP, key_material, new_key
from domain.tenants.errors import ClientNotFound
from domain.tenants.scopes import Scope
from services.core.unit_of_work import UnitOfWork
from store.identity.oauth_codes import OAuthCodeRepository, StoredCode
from store.identity.oauth_connections import OAuthConnection, OAuthConnectionRepository
from store.tenants.accounts import AccountRepository
from store.tenants.keys import KeyRepository
from store.tenants.members import MemberRepository


@dataclass(frozen=True, slots=True)
class PresentedCode:
    """An OAuth client's token request with an authorization code. `network` is the caller's IP
    network."""

    code: str = field(repr=False)
    verifier: str = field(repr=False)
    oauth_client_id: str
    redirect_uri: str
    network: str


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """An API key issued to an OAuth client, as both access and refresh token. `scopes` is None for
    all scopes."""

    key: str = field(repr=False)
    scopes: tuple[Scope, ...] | None


async def tenant_of_code(connection: AsyncConnection, code: str) -> TenantId | None:
    """Return the tenant to which an authorization code belongs, or None. Requires a connection that
    spans clients."""
    digest = code_digest(code)
    found = None if digest is None else await OAuthCodeRepository(connection).find(digest)
    return None if found is None else found.tenant


async def exchange_code(
    work: UnitOfWork, presented: PresentedCode, random: bytes
) -> IssuedKey | OAuthRefused:
    """Exchange an authorization code for a new API key from KEY_BYTES random bytes. It replaces the
    user's earlier key for this OAuth client.

    The unit of work spans clients. Errors are returned, not raised, so that the code's use is
    committed. A code that is presented twice may be stolen, so its key is revoked.
    """
    digest = code_digest(presented.code)
    if digest is None or not is_verifier(presented.verifier):
        return _no_grant()
    codes, key_id = OAuthCodeRepository(work.connection), work.new_id()
    grant = await codes.redeem(
        digest,
        oauth_client_id=presented.oauth_client_id,
        redirect_uri=presented.redirect_uri,
        challenge=challenge_of(presented.verifier),
        key_id=key_id,
        now=work.now,
    )
    if grant is not None:
        return await _issued(work, grant, key_id, random, network=presented.network)
    return await _refused(work, await codes.find(digest), presented)


async def find_connection(
    connection: AsyncConnection, token: str, oauth_client_id: str | None
) -> OAuthConnection | None:
    """Return the OAuth connection of an active token, or None. If `oauth_client_id` is given, the
    connection must belong to this OAuth client."""
    material = key_material(token)
    found = None if material is None else await OAuthConnectionRepository(connection).find(material)
    if found is None or oauth_client_id not in {None, found.oauth_client_id}:
        return None
    return found


async def end_connection(work: UnitOfWork, connection: OAuthConnection, *, network: str) -> None:
    """Permanently revoke an API key at the request of the OAuth client that holds it. `network` is
    the client's IP network."""
    await KeyRepository(work.connection).revoke(connection.key_id, work.now)
    work.note(_client_at(network), "key revoked", key_id=connection.key_id, reason="given back")


async def _issued(
    work: UnitOfWork, grant: OAuthGrant, key_id: str, random: bytes, *, network: str
) -> IssuedKey | OAuthRefused:
    # A role change also revokes keys. The lock serializes it with the issuance of this key.
    try:
        await AccountRepository(work.connection, work.tenant).lock()
    except ClientNotFound:  # The client is being erased.
        return _no_grant()
    role = await MemberRepository(work.connection).role(grant.user_id, grant.client_id)
    actor = Actor.person(grant.user_id, role, network=network)
    if role is None or not actor.may(MANAGERS):
        return _no_grant()  # The user who consented has lost the role.
    keys = KeyRepository(work.connection)
    for before in await OAuthConnectionRepository(work.connection).same(grant):
        await keys.revoke(before, work.now)
        work.note(actor, "key revoked", key_id=before, reason="replaced")
    if await keys.active(work.tenant) >= MAX_ACTIVE:
        return OAuthRefused(OAuthError.INVALID_GRANT, "the account has as many keys as it may")
    text, material = new_key(random, MCP)
    await keys.create(
        key_id=key_id,
        client_id=work.tenant,
        label=grant.label,
        material=material,
        now=work.now,
        created_by=actor.known_as,
        scopes=grant.scopes,
        user_id=grant.user_id,
        oauth_client_id=grant.oauth_client_id,
    )
    work.note(actor, "key created", key_id=key_id, oauth_client_id=grant.oauth_client_id)
    return IssuedKey(text, grant.scopes)


async def _refused(
    work: UnitOfWork, stored: StoredCode | None, presented: PresentedCode
) -> OAuthRefused:
    if stored is not None and stored.is_used:
        keys = KeyRepository(work.connection)
        if stored.key_id is not None and await keys.is_active(stored.key_id):
            await keys.revoke(stored.key_id, work.now)
            work.note(
                _client_at(presented.network),
                "key revoked",
                key_id=stored.key_id,
                reason="code presented again",
            )
        return _no_grant()
    same_client = stored is not None and stored.oauth_client_id == presented.oauth_client_id
    if stored is not None and same_client and stored.redirect_uri != presented.redirect_uri:
        return OAuthRefused(
            OAuthError.INVALID_REQUEST, "redirect_uri: it is not the one of the request"
        )
    return _no_grant()


def _client_at(network: str) -> Actor:
    return replace(Actor.system("oauth"), network=network)


def _no_grant() -> OAuthRefused:
    return OAuthRefused(
        OAuthError.INVALID_GRANT, "the code is unknown, used, expired or for another client"
    )

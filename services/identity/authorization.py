"""OAuth consent: a user allows an OAuth client to act on the user's behalf for one tenant."""

from dataclasses import dataclass

from domain.core.ids import TenantId
from domain.identity.grant import AccessRequest, OAuthGrant, code_digest, code_text, narrowed
from domain.identity.oauth_client import OAuthClient, is_document
from domain.identity.redirect_uri import RedirectUri
from domain.tenants.actor import MANAGERS, Actor
from domain.tenants.errors import AccessDenied
from services.core.unit_of_work import UnitOfWork
from store.identity.oauth_clients import OAuthClientRepository
from store.identity.oauth_codes import OAuthCodeRepository
from store.tenants.members import MemberRepository


@dataclass(frozen=True, slots=True)
class Consent:
    """A user's consent. `kept`: the requested scopes that the user grants."""

    client: OAuthClient
    redirect_uri: RedirectUri
    access: AccessRequest
    kept: frozenset[str]


async def give_consent(
    work: UnitOfWork, user_id: str, consent: Consent, random: bytes, *, network: str
) -> str:
    """Record a user's consent, and return the OAuth client's authorization code, derived from
    CODE_BYTES random bytes.

    The unit of work spans clients and belongs to the chosen tenant. `network` is the browser's IP
    network. Raises AccessDenied, RoleRequired, OAuthRefused (invalid_scope).
    """
    role = await MemberRepository(work.connection).role(user_id, work.tenant)
    if role is None:  # Internal admins have no client to which they could grant access.
        raise AccessDenied
    actor = Actor.person(user_id, role, network=network)
    actor.require(MANAGERS)
    code = code_text(random)
    digest = code_digest(code)
    if digest is None:
        raise RuntimeError("a code of ours has its shape")
    code_id = work.new_id()
    await OAuthCodeRepository(work.connection).create(
        code_id, digest, _grant(work.tenant, user_id, consent), work.now
    )
    if not is_document(consent.client.id):
        await OAuthClientRepository(work.connection).keep(consent.client.id, work.now)
    work.note(actor, "consent given", code_id=code_id, oauth_client_id=consent.client.id)
    return code


def _grant(tenant: TenantId, user_id: str, consent: Consent) -> OAuthGrant:
    return OAuthGrant(
        client_id=tenant,
        user_id=user_id,
        oauth_client_id=consent.client.id,
        label=consent.client.label,
        redirect_uri=consent.redirect_uri.text,
        challenge=consent.access.challenge,
        scopes=narrowed(consent.access.scopes, consent.kept),
    )

"""Sign-in with an emailed code or with another identity provider. The unit of work spans clients
because users do not belong to a client."""

from dataclasses import dataclass, field

from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.identity.code import code_digest, is_code
from domain.identity.opening import OpeningLimits
from domain.identity.provider import ProvedPerson
from domain.identity.session import SessionKind
from services.core.unit_of_work import UnitOfWork
from services.identity.accounts import Opening, OwnAccount, account_of, account_of_person
from services.identity.sessions import OpenedSession, Visitor, open_session
from store.identity.codes import CodeRepository, NewCode
from store.identity.people import address_of
from store.tenants.members import MemberRepository


@dataclass(frozen=True, slots=True)
class CodeWanted:
    """A request for a newly generated sign-in `code`. `email` and `brand_name` are checked by
    `domain/identity/`. `network` is the client's IP network."""

    email: str
    brand_name: str | None
    language: str
    network: str
    code: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class CodePresented:
    """A sign-in code that a user entered. `kind` is the kind of session to open. `random` contains
    SECRET_BYTES random bytes."""

    email: str
    code: str = field(repr=False)
    kind: SessionKind
    visitor: Visitor
    random: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class PersonProved:
    """A person verified by an external identity provider. `brand_name` is set if a new user may
    open an account. `random` contains SECRET_BYTES random bytes."""

    person: ProvedPerson
    brand_name: str | None
    visitor: Visitor
    random: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Entered:
    """The result of a sign-in. `client_id` is the default client, or None. `created` means that
    this sign-in created it. `invited` means that invitations are unanswered."""

    opened: OpenedSession
    client_id: str | None
    created: bool
    invited: bool


async def make_code(
    work: UnitOfWork, wanted: CodeWanted, sealer: Sealer, limits: OpeningLimits
) -> str:
    """Store a sign-in code for any address, and return its id for the email. A code beyond the
    limits is never sent or valid.

    All cases run the same statements and workflow, so the response time reveals nothing about the
    address.
    """
    code = _new_code(work, wanted, sealer)
    codes = CodeRepository(work.connection)
    await codes.create(code, work.now, to_strangers=limits.codes_to_strangers)
    return code.id


async def make_code_in_crowd(
    work: UnitOfWork, wanted: CodeWanted, sealer: Sealer, limits: OpeningLimits
) -> str | None:
    """Store a sign-in code while too many are requested. Return its id, or None if no code may be
    sent.

    The duration reveals whether the address is known, so the caller must already have responded.
    """
    code = _new_code(work, wanted, sealer)
    codes = CodeRepository(work.connection)
    of_strangers = limits.codes_to_strangers
    is_sent = await codes.create(code, work.now, to_strangers=of_strangers, crowded=True)
    return code.id if is_sent else None


def _new_code(work: UnitOfWork, wanted: CodeWanted, sealer: Sealer) -> NewCode:
    code_id = work.new_id()
    return NewCode(
        id=code_id,
        email=wanted.email,
        digest=code_digest(sealer, code_id, wanted.code),
        sealed_code=sealer.seal(wanted.code),
        brand_name=wanted.brand_name,
        language=wanted.language,
        network=wanted.network,
    )


async def sign_in(
    work: UnitOfWork, presented: CodePresented, sealer: Sealer, limits: OpeningLimits
) -> Entered | None:
    """Open a session with a sign-in code, after creating the requested account, if any.

    Return None for a wrong, used, expired or unknown code. The attempt still counts, so the caller
    must commit. After success, the unit of work belongs to the user's client. Raises
    TooManyAccounts, which leaves the code valid.
    """
    codes = CodeRepository(work.connection)
    network = presented.visitor.network
    tried = await codes.take_try(presented.email, network, work.now)
    right = [one for one in tried if is_code(sealer, one.id, presented.code, one.digest)]
    if not right:
        return None
    await codes.use_up(presented.email, work.now)
    opening = Opening(right[0].brand_name, network, limits)
    account = await account_of(work, presented.email, opening)
    if account is None:
        return None
    await MemberRepository(work.connection).verify_address(account.user_id, work.now)
    return await _let_in(work, account, presented.kind, presented.visitor, presented.random)


async def sign_in_person(
    work: UnitOfWork, proved: PersonProved, limits: OpeningLimits
) -> Entered | None:
    """Open a browser session for a person verified by another identity provider. Return None for a
    new person with neither an invitation nor a shop name.

    After success, the unit of work belongs to the user's client. Raises the errors of
    `account_of_person`.
    """
    opening = Opening(proved.brand_name, proved.visitor.network, limits)
    account = await account_of_person(work, proved.person, opening)
    if account is None:
        return None
    email = proved.person.email
    if email is not None and email == await address_of(work.connection, account.user_id):
        await MemberRepository(work.connection).verify_address(account.user_id, work.now)
    return await _let_in(work, account, SessionKind.BROWSER, proved.visitor, proved.random)


async def _let_in(
    work: UnitOfWork, account: OwnAccount, kind: SessionKind, visitor: Visitor, random: bytes
) -> Entered:
    if account.client_id is not None:
        work.tenant = TenantId(account.client_id)
    opened = await open_session(work, account.user_id, kind, visitor, random)
    return Entered(opened, account.client_id, account.created, account.invited)

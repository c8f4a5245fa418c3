"""Management of a client's members: the users, other than the owner, who may act on behalf of the
client. The unit of work spans clients because users do not belong to a client."""

from domain.core.errors import InvalidInput
from domain.tenants.actor import MANAGERS, REVIEWERS, Actor, ActorKind, without_address
from domain.tenants.client import Role
from domain.tenants.errors import KeysUndecided, MemberNotFound, OwnerStays, RoleRequired
from domain.tenants.key_choice import KEEP_ALL, KeyChoice
from domain.tenants.user import check_user_id
from services.core.unit_of_work import UnitOfWork
from store.identity.invitations import InvitationRepository
from store.reviews.member_notifications import MemberNotificationRepository
from store.reviews.replies import ReplyRepository
from store.tenants.accounts import AccountRepository
from store.tenants.keys import KeyRepository
from store.tenants.left_keys import LeftKeyRepository
from store.tenants.members import ClientMember, MemberRepository


async def add_member(
    work: UnitOfWork,
    actor: Actor,
    user: str,
    role: Role,
    *,
    user_id: str | None = None,
    keys: KeyChoice | None = None,
) -> str:
    """Add a user as a member, or change the member's role. Return the user's id.

    `user` is an id or an email address. An unknown address creates a user with the id `user_id`.
    `keys` states which of the member's keys to revoke if the new role may not create keys. Raises
    RoleRequired, ClientNotFound, InvalidInput, KeysUndecided.
    """
    await _require_manager(work, actor)
    if role is Role.OWNER:
        raise OwnerStays("a client has one owner, and a member cannot become the owner")
    members = MemberRepository(work.connection)
    known = await members.find_user(user) if user_id is None else None
    if known is None:
        known = check_user_id(user_id or work.new_id())
        if "@" not in user:
            raise InvalidInput("there is no such user: pass an email address to create one")
        await members.ensure_user(known, user, work.now)
        if user_id is not None and actor.kind is ActorKind.OPERATOR:
            # An operator entered this address for a user of another identity provider, so the
            # address counts as verified.
            await members.verify_address(known, work.now)
    before = await members.role(known, work.tenant)
    await members.add(work.tenant, known, role, work.now)
    await _note_left(work, before, role)
    work.note(actor, "member added", member_id=known, role=role.value)
    await _end_powers(work, actor, known, role, keys)
    return known


async def change_role(
    work: UnitOfWork, actor: Actor, user_id: str, role: Role, *, keys: KeyChoice | None = None
) -> ClientMember:
    """Change a member's role, starting with the next request. Raises RoleRequired, ClientNotFound,
    OwnerStays, MemberNotFound, KeysUndecided.

    `keys` states which of the member's keys to revoke if the new role may not create keys.
    """
    await _require_manager(work, actor)
    if role is Role.OWNER:
        raise OwnerStays("a client has one owner, and a member cannot become the owner")
    members = MemberRepository(work.connection)
    before = await members.role(user_id, work.tenant)
    changed = await members.change_role(work.tenant, user_id, role)
    await _note_left(work, before, role)
    work.note(actor, "member changed", member_id=user_id, role=role.value)
    await _end_powers(work, actor, user_id, role, keys)
    return changed


async def remove_member(
    work: UnitOfWork, actor: Actor, user: str, *, keys: KeyChoice | None = None
) -> str:
    """End a membership immediately, and return the user's id.

    `user` is an id or an email address. `keys` states which of the user's keys to revoke. The keys
    of authorized OAuth clients are revoked, and the user's invitations withdrawn. Raises
    RoleRequired, ClientNotFound, OwnerStays, MemberNotFound, KeysUndecided.
    """
    await _require_manager(work, actor)
    members = MemberRepository(work.connection)
    known = await members.find_user(user)
    if known is None:
        raise MemberNotFound("there is no such user")
    before = await members.role(known, work.tenant)
    await members.remove(work.tenant, known)
    await _note_left(work, before, None)
    work.note(actor, "member removed", member_id=known)
    await _end_powers(work, actor, known, None, keys)
    return known


async def _require_manager(work: UnitOfWork, actor: Actor) -> None:
    """Lock the client's account, and check that the actor manages the client now. Two managers
    cannot demote each other at the same time. Raises RoleRequired, ClientNotFound."""
    actor.require(MANAGERS)
    await AccountRepository(work.connection, work.tenant).lock()
    if actor.role is Role.ADMIN:
        role = await MemberRepository(work.connection).role(actor.name, work.tenant)
        if role not in MANAGERS:
            raise RoleRequired


async def _note_left(work: UnitOfWork, before: Role | None, after: Role | None) -> None:
    """Record that a manager left, so that loosening changes are still delayed for some time. A
    manager could otherwise remove all others first."""
    if before in MANAGERS and after not in MANAGERS:
        await MemberRepository(work.connection).note_manager_left(work.tenant, work.now)


async def _end_powers(
    work: UnitOfWork, actor: Actor, user_id: str, role: Role | None, keys: KeyChoice | None
) -> None:
    """Revoke the credentials and invitations of a user who no longer manages the client.

    Also cancel pending replies of a user who may no longer answer, and delete the notifications of
    a former member. Raises KeysUndecided if `keys` does not cover the user's active keys.
    """
    if role in MANAGERS:
        return
    # The code that issues an OAuth key takes the same lock. That code either reads the new role, or
    # has already issued the key, which is then revoked here.
    await AccountRepository(work.connection, work.tenant).lock()
    if role is None:
        await MemberNotificationRepository(work.connection, work.tenant).remove(user_id)
    if role not in REVIEWERS:
        for reply_id in await ReplyRepository(work.connection, work.tenant).cancel_of(
            user_id, work.now
        ):
            work.note(actor, "reply cancelled", reply_id=reply_id, reason="author removed")
    repository = KeyRepository(work.connection)
    for key_id in await repository.revoke_of_user(work.tenant, user_id, work.now):
        work.note(actor, "key revoked", key_id=key_id)
    invitations = InvitationRepository(work.connection, work.tenant)
    for invitation_id in await invitations.withdraw_of(user_id, work.now):
        work.note(actor, "invitation withdrawn", invitation_id=invitation_id)
    made = await repository.made_by(work.tenant, without_address(user_id))
    if made and keys is None:
        raise KeysUndecided(len(made))
    for key in made:
        if keys is not None and keys.revokes(key.id):
            await repository.revoke(key.id, work.now)
            work.note(actor, "key revoked", key_id=key.id, reason="maker removed")
        else:
            work.note(actor, "key kept", key_id=key.id, reason="maker removed")


async def leave_client(work: UnitOfWork, actor: Actor) -> None:
    """End the actor's own membership immediately. The actor's keys stay active.

    They are then listed as keys without a manager, and the sweep notifies the managers by email.
    Raises OwnerStays, MemberNotFound.
    """
    members = MemberRepository(work.connection)
    before = await members.role(actor.name, work.tenant)
    await members.remove(work.tenant, actor.name)
    await _note_left(work, before, None)
    work.note(actor, "member left", member_id=actor.known_as)
    await _end_powers(work, actor, actor.name, None, KEEP_ALL)
    await LeftKeyRepository(work.connection, work.tenant).leave(actor.known_as, work.now)


async def acting_as(work: UnitOfWork, actor: Actor, name: str | None) -> Actor:
    """Return the operator as an actor for the named person, or unchanged if none is named. Raises
    InvalidInput."""
    if name is None:
        return actor
    person = await MemberRepository(work.connection).person(name)
    return Actor.operator(person, login=actor.name)

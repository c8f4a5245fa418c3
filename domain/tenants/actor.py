"""The actor: who wants a use case done, and what they may."""

from collections.abc import Set
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Final

from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired

ANYONE: Final = frozenset(Role)
REVIEWERS: Final = frozenset({Role.OWNER, Role.ADMIN, Role.AGENT})
MANAGERS: Final = frozenset({Role.OWNER, Role.ADMIN})
OWNERS: Final = frozenset({Role.OWNER})
OPERATORS: Final[frozenset[Role]] = frozenset()
"""No role of a client: operators, internal admins and the system alone."""


class ActorKind(StrEnum):
    PERSON = "person"
    KEY = "key"
    OPERATOR = "operator"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Actor:
    """`name`: as records keep it. `role`: a person's part in the client, None for an internal
    admin. `login`: of the operator who acts in a person's name."""

    kind: ActorKind
    name: str
    role: Role | None = None
    login: str | None = None

    @staticmethod
    def person(user_id: str, role: Role | None) -> "Actor":
        return Actor(ActorKind.PERSON, user_id, role)

    @staticmethod
    def key(key_id: str) -> "Actor":
        return Actor(ActorKind.KEY, key_id)

    @staticmethod
    def operator(name: str, *, login: str | None = None) -> "Actor":
        return Actor(ActorKind.OPERATOR, name, login=login)

    @staticmethod
    def system(name: str) -> "Actor":
        return Actor(ActorKind.SYSTEM, name)

    def may(self, roles: Set[Role]) -> bool:
        """Whether an actor with one of these roles may do it: operators, internal admins and the
        system may do all of it, keys nothing."""
        match self.kind:
            case ActorKind.OPERATOR | ActorKind.SYSTEM:
                return True
            case ActorKind.PERSON:
                return self.role is None or self.role in roles
            case ActorKind.KEY:
                return False

    @property
    def noted(self) -> dict[str, str]:
        """How an audit entry tells who it was. Logs mask addresses, so an address is a digest."""
        address = "@" in self.name
        name = f"sha256:{sha256(self.name.encode()).hexdigest()[:16]}" if address else self.name
        by = {"by": self.login} if self.login else {}
        return {"actor_kind": self.kind, "user_id": name, **by}

    def require(self, roles: Set[Role]) -> None:
        """Raises RoleRequired."""
        if not self.may(roles):
            raise RoleRequired

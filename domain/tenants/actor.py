"""The actor: the caller of a use case, with their permissions."""

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
"""An empty set of required roles. It permits only operators, internal admins and the system."""


OPERATOR_PREFIX: Final = "operator:"


class ActorKind(StrEnum):
    PERSON = "person"
    KEY = "key"
    OPERATOR = "operator"
    SYSTEM = "system"


def without_address(name: str) -> str:
    """Return an actor's name, or a digest of the name if it is an email address."""
    return f"sha256:{sha256(name.encode()).hexdigest()[:16]}" if "@" in name else name


def is_operator(name: str) -> bool:
    """Return True if an actor's recorded name belongs to an operator who did not act as a
    member."""
    return name.startswith(OPERATOR_PREFIX)


@dataclass(frozen=True, slots=True)
class Actor:
    """The caller of a use case. `name` is stored in records. `role` is None for an internal admin.
    `login` is the operator who acts as a member. `network` is the client's IP network, or None
    without a request."""

    kind: ActorKind
    name: str
    role: Role | None = None
    login: str | None = None
    network: str | None = None

    @staticmethod
    def person(user_id: str, role: Role | None, *, network: str | None = None) -> "Actor":
        return Actor(ActorKind.PERSON, user_id, role, network=network)

    @staticmethod
    def key(key_id: str, *, network: str | None = None) -> "Actor":
        return Actor(ActorKind.KEY, key_id, network=network)

    @staticmethod
    def operator(name: str, *, login: str | None = None) -> "Actor":
        return Actor(ActorKind.OPERATOR, name, login=login)

    @staticmethod
    def system(name: str) -> "Actor":
        return Actor(ActorKind.SYSTEM, name)

    def may(self, roles: Set[Role]) -> bool:
        """Return True if the actor has one of the roles. Operators, internal admins and the system
        always pass; API keys never do."""
        match self.kind:
            case ActorKind.OPERATOR | ActorKind.SYSTEM:
                return True
            case ActorKind.PERSON:
                return self.role is None or self.role in roles
            case ActorKind.KEY:
                return False

    @property
    def known_as(self) -> str:
        """Return the actor's name without an email address. Records that may be kept longer than
        the person's own data use this name."""
        return without_address(self.name)

    @property
    def noted(self) -> dict[str, str]:
        """Return the fields that identify the actor in a log line."""
        by = {"by": self.login} if self.login else {}
        network = {"network": self.network} if self.network else {}
        return {"actor_kind": self.kind, "user_id": self.known_as, **by, **network}

    def require(self, roles: Set[Role]) -> None:
        """Raise RoleRequired unless the actor has one of the roles or is always permitted."""
        if not self.may(roles):
            raise RoleRequired

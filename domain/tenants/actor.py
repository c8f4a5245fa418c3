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


OPERATOR_PREFIX: Final = "operator:"


class ActorKind(StrEnum):
    PERSON = "person"
    KEY = "key"
    OPERATOR = "operator"
    SYSTEM = "system"


def without_address(name: str) -> str:
    """The same name, or a digest where it is a mail address."""
    return f"sha256:{sha256(name.encode()).hexdigest()[:16]}" if "@" in name else name


def is_operator(name: str) -> bool:
    """Return whether records name an operator so, who acted in no person's name."""
    return name.startswith(OPERATOR_PREFIX)


@dataclass(frozen=True, slots=True)
class Actor:
    """`name`: as records keep it. `role`: a person's part in the client, None for an internal
    admin. `login`: of the operator who acts in a person's name. `network`: where the request came
    from, never a whole address; None for what no request did."""

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
    def known_as(self) -> str:
        """How records that outlive people name who it was."""
        return without_address(self.name)

    @property
    def noted(self) -> dict[str, str]:
        """How a log line tells who it was."""
        by = {"by": self.login} if self.login else {}
        network = {"network": self.network} if self.network else {}
        return {"actor_kind": self.kind, "user_id": self.known_as, **by, **network}

    def require(self, roles: Set[Role]) -> None:
        """Raises RoleRequired."""
        if not self.may(roles):
            raise RoleRequired

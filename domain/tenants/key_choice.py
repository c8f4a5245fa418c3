"""What becomes of the API keys that a member made, when they manage the client no longer."""

from dataclasses import dataclass
from typing import Final, Literal

KeyFate = Literal["revoke", "keep"]


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """`revoked`: ids of the keys to revoke; None for all of them. The others stay."""

    revoked: frozenset[str] | None = None

    def revokes(self, key_id: str) -> bool:
        return self.revoked is None or key_id in self.revoked


REVOKE_ALL: Final = KeyChoice()
KEEP_ALL: Final = KeyChoice(frozenset())


def key_choice(fate: KeyFate | None) -> KeyChoice | None:
    """Return the choice that a word names; None for no choice."""
    if fate is None:
        return None
    return REVOKE_ALL if fate == "revoke" else KEEP_ALL

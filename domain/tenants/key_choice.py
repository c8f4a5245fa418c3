"""The choice to revoke or keep a member's API keys when the member no longer manages the client."""

from dataclasses import dataclass
from typing import Final, Literal

KeyFate = Literal["revoke", "keep"]


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """The keys to revoke. `revoked`: their ids, or None for all of the member's keys. Other keys
    stay active."""

    revoked: frozenset[str] | None = None

    def revokes(self, key_id: str) -> bool:
        return self.revoked is None or key_id in self.revoked


REVOKE_ALL: Final = KeyChoice()
KEEP_ALL: Final = KeyChoice(frozenset())


def key_choice(fate: KeyFate | None) -> KeyChoice | None:
    """Return the choice that a word stands for, or None without a word."""
    if fate is None:
        return None
    return REVOKE_ALL if fate == "revoke" else KEEP_ALL

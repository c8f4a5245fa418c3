"""The choice to revoke or keep the API keys of a member who no longer manages the client."""

from dataclasses import dataclass
from typing import Final, Literal

KeyFate = Literal["revoke", "keep"]


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """The API keys to revoke for a member. None revokes all of them."""

    revoked: frozenset[str] | None = None

    def revokes(self, key_id: str) -> bool:
        """Return True if the API key with this id must be revoked."""
        return self.revoked is None or key_id in self.revoked


REVOKE_ALL: Final = KeyChoice()
KEEP_ALL: Final = KeyChoice(frozenset())


def key_choice(fate: KeyFate | None) -> KeyChoice | None:
    """Return the choice for `revoke` or `keep`, or None if `fate` is None."""
    if fate is None:
        return None
    return REVOKE_ALL if fate == "revoke" else KEEP_ALL

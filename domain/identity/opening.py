"""Limits on new accounts: accounts that were opened count, requests do not."""

from dataclasses import dataclass
from typing import Final

_SHARE: Final = 10
_STRANGERS_SHARE: Final = 3
_STRANGERS_AT_LEAST: Final = 10


@dataclass(frozen=True, slots=True)
class AccountsOpened:
    """Accounts of the last hour: in the whole installation, and from one network."""

    anywhere: int
    from_network: int


@dataclass(frozen=True, slots=True)
class OpeningLimits:
    """`an_hour`: accounts that the whole installation opens within an hour."""

    an_hour: int

    @property
    def of_network(self) -> int:
        """Accounts an hour from one network: a share, so that one network leaves room."""
        return max(1, self.an_hour // _SHARE)

    @property
    def codes_to_strangers(self) -> int:
        """Codes an hour that one network has sent to addresses without an account."""
        return max(_STRANGERS_AT_LEAST, self.an_hour // _STRANGERS_SHARE)

    def admit(self, opened: AccountsOpened) -> bool:
        """Return whether one more account may be opened."""
        return opened.anywhere < self.an_hour and opened.from_network < self.of_network

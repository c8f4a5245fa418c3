"""Limits on new accounts. Only opened accounts count, not requests for one."""

from dataclasses import dataclass
from typing import Final

_SHARE: Final = 10
_STRANGERS_SHARE: Final = 3
_STRANGERS_AT_LEAST: Final = 10


@dataclass(frozen=True, slots=True)
class AccountsOpened:
    """Numbers of accounts opened in the last hour: in the whole installation, and from one
    network."""

    anywhere: int
    from_network: int


@dataclass(frozen=True, slots=True)
class OpeningLimits:
    """Limits on new accounts. `an_hour`: the hourly limit of the whole installation."""

    an_hour: int

    @property
    def of_network(self) -> int:
        """Return the hourly limit for one network: a share of the total, which one network must not
        use up."""
        return max(1, self.an_hour // _SHARE)

    @property
    def codes_to_strangers(self) -> int:
        """Return the hourly limit on codes that one network may request for addresses without an
        account."""
        return max(_STRANGERS_AT_LEAST, self.an_hour // _STRANGERS_SHARE)

    def admit(self, opened: AccountsOpened) -> bool:
        """Return whether one more account may be opened."""
        return opened.anywhere < self.an_hour and opened.from_network < self.of_network

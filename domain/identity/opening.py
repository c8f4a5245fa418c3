"""Limits on new accounts. Only opened accounts count toward the limits, not requests for an
account."""

from dataclasses import dataclass
from typing import Final

_SHARE: Final = 10
_STRANGERS_SHARE: Final = 3
_STRANGERS_AT_LEAST: Final = 10


@dataclass(frozen=True, slots=True)
class AccountsOpened:
    """The number of accounts opened in the last hour, in the installation and from one network."""

    anywhere: int
    from_network: int


@dataclass(frozen=True, slots=True)
class OpeningLimits:
    """The limits on new accounts. `an_hour` is the maximum number of new accounts per hour in the
    whole installation."""

    an_hour: int

    @property
    def of_network(self) -> int:
        """Return the hourly limit on new accounts for one network. It is a fraction of the
        installation's limit, so that one network cannot use up the whole limit."""
        return max(1, self.an_hour // _SHARE)

    @property
    def codes_to_strangers(self) -> int:
        """Return the hourly limit on codes that one network may request for addresses without an
        account."""
        return max(_STRANGERS_AT_LEAST, self.an_hour // _STRANGERS_SHARE)

    def admit(self, opened: AccountsOpened) -> bool:
        """Return True if one more account may be opened. `opened` are the accounts opened in the
        last hour."""
        return opened.anywhere < self.an_hour and opened.from_network < self.of_network

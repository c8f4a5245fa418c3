"""Money: a whole number of minor units and a currency, as defined by ISO 4217."""

from decimal import Decimal, InvalidOperation, Overflow
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field

from domain.core.errors import InvalidInput

MAX_MINOR: Final = 10**12
# Number of decimal digits. Currencies that are not listed have two digits.
_DIGITS: Final = {
    **dict.fromkeys(
        (
            "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI",
            "VND", "VUV", "XAF", "XOF", "XPF",
        ),
        0,
    ),
    **dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3),
}  # fmt: skip


class Money(BaseModel):
    """An amount of money. `minor` is a whole number of minor units (cents, yen, fils), never
    negative."""

    model_config = ConfigDict(frozen=True)

    minor: int = Field(ge=0, le=MAX_MINOR)
    currency: str = Field(pattern="^[A-Z]{3}$")

    @classmethod
    def parse(cls, amount: str, currency: str) -> Self:
        """Return the amount of a decimal string from an external service. "49.90" in EUR is 4990
        minor units.

        Raises InvalidInput for an invalid number or currency, or for more decimals than the
        currency has, except zeros.
        """
        code = currency.upper()
        try:
            scaled = Decimal(amount.strip()).scaleb(digits_of(code))
        except (InvalidOperation, Overflow):
            raise InvalidInput("amount: a decimal number like 49.90 expected") from None
        if not scaled.is_finite() or scaled != scaled.to_integral_value():
            raise InvalidInput("amount: more digits than the currency has")
        if not 0 <= scaled <= MAX_MINOR or len(code) != 3 or not code.isalpha():
            raise InvalidInput("amount: from 0 up, in a currency of three letters")
        return cls(minor=int(scaled), currency=code)

    def decimal(self) -> str:
        """Return the amount as a decimal string, such as "49.90", or "1200" for yen."""
        digits = digits_of(self.currency)
        return f"{Decimal(self.minor).scaleb(-digits):.{digits}f}"

    def __str__(self) -> str:
        return f"{self.decimal()} {self.currency}"


def digits_of(currency: str) -> int:
    """Return the number of decimal digits used by a currency."""
    return _DIGITS.get(currency, 2)

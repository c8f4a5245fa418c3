"""Text without personal data: what would tell who wrote it is replaced by made-up values."""

from collections.abc import Sequence


def impersonal(
    text: str, *, email: str | None, name: str | None, order_numbers: Sequence[str]
) -> str:
    """The text with e-mail addresses, phone numbers, IBANs, card numbers, street addresses, links
    that hold a token, the customer's `name` and `order_numbers` replaced.

    The same value becomes the same made-up one in each text that is given the same customer and
    numbers. Text without any is unchanged, and so is a result. Linear in the text.
    """
    raise NotImplementedError


def made_up_numbers(order_numbers: Sequence[str]) -> dict[str, str]:
    """The made-up number that `impersonal` writes for each, of the same shape; none of them is
    among `order_numbers`."""
    raise NotImplementedError

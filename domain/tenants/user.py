"""The user: somebody whom an identity provider vouches for."""

from dataclasses import dataclass
from typing import Final

MAX_USER_ID: Final = 255


@dataclass(frozen=True, slots=True)
class User:
    """`id` is the provider's `sub`. An internal admin may act for every client."""

    id: str
    is_admin: bool


def is_user_id(text: str) -> bool:
    """Whether a text can be an id: 1 to 255 characters that can be printed, so no NUL."""
    return 1 <= len(text) <= MAX_USER_ID and text.isprintable()

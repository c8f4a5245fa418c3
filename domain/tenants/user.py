"""A user: a person authenticated by an identity provider."""

from dataclasses import dataclass
from typing import Final

from domain.core.errors import InvalidInput

MAX_USER_ID: Final = 255


@dataclass(frozen=True, slots=True)
class User:
    """A user. `id` is the identity provider's `sub`. An internal admin (`is_admin`) may act for
    every client."""

    id: str
    is_admin: bool


def is_user_id(text: str) -> bool:
    """Return True if a text is a valid user id: 1 to MAX_USER_ID printable characters. NUL is not
    printable."""
    return 1 <= len(text) <= MAX_USER_ID and text.isprintable()


def check_user_id(text: str) -> str:
    """Return the user id. Raises InvalidInput if it is invalid."""
    if not is_user_id(text):
        raise InvalidInput("a user's id has 1 to 255 characters, all of them visible")
    return text

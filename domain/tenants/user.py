"""The user: somebody whom an identity provider vouches for."""

from dataclasses import dataclass
from typing import Final

from domain.core.errors import InvalidInput

MAX_USER_ID: Final = 255


@dataclass(frozen=True, slots=True)
class User:
    """`id` is the provider's `sub`. An internal admin may act for every client."""

    id: str
    is_admin: bool


def is_user_id(text: str) -> bool:
    """Whether a text can be an id: 1 to 255 characters that can be printed, so no NUL."""
    return 1 <= len(text) <= MAX_USER_ID and text.isprintable()


def check_user_id(text: str) -> str:
    """The id, if it can be one. Raises InvalidInput."""
    if not is_user_id(text):
        raise InvalidInput("a user's id has 1 to 255 characters, all of them visible")
    return text

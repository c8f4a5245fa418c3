"""The machine's clock and id generator. Code that needs them receives them as parameters."""

from datetime import UTC, datetime

from ulid import ULID


def utc_now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


def new_ulid() -> str:
    """Return a new ULID, in upper case."""
    return str(ULID())

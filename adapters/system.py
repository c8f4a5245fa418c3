"""The machine's clock and id generator. Code that needs them receives them as parameters."""

from datetime import UTC, datetime

from ulid import ULID


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_ulid() -> str:
    return str(ULID())

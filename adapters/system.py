"""The machine's clock and id generator, injected where they are needed."""

from datetime import UTC, datetime

from ulid import ULID


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_ulid() -> str:
    return str(ULID())

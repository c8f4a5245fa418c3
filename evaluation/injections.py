"""What came of the suite of injection attempts, as `make eval` tells it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InjectionResult:
    """All attempts against one model; `broken` names those that ended in a forbidden action."""

    model: str
    attempts: int
    broken: tuple[str, ...] = ()

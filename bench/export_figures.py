"""What the export's chapter measures, and the numbers that come of it."""

import math
import statistics
from typing import Final

from pydantic import BaseModel

JSON: Final = "export json"
CSV: Final = "export csv"
PSQL: Final = "psql json"
PSQL_CSV: Final = "psql csv"

SIZES: Final = (1_000, 10_000, 100_000)
"""Conversations of the tenants that are exported."""

LARGEST: Final = SIZES[-1]
ROWS: Final = (1_000, 10_000, 100_000, 1_000_000)
"""Rows of one table, for the growth of cost."""


class ExportTurn(BaseModel):
    """One whole copy of a tenant's rows. `first_byte_ms`: of exports only. `records`: those that
    the file holds. `cpu_s`: seconds of processor time, by process; what reads is psql, or the
    export's reader."""

    round: int
    contender: str
    conversations: int
    seconds: float
    bytes: int
    records: int
    cpu_s: dict[str, float]
    first_byte_ms: float | None = None


class Memory(BaseModel):
    """Resident megabytes of the API's process, before two exports at once and at their worst."""

    before_mb: float
    peak_mb: float

    @property
    def growth_mb(self) -> float:
        return self.peak_mb - self.before_mb


class Reading(BaseModel):
    """The median time of reading so many rows, in seconds."""

    rows: int
    seconds: float


class Growth(BaseModel):
    """`start_s`: what an export takes that has no rows; it is taken off all others."""

    start_s: float
    readings: tuple[Reading, ...]

    def row_us(self, reading: Reading) -> float:
        """Microseconds a row."""
        return (reading.seconds - self.start_s) / reading.rows * 1e6

    @property
    def exponent(self) -> float:
        """The power of the number of rows that the time grows with: 1 is linear. It is the slope of
        the line through all readings where both axes are logarithms."""
        rows = [math.log(reading.rows) for reading in self.readings]
        times = [math.log(reading.seconds - self.start_s) for reading in self.readings]
        return statistics.linear_regression(rows, times).slope

    @property
    def spread(self) -> float:
        """The dearest row over the cheapest, between sizes."""
        costs = [self.row_us(reading) for reading in self.readings]
        return max(costs) / min(costs)


class ExportFigures(BaseModel):
    turns: list[ExportTurn]
    memory: Memory
    growth: Growth
    filled_in_s: float

    def of(self, contender: str, conversations: int) -> list[ExportTurn]:
        return [
            turn
            for turn in self.turns
            if (turn.contender, turn.conversations) == (contender, conversations)
        ]

    def seconds(self, contender: str, conversations: int = LARGEST) -> float:
        """The median round's."""
        return statistics.median(turn.seconds for turn in self.of(contender, conversations))

    def cpu_s(self, contender: str, conversations: int = LARGEST) -> float:
        """The median round's, of all processes."""
        return statistics.median(
            sum(turn.cpu_s.values()) for turn in self.of(contender, conversations)
        )

    def first_byte_ms(self, contender: str, conversations: int = LARGEST) -> float:
        """The median round's."""
        return statistics.median(
            turn.first_byte_ms or math.nan for turn in self.of(contender, conversations)
        )

"""The measurements of the export benchmark, and the figures derived from them."""

import math
import statistics
from typing import Final

from pydantic import BaseModel

JSON: Final = "export json"
CSV: Final = "export csv"
PSQL: Final = "psql json"
PSQL_CSV: Final = "psql csv"

SIZES: Final = (1_000, 10_000, 100_000)
"""The numbers of conversations in the exported tenants."""

LARGEST: Final = SIZES[-1]
ROWS: Final = (1_000, 10_000, 100_000, 1_000_000)
"""The numbers of rows in one table, used to measure how the cost grows."""


class ExportTurn(BaseModel):
    """One complete copy of a tenant's rows. `first_byte_ms` is set only for exports. `records` is
    their number in the file. `cpu_s` is the CPU time by process. psql or the export reader counts
    as the reader."""

    round: int
    contender: str
    conversations: int
    seconds: float
    bytes: int
    records: int
    cpu_s: dict[str, float]
    first_byte_ms: float | None = None


class Memory(BaseModel):
    """Resident memory of the API process in MB, before and at the peak of two concurrent
    exports."""

    before_mb: float
    peak_mb: float

    @property
    def growth_mb(self) -> float:
        return self.peak_mb - self.before_mb


class Reading(BaseModel):
    """The median time for reading a number of rows, in seconds."""

    rows: int
    seconds: float


class Growth(BaseModel):
    """How the export time grows with the number of rows. `start_s`, the time of an export without
    rows, is excluded from the other figures."""

    start_s: float
    readings: tuple[Reading, ...]

    def row_us(self, reading: Reading) -> float:
        """Return the export time per row, in microseconds."""
        return (reading.seconds - self.start_s) / reading.rows * 1e6

    @property
    def exponent(self) -> float:
        """Return the growth exponent: the time is proportional to the number of rows raised to it,
        so 1 is linear.

        It is the slope of the regression line on logarithmic axes.
        """
        rows = [math.log(reading.rows) for reading in self.readings]
        times = [math.log(reading.seconds - self.start_s) for reading in self.readings]
        return statistics.linear_regression(rows, times).slope

    @property
    def spread(self) -> float:
        """Return the highest cost per row divided by the lowest, across sizes."""
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
        """Return the median duration over the rounds, in seconds."""
        return statistics.median(turn.seconds for turn in self.of(contender, conversations))

    def cpu_s(self, contender: str, conversations: int = LARGEST) -> float:
        """Return the median CPU time over the rounds, in seconds. The time of a round is the sum
        over all processes."""
        return statistics.median(
            sum(turn.cpu_s.values()) for turn in self.of(contender, conversations)
        )

    def first_byte_ms(self, contender: str, conversations: int = LARGEST) -> float:
        """Return the median time to the first byte over the rounds, in milliseconds."""
        return statistics.median(
            turn.first_byte_ms or math.nan for turn in self.of(contender, conversations)
        )

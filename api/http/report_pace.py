"""How often one and the same failure is reported: an outage under load is one piece of news."""

import time
from collections.abc import Hashable
from typing import Final

REPORT_EVERY_S: Final = 10.0


class ReportPace:
    """The log and the numbers tell of every failure all the same."""

    def __init__(self) -> None:
        self._reported_at: dict[Hashable, float] = {}

    def is_due(self, what: Hashable) -> bool:
        """Whether it is to be reported now, as it then must be. `what`: one of few."""
        now = time.monotonic()
        if now - self._reported_at.get(what, -REPORT_EVERY_S) < REPORT_EVERY_S:
            return False
        self._reported_at[what] = now
        return True

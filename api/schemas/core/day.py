"""Query parameters that specify days."""

import re
from datetime import date
from typing import Annotated, Final

from pydantic import BeforeValidator

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def _written_out(value: object) -> object:
    """Return the value. Raises ValueError for a text other than YYYY-MM-DD, because Pydantic would
    accept numbers and times."""
    if isinstance(value, str) and not _DAY.fullmatch(value):
        raise ValueError("no day")
    return value


Day = Annotated[date, BeforeValidator(_written_out)]

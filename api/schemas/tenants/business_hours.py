"""Request model for the business hours of a client."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody, Whole
from domain.tenants.business_hours import (
    DEFAULT_ZONE,
    MAX_HOLIDAYS,
    MAX_INTERVALS,
    MAX_TARGET_MINUTES,
    MAX_TIME_ZONE,
    TIME_OF_DAY,
    BusinessHours,
    OpeningInterval,
    Weekday,
    parse_holidays,
)

_TIME: Final = {"type": "string", "pattern": TIME_OF_DAY}
_INTERVAL: Final = {
    "type": "object",
    "properties": {"opens": _TIME, "closes": _TIME},
    "required": ["opens", "closes"],
    "additionalProperties": False,
}
_Date = Annotated[
    str,
    Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$"),
    WithJsonSchema({"type": "string", "format": "date"}),
]
_Interval = Annotated[OpeningInterval, WithJsonSchema(_INTERVAL)]


class BusinessHoursBody(StrictBody):
    """The new business hours. They replace the current ones, so an omitted field returns to its
    default."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "time_zone": "Europe/Paris",
                    "week": {
                        "monday": [
                            {"opens": "09:00", "closes": "12:30"},
                            {"opens": "14:00", "closes": "18:00"},
                        ]
                    },
                    "holidays": ["2026-12-25"],
                    "target_minutes": 120,
                }
            ]
        }
    )

    time_zone: Annotated[
        str,
        Field(
            max_length=MAX_TIME_ZONE,
            description="IANA time zone of the opening hours and holidays.",
        ),
    ] = DEFAULT_ZONE
    week: Annotated[
        dict[Annotated[Weekday, Field(strict=False)], list[_Interval]],
        WithJsonSchema(
            {
                "type": "object",
                "properties": {
                    day.value: {"type": "array", "items": _INTERVAL, "maxItems": MAX_INTERVALS}
                    for day in Weekday
                },
                "additionalProperties": False,
            }
        ),
        Field(
            default={},
            description=(
                "Opening intervals by weekday. They must not overlap. An omitted weekday is "
                "closed. Without any interval, the client is open around the clock."
            ),
        ),
    ]
    holidays: Annotated[
        list[_Date],
        Field(
            default=[],
            max_length=MAX_HOLIDAYS,
            description="Dates on which the client is closed all day.",
        ),
    ]
    target_minutes: Annotated[
        Annotated[Whole, Field(ge=1, le=MAX_TARGET_MINUTES)] | None,
        Field(
            description=(
                "Target for the first answer to a customer's message, in minutes of business "
                "time. Null for no target."
            )
        ),
    ] = None

    @property
    def hours(self) -> BusinessHours:
        """Return the business hours as a domain object, without the checks that
        `check_business_hours` makes. Raises InvalidSettings."""
        return BusinessHours(
            time_zone=self.time_zone,
            week={day: tuple(intervals) for day, intervals in self.week.items()},
            holidays=parse_holidays(self.holidays),
            target_minutes=self.target_minutes,
        )

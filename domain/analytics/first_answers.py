"""Metrics of first answers, for a range of days or one of its slices."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from domain.analytics.latencies import added, percentile
from domain.analytics.metrics import Slice, share

_Count = Annotated[int, Field(ge=0)]


class FirstAnswerFigures(BaseModel):
    """The metrics of first answers. Days computed by an earlier version of the service, which did
    not count first answers, are not included."""

    model_config = ConfigDict(frozen=True)

    answered: Annotated[
        _Count,
        Field(
            default=0,
            description=(
                "Number of runs counted in `asked` that have a first answer, from the agent or a "
                "teammate."
            ),
        ),
    ]
    targeted: Annotated[
        _Count,
        Field(
            default=0,
            description=(
                "Number of runs counted in `answered` on days for which a target for the first "
                "answer was set."
            ),
        ),
    ]
    in_target: Annotated[
        _Count,
        Field(
            default=0,
            description=(
                "Number of runs counted in `targeted` whose first answer was within the target."
            ),
        ),
    ]
    in_target_share: Annotated[
        Annotated[float | None, Field(ge=0, le=1)],
        Field(default=None, description="`in_target` as a share of `targeted`, from 0 to 1."),
    ]
    first_answer_p50_ms: Annotated[
        float | None,
        Field(
            default=None,
            description=(
                "Median business time until the first answer, in milliseconds, with an error of "
                "at most 7.6%."
            ),
        ),
    ]

    @property
    def first_answer_time(self) -> timedelta:
        """Return the median business time until the first answer, or zero if there is none."""
        return timedelta(milliseconds=self.first_answer_p50_ms or 0)


def first_answer_figures(parts: Sequence[Slice]) -> dict[str, Any]:
    """Return the metrics of first answers by field name."""
    targeted = sum(part.targeted for part in parts)
    in_target = sum(part.in_target for part in parts)
    return {
        "answered": sum(part.answered for part in parts),
        "targeted": targeted,
        "in_target": in_target,
        "in_target_share": share(in_target, targeted),
        "first_answer_p50_ms": percentile(added(part.answer_times for part in parts), 0.5),
    }

"""Request and response models for the dashboard's widget routes."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody, Whole
from domain.widget.allowed_origins import MAX_ORIGIN, MAX_ORIGINS, ORIGIN, check_origins
from domain.widget.widget import (
    MAX_OVERLAP_HOURS,
    MAX_SHARE,
    OVERLAP_HOURS,
    WidgetChange,
    WidgetSummary,
)

# The origins are validated in domain/widget/allowed_origins.py, not here, because the errors raised
# there name the problem.
_Origins = Annotated[
    list[str],
    WithJsonSchema(
        {
            "type": "array",
            "maxItems": MAX_ORIGINS,
            "items": {"type": "string", "pattern": ORIGIN, "maxLength": MAX_ORIGIN},
        }
    ),
    Field(
        description="Origins that may show the widget, such as `https://shop.example`. Replaces "
        "the current list. `null` leaves it unchanged."
    ),
]
_NEVER_NULL: Final = ("allowed_origins", "accepts_api_keys")
_Share = Annotated[
    Whole,
    Field(ge=1, le=MAX_SHARE),
    WithJsonSchema({"type": "integer", "minimum": 1, "maximum": MAX_SHARE}),
]


class WidgetBody(StrictBody):
    """A change to the widget's settings. At least one field is required. Omitted fields do not
    change."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "examples": [{"allowed_origins": ["https://shop.example"]}],
        }
    )

    allowed_origins: _Origins | None = None
    hourly_messages: Annotated[
        _Share | None,
        Field(
            description="Maximum widget messages per hour; null resets it to half the client's "
            "limit."
        ),
    ] = None
    monthly_tickets: Annotated[
        _Share | None,
        Field(
            description=(
                "Maximum widget tickets per month; null resets it to half the plan's quota."
            )
        ),
    ] = None
    accepts_api_keys: Annotated[
        bool | None,
        Field(
            description="Accept API keys on the widget's routes; null leaves the setting unchanged."
        ),
    ] = None

    @property
    def change(self) -> WidgetChange:
        """Return the change as a domain object. Raises InvalidBody, InvalidWidget."""
        self.require_some()
        kept = {name for name in _NEVER_NULL if getattr(self, name) is None}
        given = self.model_dump(include=self.model_fields_set - kept)
        if self.allowed_origins is not None:
            given["allowed_origins"] = check_origins(self.allowed_origins)
        return WidgetChange.model_validate(given)


class OverlapBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"overlap_hours": 24}]})

    overlap_hours: float = Field(
        default=OVERLAP_HOURS,
        ge=0,
        le=MAX_OVERLAP_HOURS,
        description="Hours for which the previous value remains valid; 0 revokes it immediately.",
    )


class WidgetWithSecret(BaseModel):
    widget: WidgetSummary
    secret: str = Field(
        description=(
            "Secret that the site uses to sign its users' identities. It is shown only once."
        )
    )

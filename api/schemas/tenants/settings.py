"""Request models of the dashboard routes for a client's settings."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody, Whole
from domain.privacy.retention import MAX_DAYS, MIN_DAYS
from domain.tenants.client_settings import (
    ACKNOWLEDGED_IN,
    AUTHSERV_ID,
    COLOR,
    LOGO_URL,
    MAX_ACKNOWLEDGEMENT,
    MAX_AUTHSERV_IDS,
    MAX_DISPLAY_NAME,
    MAX_PROMPT,
    MAX_SENSITIVE_WORD,
    MAX_SENSITIVE_WORDS,
    MAX_URL,
    Branding,
    SettingsChange,
    check_acknowledgement,
    check_authserv_ids,
    check_branding,
    check_days,
    check_prompt,
    check_sensitive_words,
)
from domain.tenants.frame_settings import DEFAULT_FRAME, FRAME_LENGTHS, check_frame

# domain/tenants/client_settings.py validates the values, because its error names the problem.
_Prompt = Annotated[
    str,
    WithJsonSchema({"type": "string", "maxLength": MAX_PROMPT}),
    Field(description="The merchant's instructions to a language model; empty for none."),
]
_Name = Annotated[str, WithJsonSchema({"type": "string", "maxLength": MAX_DISPLAY_NAME})]
_Url = Annotated[str, WithJsonSchema({"type": "string", "pattern": LOGO_URL, "maxLength": MAX_URL})]
_Color = Annotated[str, WithJsonSchema({"type": "string", "pattern": COLOR})]


class BrandingBody(StrictBody):
    """The new branding, which replaces the current one. Omitted fields are cleared."""

    display_name: Annotated[
        _Name | None, Field(description=("Sender name of the client's emails."))
    ] = None
    logo_url: Annotated[_Url | None, Field(description="URL of the logo in the widget.")] = None
    color: Annotated[_Color | None, Field(description=("Color of the widget, in hexadecimal."))] = (
        None
    )


# The schema is inlined, because references could not be resolved inside the OpenAPI document.
_Branding = Annotated[BrandingBody, WithJsonSchema(BrandingBody.model_json_schema())]
_Retention = Annotated[
    dict[str, Whole | None],
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                name: {
                    "anyOf": [
                        {"type": "integer", "minimum": least, "maximum": MAX_DAYS},
                        {"type": "null"},
                    ]
                }
                for name, least in MIN_DAYS.items()
            },
            "additionalProperties": False,
        }
    ),
    Field(
        description=(
            "Retention in days, by class of records; null keeps records of the class forever. "
            "Replaces the current periods. Records of an omitted class are kept for their default "
            "period."
        )
    ),
]
_SensitiveWords = Annotated[
    list[str],
    WithJsonSchema(
        {
            "type": "array",
            # The schema allows fewer words than the API: words in other scripts are accepted too.
            "items": {"type": "string", "pattern": "[A-Za-z]", "maxLength": MAX_SENSITIVE_WORD},
            "maxItems": MAX_SENSITIVE_WORDS,
        }
    ),
    Field(
        description=(
            "Words and phrases that send every message containing them to human review. "
            "Replaces the current list."
        )
    ),
]
_Acknowledgement = Annotated[
    dict[str, str],
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                language: {"type": "string", "maxLength": MAX_ACKNOWLEDGEMENT}
                for language in ACKNOWLEDGED_IN
            },
            "additionalProperties": False,
        }
    ),
    Field(
        description=(
            "Text by language that a customer gets when a person must handle the request. For "
            "an omitted language, the built-in text is used."
        )
    ),
]
# The schema allows fewer texts than the API: other placeholders are accepted too.
_NAMED: Final = r"^([^{}]*\{\{ customer_name \}\}[^{}]*|\s*)$"
_Frame = Annotated[
    dict[str, dict[str, str]],
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                language: {
                    "type": "object",
                    "properties": {
                        field: {
                            "type": "string",
                            "maxLength": length,
                            "pattern": _NAMED if field == "named_greeting" else r"^[^{}]*$",
                        }
                        for field, length in FRAME_LENGTHS.items()
                    },
                    "additionalProperties": False,
                }
                for language in DEFAULT_FRAME
            },
            "additionalProperties": False,
        }
    ),
    Field(
        description=(
            "Greeting and sign-off of answers, by language. `named_greeting` must contain `{{ "
            "customer_name }}`; all texts may contain `{{ brand_name }}`. An omitted or empty "
            "text takes its default."
        )
    ),
]

_AuthservIds = Annotated[
    list[str],
    WithJsonSchema(
        {
            "type": "array",
            "maxItems": MAX_AUTHSERV_IDS,
            "items": {"type": "string", "pattern": AUTHSERV_ID},
        }
    ),
    Field(
        description=(
            "Mail servers whose `Authentication-Results` headers are trusted; empty for none. "
            "Replaces the current list."
        )
    ),
]


class SettingsBody(StrictBody):
    """A change of a client's settings. At least one field is required; null leaves a field
    unchanged."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "examples": [{"branding": {"display_name": "Boutique", "color": "#1a2b3c"}}],
        }
    )

    system_prompt: _Prompt | None = None
    branding: _Branding | None = None
    retention: _Retention | None = None
    sensitive_words: _SensitiveWords | None = None
    acknowledgement: _Acknowledgement | None = None
    frame: _Frame | None = None
    authserv_ids: _AuthservIds | None = None
    ask_rating: Annotated[
        bool | None, Field(description=("If true, customers are asked to rate answers."))
    ] = None
    holds_loosening: Annotated[
        bool | None,
        Field(
            description=(
                "If true, a change that loosens a protection takes effect after a second "
                "manager's approval, or after a day."
            )
        ),
    ] = None
    answers_from_knowledge: Annotated[
        bool | None,
        Field(
            description=(
                "If true, answers of the embedded brain from knowledge are sent without review."
            )
        ),
    ] = None

    @property
    def change(self) -> SettingsChange:
        """Return the change as a domain object. Raises InvalidBody, InvalidSettings."""
        self.require_some()
        prompt, branding, servers = self.system_prompt, self.branding, self.authserv_ids
        words, acknowledged = self.sensitive_words, self.acknowledgement
        return SettingsChange(
            system_prompt=None if prompt is None else check_prompt(prompt),
            branding=branding and check_branding(Branding(**branding.model_dump())),
            retention=None if self.retention is None else check_days(self.retention),
            sensitive_words=None if words is None else check_sensitive_words(words),
            acknowledgement=None if acknowledged is None else check_acknowledgement(acknowledged),
            frame=None if self.frame is None else check_frame(self.frame),
            authserv_ids=None if servers is None else check_authserv_ids(servers),
            ask_rating=self.ask_rating,
            holds_loosening=self.holds_loosening,
            answers_from_knowledge=self.answers_from_knowledge,
        )

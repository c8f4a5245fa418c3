"""Request models for the dashboard's settings routes."""

from typing import Annotated, Final

from pydantic import ConfigDict, Field, WithJsonSchema

from api.schemas.core.strict_body import StrictBody, Whole
from domain.privacy.retention import MAX_DAYS, MIN_DAYS
from domain.tenants.answer_decision import AnswerDecision
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
from domain.tenants.disclosure import (
    DEFAULT_DISCLOSURE,
    MAX_DISCLOSURE,
    MIN_DISCLOSURE,
    DisclosureStatus,
    check_disclosure,
)
from domain.tenants.frame_settings import DEFAULT_FRAME, FRAME_LENGTHS, check_frame
from domain.tenants.guidance import (
    MAX_GUIDANCE_CHARS,
    MAX_GUIDANCE_RULES,
    Guidance,
    check_guidance,
)

# The values are validated in domain/tenants/client_settings.py, not here, because the errors raised
# there name the problem.
_Prompt = Annotated[
    str,
    WithJsonSchema({"type": "string", "maxLength": MAX_PROMPT}),
    Field(description="The merchant's instructions for the language model; empty for none."),
]
_Name = Annotated[str, WithJsonSchema({"type": "string", "maxLength": MAX_DISPLAY_NAME})]
_Url = Annotated[str, WithJsonSchema({"type": "string", "pattern": LOGO_URL, "maxLength": MAX_URL})]
_Color = Annotated[str, WithJsonSchema({"type": "string", "pattern": COLOR})]
# The schema is stricter than the API, which also accepts rules in other scripts.
_GuidanceRules = Annotated[
    list[str],
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "string", "pattern": "[A-Za-z]", "maxLength": MAX_GUIDANCE_CHARS},
            "maxItems": MAX_GUIDANCE_RULES,
        }
    ),
]
_NO_RULES: Final[list[str]] = []


class GuidanceBody(StrictBody):
    """The new style guidance. It replaces the current one, so omitted fields are cleared."""

    tone: Annotated[
        str,
        WithJsonSchema({"type": "string", "maxLength": MAX_GUIDANCE_CHARS}),
        Field(description="Tone of the answers, on one line."),
    ] = ""
    do: Annotated[_GuidanceRules, Field(description="Rules that answers follow.")] = _NO_RULES
    dont: Annotated[_GuidanceRules, Field(description="What answers avoid.")] = _NO_RULES

    @property
    def guidance(self) -> Guidance:
        """Return the guidance in its stored form. Raises InvalidSettings."""
        return check_guidance(Guidance(tone=self.tone, do=tuple(self.do), dont=tuple(self.dont)))


class BrandingBody(StrictBody):
    """The new branding. It replaces the current one, so omitted fields are cleared."""

    display_name: Annotated[
        _Name | None, Field(description=("Sender name in the client's emails."))
    ] = None
    logo_url: Annotated[
        _Url | None, Field(description=("URL of the logo shown in the widget."))
    ] = None
    color: Annotated[_Color | None, Field(description=("Widget color, in hexadecimal."))] = None


# The schema is inlined because the OpenAPI document could not resolve references.
_Guidance = Annotated[GuidanceBody, WithJsonSchema(GuidanceBody.model_json_schema())]
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
            "Retention period in days for each class of records; null keeps the records "
            "forever. Replaces the current periods. An omitted class uses the default period."
        )
    ),
]
_SensitiveWords = Annotated[
    list[str],
    WithJsonSchema(
        {
            "type": "array",
            # The schema is stricter than the API, which also accepts words in other scripts.
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
            "Text that a customer receives when a human agent must handle the request, by "
            "language. An omitted language uses the built-in text."
        )
    ),
]
# The schema is stricter than the API, which also accepts other placeholders.
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
            "Greeting and sign-off for answers, by language. `named_greeting` must contain "
            "`{{ customer_name }}`; all texts may contain `{{ brand_name }}`. If a text is "
            "omitted or empty, its default is used."
        )
    ),
]
_Disclosure = Annotated[
    dict[str, str],
    WithJsonSchema(
        {
            "type": "object",
            "properties": {
                language: {"type": "string", "maxLength": MAX_DISCLOSURE}
                for language in DEFAULT_DISCLOSURE
            },
            "additionalProperties": False,
        }
    ),
    Field(
        description=(
            "AI disclosure below the agent's answers in emails and helpdesk tickets, by language. "
            f"Each text must have at least {MIN_DISCLOSURE} characters and state that an AI "
            "assistant answers. If a text is omitted or empty, the default is used."
        )
    ),
]
_DisclosureStatus = Annotated[
    DisclosureStatus,
    WithJsonSchema({"type": "string", "enum": [*DisclosureStatus]}),
    Field(
        strict=False,
        description=(
            "`on`, or the reason for switching off the AI disclosure: `stated_elsewhere`, "
            "`people_review` or `not_covered`. The audit log records the reason."
        ),
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
    """A change to a client's settings. At least one field is required. A null field stays
    unchanged."""

    model_config = ConfigDict(
        json_schema_extra={
            "minProperties": 1,
            "examples": [{"branding": {"display_name": "Boutique", "color": "#1a2b3c"}}],
        }
    )

    system_prompt: _Prompt | None = None
    guidance: _Guidance | None = None
    branding: _Branding | None = None
    retention: _Retention | None = None
    sensitive_words: _SensitiveWords | None = None
    acknowledgement: _Acknowledgement | None = None
    frame: _Frame | None = None
    disclosure: _Disclosure | None = None
    disclosure_status: _DisclosureStatus | None = None
    authserv_ids: _AuthservIds | None = None
    ask_rating: Annotated[
        bool | None, Field(description=("If true, customers are asked to rate answers."))
    ] = None
    holds_loosening: Annotated[
        bool | None,
        Field(
            description=(
                "If true, a change that loosens a protection takes effect when a second manager "
                "approves it, or after one day."
            )
        ),
    ] = None
    answers_from_knowledge: Annotated[
        bool | None,
        Field(
            description=(
                "If true, the embedded brain's answers from knowledge are sent without review."
            )
        ),
    ] = None
    answer_decision: Annotated[
        AnswerDecision | None,
        Field(
            description=(
                "Version of the decision whether an answer from knowledge is confident. Version 2 "
                "sends more answers than version 1. Version 3 also shows excerpts while a human "
                "review is pending."
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
            guidance=self.guidance and self.guidance.guidance,
            branding=branding and check_branding(Branding(**branding.model_dump())),
            retention=None if self.retention is None else check_days(self.retention),
            sensitive_words=None if words is None else check_sensitive_words(words),
            acknowledgement=None if acknowledged is None else check_acknowledgement(acknowledged),
            frame=None if self.frame is None else check_frame(self.frame),
            disclosure=None if self.disclosure is None else check_disclosure(self.disclosure),
            disclosure_status=self.disclosure_status,
            authserv_ids=None if servers is None else check_authserv_ids(servers),
            ask_rating=self.ask_rating,
            holds_loosening=self.holds_loosening,
            answers_from_knowledge=self.answers_from_knowledge,
            answer_decision=self.answer_decision,
        )

"""Request and response models for the visitor's page."""

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.schemas.core.strict_body import StrictBody
from api.schemas.intake.gateway import NoPlaybook
from domain.runs.run import RunResult
from domain.widget.widget_session import MAX_TOKEN

MAX_MESSAGE: Final = 4_000
MAX_PAGE_URL: Final = 2_000
MAX_EMAIL: Final = 320
# The pattern excludes NUL because PostgreSQL cannot store it.
_PHRASE: Final = r"^[^\x00]*[^\s\x00][^\x00]*$"
_NO_NUL: Final = r"^[^\x00]*$"

Language = Literal["fr", "en"]
SessionToken = Annotated[
    str,
    Field(
        max_length=MAX_TOKEN,
        description=("Session token issued by the service. Any other value starts a new session."),
    ),
]


class ChatMessage(StrictBody):
    """A visitor's message to the agent."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"message": "Où est ma commande 1042 ?"}]}
    )

    message: str = Field(min_length=1, max_length=MAX_MESSAGE, pattern=_PHRASE)
    session_id: SessionToken | None = None
    customer_email: Annotated[str, Field(max_length=MAX_EMAIL)] | None = Field(
        default=None,
        description=(
            "Visitor's email address. Without a signature, the address is unverified. An "
            "unverified address is only shown to people who read the conversation."
        ),
    )
    page_url: Annotated[str, Field(max_length=MAX_PAGE_URL, pattern=_NO_NUL)] | None = Field(
        default=None,
        description=(
            "URL of the page that shows the widget. The query and fragment are not stored."
        ),
    )
    user_signature: Annotated[str, Field(max_length=200, pattern=_NO_NUL)] | None = Field(
        default=None,
        description=(
            "HMAC-SHA256 of `customer_email`, keyed with the widget secret, in hexadecimal."
        ),
    )
    language: Language | None = Field(
        default=None, description="Visitor's language; defaults to the Accept-Language header."
    )
    verify_first: bool = Field(
        default=False,
        description=(
            "If true, a message about an order from an unverified visitor is not processed or "
            "counted, and `status` is `verification_required`."
        ),
    )


class ChatStatus(StrEnum):
    COMPLETED = "completed"
    NEEDS_REVIEW = "needs_review"
    FAILED = "failed"
    NO_PLAYBOOK = "no_playbook"
    VERIFICATION_REQUIRED = "verification_required"


class ChatAnswer(BaseModel):
    session_id: str = Field(description="Session token to send with the next message.")
    response: str = Field(
        description="Text of the answer to the visitor; empty if `status` is not `completed`."
    )
    status: ChatStatus
    event_id: str | None = Field(description="Id of the event; null if the message started no run.")
    acknowledgement: str | None = Field(
        description="Text to show the visitor immediately if a human agent will answer, or null."
    )

    @classmethod
    def without_run(cls, session_id: str, status: ChatStatus) -> "ChatAnswer":
        return cls(
            session_id=session_id, response="", status=status, event_id=None, acknowledgement=None
        )

    @classmethod
    def of(cls, session_id: str, answer: RunResult | NoPlaybook) -> "ChatAnswer":
        if isinstance(answer, NoPlaybook):
            return cls.without_run(session_id, ChatStatus.NO_PLAYBOOK)
        return cls(
            session_id=session_id,
            response=answer.response,
            status=ChatStatus(answer.status),
            event_id=answer.event_id,
            acknowledgement=answer.acknowledgement,
        )

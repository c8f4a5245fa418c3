"""A client's settings, such as instructions to the language model, branding and retention."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from domain.core.errors import InvalidInput
from domain.core.plain_text import clean_text, without_controls
from domain.core.text import fold
from domain.privacy.retention import MAX_DAYS, MIN_DAYS, check_retention
from domain.tenants.answer_decision import LATEST_DECISION, AnswerDecision
from domain.tenants.disclosure import DisclosureStatus, check_disclosure
from domain.tenants.errors import InvalidSettings
from domain.tenants.frame_settings import check_frame
from domain.tenants.guidance import Guidance, check_guidance

MAX_PROMPT: Final = 8_000
MAX_DISPLAY_NAME: Final = 100
MAX_URL: Final = 2_000
MAX_AUTHSERV_IDS: Final = 5
MAX_SENSITIVE_WORDS: Final = 100
MAX_SENSITIVE_WORD: Final = 80
MAX_ACKNOWLEDGEMENT: Final = 1_000

# The languages in which the product answers.
ACKNOWLEDGED_IN: Final = ("fr", "en")

# The merchant's web pages embed these values, so no value may contain characters that end an HTML
# attribute or a style.
LOGO_URL: Final = (
    r"^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?"
    r"(/[A-Za-z0-9._~!$&()*+,;=:@%/-]*)?(\?[A-Za-z0-9._~!$&()*+,;=:@%/?-]*)?$"
)
COLOR: Final = "^#[0-9A-Fa-f]{6}$"
AUTHSERV_ID: Final = "^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?\\.?$"
WIDGET_KEY: Final = "^wk_[0-9a-f]{32}$"
WIDGET_KEY_BYTES: Final = 16


class Branding(BaseModel):
    """The branding shown to a client's customers. A field that is None uses the default."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    display_name: str | None = Field(
        default=None,
        description="Sender name in emails to customers. Null for the client's name.",
    )
    logo_url: str | None = Field(default=None, description="URL of the widget's logo.")
    color: str | None = Field(default=None, description="Color of the widget, such as `#1a2b3c`.")


class ClientSettings(BaseModel):
    """A client's settings. The field defaults apply to a client without stored settings."""

    model_config = ConfigDict(frozen=True)

    system_prompt: str | None = Field(
        default=None, description="Merchant's instructions to the language model."
    )
    guidance: Guidance = Field(
        default=Guidance(),
        description="Style guidance to the language model: the tone, and lists of rules.",
    )
    branding: Branding = Branding()
    widget_key: str | None = Field(
        default=None, description="Public key of the chat widget, which is visible in web pages."
    )
    retention: dict[str, int | None] = Field(
        default={},
        description=(
            "Retention in days by record class, for the classes that the client set. Null "
            "keeps the records forever."
        ),
    )
    sensitive_words: tuple[str, ...] = Field(
        default=(),
        description=("Words and phrases that always cause a message to be escalated to a human."),
    )
    acknowledgement: dict[str, str] = Field(
        default={},
        description=(
            "Acknowledgement text by language. Sent to a customer whose message is escalated "
            "directly to a human."
        ),
    )
    frame: dict[str, dict[str, str]] = Field(
        default={},
        description=(
            "Texts that frame answers (`named_greeting`, `greeting`, `sign_off`), by language. "
            "Contains only texts that differ from the defaults."
        ),
    )
    disclosure: dict[str, str] = Field(
        default={},
        description=(
            "AI disclosure by language: the line below the agent's answers in emails and "
            "helpdesk tickets. Contains only texts that differ from the defaults."
        ),
    )
    disclosure_status: DisclosureStatus = Field(
        default=DisclosureStatus.ON,
        description=(
            "`on`, or the reason why the AI disclosure is switched off: `stated_elsewhere`, "
            "`people_review` or `not_covered`."
        ),
    )
    authserv_ids: tuple[str, ...] = Field(
        default=(), description="Mail servers whose `Authentication-Results` headers are trusted."
    )
    ask_rating: bool = Field(
        default=False, description="True if customers are asked to rate an answer."
    )
    holds_loosening: bool = Field(
        default=True,
        description=(
            "True if a change that expands the agent's permissions takes effect only when a "
            "second manager approves it, or after one day. The change takes effect immediately if "
            "the client has only one manager."
        ),
    )
    answers_from_knowledge: bool = Field(
        default=True,
        description=(
            "True if the embedded brain's confident answers from knowledge are sent without "
            "human review. If false, they are held for review as drafts."
        ),
    )
    answer_decision: AnswerDecision = Field(
        default=LATEST_DECISION,
        description=(
            "Version of the decision whether an answer from knowledge is confident. Version 2 "
            "sends more answers than version 1. Version 3 also shows excerpts while a human "
            "review is pending."
        ),
    )
    updated_at: datetime | None = None


class SettingsChange(BaseModel):
    """A validated change to a client's settings. None leaves a field unchanged. An empty prompt
    removes it. Other fields are replaced entirely."""

    model_config = ConfigDict(frozen=True)

    system_prompt: str | None = None
    guidance: Guidance | None = None
    branding: Branding | None = None
    retention: dict[str, int | None] | None = None
    sensitive_words: tuple[str, ...] | None = None
    acknowledgement: dict[str, str] | None = None
    frame: dict[str, dict[str, str]] | None = None
    disclosure: dict[str, str] | None = None
    disclosure_status: DisclosureStatus | None = None
    authserv_ids: tuple[str, ...] | None = None
    ask_rating: bool | None = None
    holds_loosening: bool | None = None
    answers_from_knowledge: bool | None = None
    answer_decision: AnswerDecision | None = None


class SettingsAdjustment(BaseModel):
    """An unvalidated change to parts of a client's settings. Parts that it does not mention stay
    unchanged.

    - `guidance`: the fields of the guidance to replace.
    - `looks`: branding fields. None removes a field.
    - `days`: retention, as in ClientSettings.
    - `usual`: record classes that return to their default retention.
    - `authserv_ids`, `sensitive_words`: the complete new lists.
    - `acknowledged`: texts by language. An empty text removes one.
    - `frame`, `disclosed`: texts by language. An empty text restores the default.
    """

    model_config = ConfigDict(frozen=True)

    system_prompt: str | None = None
    guidance: dict[str, str | tuple[str, ...]] = {}
    looks: dict[str, str | None] = {}
    days: dict[str, int | None] = {}
    usual: frozenset[str] = frozenset()
    sensitive_words: tuple[str, ...] | None = None
    acknowledged: dict[str, str] = {}
    frame: dict[str, dict[str, str]] = {}
    disclosed: dict[str, str] = {}
    disclosure_status: DisclosureStatus | None = None
    authserv_ids: tuple[str, ...] | None = None
    ask_rating: bool | None = None
    holds_loosening: bool | None = None
    answers_from_knowledge: bool | None = None
    answer_decision: AnswerDecision | None = None


def adjusted(there: ClientSettings, adjustment: SettingsAdjustment) -> SettingsChange:
    """Return the change that results from applying an adjustment to the settings `there`.

    Raises InvalidSettings.
    """
    prompt, looks = adjustment.system_prompt, adjustment.looks
    days, usual, servers = adjustment.days, adjustment.usual, adjustment.authserv_ids
    words, acknowledged = adjustment.sensitive_words, adjustment.acknowledged
    check_days(dict.fromkeys(usual))
    kept = {name: kept for name, kept in {**there.retention, **days}.items() if name not in usual}
    return SettingsChange(
        system_prompt=None if prompt is None else check_prompt(prompt),
        guidance=check_guidance(there.guidance.model_copy(update=adjustment.guidance))
        if adjustment.guidance
        else None,
        branding=check_branding(there.branding.model_copy(update=looks)) if looks else None,
        retention=check_days(kept) if days or usual else None,
        sensitive_words=None if words is None else check_sensitive_words(words),
        acknowledgement=check_acknowledgement({**there.acknowledgement, **acknowledged})
        if acknowledged
        else None,
        frame=check_frame(_merged(there.frame, adjustment.frame)) if adjustment.frame else None,
        disclosure=check_disclosure({**there.disclosure, **adjustment.disclosed})
        if adjustment.disclosed
        else None,
        disclosure_status=adjustment.disclosure_status,
        authserv_ids=None if servers is None else check_authserv_ids(servers),
        ask_rating=adjustment.ask_rating,
        holds_loosening=adjustment.holds_loosening,
        answers_from_knowledge=adjustment.answers_from_knowledge,
        answer_decision=adjustment.answer_decision,
    )


def _merged(
    there: Mapping[str, Mapping[str, str]], given: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    languages = dict.fromkeys((*there, *given))
    return {one: {**there.get(one, {}), **given.get(one, {})} for one in languages}


def check_prompt(text: str) -> str:
    """Return the merchant's instructions, trimmed and without invisible characters, which a model
    would read. Raises InvalidSettings."""
    prompt = without_controls(text).strip()
    if len(prompt) > MAX_PROMPT:
        raise InvalidSettings(
            f"system_prompt: at most {MAX_PROMPT} characters",
            f"system_prompt : {MAX_PROMPT} caractères au plus",
        )
    return prompt


def check_branding(given: Branding) -> Branding:
    """Return the branding in its stored form. Raises InvalidSettings.

    The display name becomes one line without control characters, for use in an email header, or
    None if blank.
    """
    name = " ".join(without_controls(given.display_name or "").split()) or None
    if name is not None and len(name) > MAX_DISPLAY_NAME:
        raise InvalidSettings(
            f"branding.display_name: at most {MAX_DISPLAY_NAME} characters",
            f"branding.display_name : {MAX_DISPLAY_NAME} caractères au plus",
        )
    logo_url = given.logo_url
    if logo_url is not None and not (len(logo_url) <= MAX_URL and re.fullmatch(LOGO_URL, logo_url)):
        raise InvalidSettings(
            "branding.logo_url: an https URL expected", "branding.logo_url : URL https attendue"
        )
    color = given.color
    if color is not None and not re.fullmatch(COLOR, color):
        raise InvalidSettings(
            "branding.color: as in #1a2b3c", "branding.color : attendue comme #1a2b3c"
        )
    return Branding(display_name=name, logo_url=logo_url, color=color and color.lower())


def check_days(given: Mapping[str, int | None]) -> dict[str, int | None]:
    """Return the retention in days by record class. Raises InvalidSettings if it is invalid."""
    try:
        return check_retention(given)
    except InvalidInput as error:
        least = ", ".join(f"{name} : {days}" for name, days in MIN_DAYS.items())
        raise InvalidSettings(
            str(error), f"retention : jours, {MAX_DAYS} au plus, et au moins {least} ; ou null"
        ) from None


def check_sensitive_words(given: Iterable[str]) -> tuple[str, ...]:
    """Return the merchant's sensitive words, one line each, without duplicates. Raises
    InvalidSettings.

    Case, accents and punctuation do not distinguish words.
    """
    kept: dict[str, str] = {}
    for word in given:
        line = " ".join(without_controls(word).split())
        folded = folded_words(line)
        if not folded or len(line) > MAX_SENSITIVE_WORD:
            raise InvalidSettings(
                f"sensitive_words: words of 1 to {MAX_SENSITIVE_WORD} characters",
                f"sensitive_words : des mots de 1 à {MAX_SENSITIVE_WORD} caractères",
            )
        kept.setdefault(folded, line)
    if len(kept) > MAX_SENSITIVE_WORDS:
        raise InvalidSettings(
            f"sensitive_words: at most {MAX_SENSITIVE_WORDS}",
            f"sensitive_words : {MAX_SENSITIVE_WORDS} au plus",
        )
    return tuple(kept.values())


def folded_words(text: str) -> str:
    """Return the words of a text without case, accents and punctuation, for comparison."""
    return " ".join(re.findall(r"\w+", fold(text)))


def check_acknowledgement(given: Mapping[str, str]) -> dict[str, str]:
    """Return the acknowledgement texts in their stored form, by language, without blank ones.
    Raises InvalidSettings."""
    kept: dict[str, str] = {}
    for language, text in given.items():
        if language not in ACKNOWLEDGED_IN:
            raise InvalidSettings(
                "acknowledgement: fr and en only", "acknowledgement : fr et en seulement"
            )
        words = clean_text(text)
        if len(words) > MAX_ACKNOWLEDGEMENT:
            raise InvalidSettings(
                f"acknowledgement.{language}: at most {MAX_ACKNOWLEDGEMENT} characters",
                f"acknowledgement.{language} : {MAX_ACKNOWLEDGEMENT} caractères au plus",
            )
        if words:
            kept[language] = words
    return kept


def check_authserv_ids(given: Sequence[str]) -> tuple[str, ...]:
    """Return mail server names in the form used for comparison: in lower case, without duplicates.

    Raises InvalidSettings.
    """
    kept = tuple(dict.fromkeys(name.removesuffix(".").lower() for name in given))
    if len(given) > MAX_AUTHSERV_IDS or not all(re.fullmatch(AUTHSERV_ID, name) for name in kept):
        raise InvalidSettings(
            f"authserv_ids: at most {MAX_AUTHSERV_IDS} names of mail servers, as in mx.example.com",
            f"authserv_ids : au plus {MAX_AUTHSERV_IDS} noms de serveurs de messagerie, comme "
            "mx.example.com",
        )
    return kept


def is_widget_key(text: str) -> bool:
    """Return True if the text has the format of a widget key."""
    return re.fullmatch(WIDGET_KEY, text) is not None


def widget_key_of(random: bytes) -> str:
    """Return a widget key generated from WIDGET_KEY_BYTES random bytes."""
    return f"wk_{random.hex()}"

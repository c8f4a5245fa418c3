"""The frame settings for a client's answers: greetings and sign-offs, by language."""

import re
from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, ConfigDict

from domain.core.plain_text import clean_text
from domain.tenants.errors import InvalidSettings

MAX_GREETING: Final = 200
MAX_SIGN_OFF: Final = 500
FRAME_LENGTHS: Final[Mapping[str, int]] = {
    "named_greeting": MAX_GREETING,
    "greeting": MAX_GREETING,
    "sign_off": MAX_SIGN_OFF,
}
"""The frame's fields in each language, with their maximum lengths in characters."""

_NAME: Final = re.compile(r"\{\{ ?customer_name ?\}\}")
_BRAND: Final = re.compile(r"\{\{ ?brand_name ?\}\}")


class FrameTexts(BaseModel):
    """The frame texts in one language, with placeholders. `named_greeting` contains the customer's
    name, and `greeting` does not."""

    model_config = ConfigDict(frozen=True)

    named_greeting: str
    greeting: str
    sign_off: str


DEFAULT_FRAME: Final[Mapping[str, FrameTexts]] = {
    "fr": FrameTexts(
        named_greeting="Bonjour {{ customer_name }},",
        greeting="Bonjour,",
        sign_off="Bien à vous,\n{{ brand_name }}",
    ),
    "en": FrameTexts(
        named_greeting="Hello {{ customer_name }},",
        greeting="Hello,",
        sign_off="Kind regards,\n{{ brand_name }}",
    ),
}


def check_frame(given: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Return the frame texts to store, by language and field, without blank and default texts.
    Raises InvalidSettings."""
    kept: dict[str, dict[str, str]] = {}
    for language, texts in given.items():
        if language not in DEFAULT_FRAME:
            raise InvalidSettings("frame: fr and en only", "frame : fr et en seulement")
        usual = DEFAULT_FRAME[language].model_dump()
        checked = {field: _checked(language, field, text) for field, text in texts.items()}
        chosen = {field: text for field, text in checked.items() if text not in ("", usual[field])}
        if chosen:
            kept[language] = chosen
    return kept


def frame_fields(chosen: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return all frame texts in effect. The keys have the form `fr.sign_off`."""
    return {
        f"{language}.{field}": chosen.get(language, {}).get(field, text)
        for language, texts in DEFAULT_FRAME.items()
        for field, text in texts.model_dump().items()
    }


def _checked(language: str, field: str, text: str) -> str:
    place = f"frame.{language}.{field}"
    limit = FRAME_LENGTHS.get(field)
    if limit is None:
        fields = ", ".join(FRAME_LENGTHS)
        raise InvalidSettings(f"{place}: one of {fields}", f"{place} : {fields}")
    cleaned = clean_text(text)
    if field != "sign_off":
        cleaned = " ".join(cleaned.split())
    if len(cleaned) > limit:
        raise InvalidSettings(
            f"{place}: at most {limit} characters", f"{place} : {limit} caractères au plus"
        )
    is_named = field == "named_greeting"
    rest = _BRAND.sub("", cleaned)
    if "{" in (rest := _NAME.sub("", rest) if is_named else rest) or "}" in rest:
        names = "{{ customer_name }}, {{ brand_name }}" if is_named else "{{ brand_name }}"
        raise InvalidSettings(
            f"{place}: no other placeholder than {names}", f"{place} : aucun champ hors {names}"
        )
    # Only a blank text restores the default. A text of invisible characters is not blank, so it
    # must contain the placeholder.
    if is_named and text.strip() and not _NAME.search(cleaned):
        raise InvalidSettings(
            f"{place}: {{{{ customer_name }}}} is missing",
            f"{place} : {{{{ customer_name }}}} manque",
        )
    return cleaned

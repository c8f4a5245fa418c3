"""The request for a rating: two lines at the end of an emailed answer."""

from typing import Final

_LINES: Final = {
    "fr": "Cette réponse vous a-t-elle aidé ? Un clic suffit :\n{link}",
    "en": "Was this answer helpful? One click is enough:\n{link}",
}


def with_rating_link(text: str, link: str, language: str) -> str:
    """Return the text of an email with the request for a rating and the link. `language` is en, or
    French otherwise."""
    asked = _LINES.get(language, _LINES["fr"]).format(link=link)
    return f"{text.rstrip()}\n\n{asked}\n"

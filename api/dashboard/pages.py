"""Rendering: a template, in the reader's language, with the headers that every page has."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

_HERE: Final = Path(__file__).parent
LANGUAGES: Final = ("fr", "en")

# Nothing comes from elsewhere, nothing runs inline, and no page of others may hold ours in a frame.
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action {form_action}"
)


class Pages:
    """The templates and the words, read once."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._words = {
            language: tomllib.loads((_HERE / "words" / f"{language}.toml").read_text())
            for language in LANGUAGES
        }

    def render(
        self,
        request: Request,
        template: str,
        *,
        status: int = 200,
        form_action: str = "'self'",
        language: str | None = None,
        **facts: object,
    ) -> HTMLResponse:
        """The page. `facts`: what the template names; `words` are its words in the reader's
        language. `form_action`: where its forms may lead, redirects included. `language`: of a
        reader whose language is known, else the browser tells it."""
        if language not in LANGUAGES:
            language = language_of(request)
        page = self._templates.get_template(template).render(
            language=language, words=self._words[language], **facts
        )
        return HTMLResponse(
            page,
            status_code=status,
            headers={
                "Cache-Control": "no-store",
                "Content-Security-Policy": _POLICY.format(form_action=form_action),
                "Content-Language": language,
                "Vary": "Accept-Language, Cookie",
                "X-Content-Type-Options": "nosniff",
                "X-Frame-Options": "DENY",
                "Referrer-Policy": "same-origin",
                "Cross-Origin-Opener-Policy": "same-origin",
            },
        )


def language_of(request: Request) -> str:
    """French or English, by Accept-Language; French if it prefers neither."""
    return preferred_language(request.headers.get("accept-language", ""))


def preferred_language(accepted: str) -> str:
    """The one of ours that the header (RFC 9110) weighs most; the first of ours otherwise."""
    weights: Mapping[str, float] = dict(_weighed(part) for part in reversed(accepted.split(",")))
    return max(LANGUAGES, key=lambda one: weights.get(one, weights.get("*", 0.0)))


def _weighed(part: str) -> tuple[str, float]:
    name, _, parameters = part.strip().lower().partition(";")
    weight = parameters.strip().removeprefix("q=") if parameters else "1"
    try:
        return name.strip().partition("-")[0], float(weight)
    except ValueError:
        return name, 0.0

"""Page rendering: templates in the user's language, and the security headers of every page."""

import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_eval_context
from jinja2.filters import do_xmlattr
from jinja2.nodes import EvalContext
from starlette.requests import Request
from starlette.responses import HTMLResponse

from api.dashboard.avatar import display_name, hue, initials
from api.dashboard.devices import device_of
from api.dashboard.event_names import event_name
from api.dashboard.formats import Formats
from api.dashboard.periods import recent_periods
from api.dashboard.placeholders import named_gaps, named_placeholders
from api.dashboard.problems import FormProblem, field_label, form_problems, said_rule
from api.dashboard.static import StaticFiles
from api.dashboard.typography import typeset
from domain.core.plain_text import shortened
from domain.core.service_name import ServiceName

_HERE: Final = Path(__file__).parent
LANGUAGES: Final = ("fr", "en")

# This policy loads nothing from other origins, runs no inline scripts, and prevents other sites
# from framing the page.
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:{images}; font-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action {form_action}"
)
# Additional policy for pages with our script. The nonce permits only this script, and Trusted Types
# keep it from turning text into markup, except through htmx.
_WITH_SCRIPT: Final = (
    "; script-src 'nonce-{nonce}'; connect-src 'self'; frame-src {frames}; "
    "require-trusted-types-for 'script'; trusted-types htmx"
)


@dataclass(frozen=True, slots=True)
class Sources:
    """Additional sources for a page's content, in Content-Security-Policy syntax."""

    images: str = ""
    frames: str = "'none'"


OURS: Final = Sources()


class _Templates(Environment):
    """A template environment that looks up dictionary keys before attributes, so that
    `words.frame.copy` returns the text instead of the method `dict.copy`."""

    def getattr(self, obj: object, attribute: str) -> object:
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


class Pages:
    """The templates, texts and static files of the pages, loaded from disk once."""

    def __init__(self, service: ServiceName) -> None:
        self.static = StaticFiles()
        self._templates = _Templates(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["shortened"] = shortened
        self._templates.filters["xmlattr"] = _attributes
        self._templates.filters["display_name"] = display_name
        self._templates.filters["initials"] = initials
        self._templates.filters["hue"] = hue
        self._templates.filters["named"] = named_placeholders
        self._templates.filters["named_gaps"] = named_gaps
        self._templates.globals["static"] = self.static.url
        self._templates.globals["event_name"] = event_name
        self._templates.globals["recent_periods"] = recent_periods
        self._templates.globals["device_of"] = device_of
        self._templates.globals["form_problems"] = form_problems
        self._templates.globals["field_label"] = field_label
        self._templates.globals["said_rule"] = said_rule
        self._words = {
            language: {**_words_of(language), "product": service.name} for language in LANGUAGES
        }

    def say(self, language: str, key: str, facts: Mapping[str, object]) -> str:
        """Return a text with a key computed at run time, such as "webhooks.line". `facts` fill its
        placeholders."""
        words: object = self._words[language]
        for part in key.split("."):
            if not isinstance(words, Mapping):
                raise KeyError(key)
            words = words[part]
        return str(words).format(**facts)

    def problems(self, language: str, reason: Mapping[str, str]) -> tuple[FormProblem, ...]:
        """Return the problems in a rejected form, as `form_problems` does."""
        return form_problems(self._words[language], reason, language)

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
        """Return a rendered page.

        `facts` are the template's variables, in addition to `words` in the user's language.
        `form_action` are the allowed targets of forms and their redirects. Without `language`, the
        browser's language applies.
        """
        if language not in LANGUAGES:
            language = language_of(request)
        page = self._templates.get_template(template).render(
            language=language, words=self._words[language], **facts
        )
        policy = _POLICY.format(form_action=form_action, images="")
        return _answer(page, status, language, policy)

    def render_app(
        self,
        request: Request,
        template: str,
        *,
        language: str,
        formats: Formats,
        sources: Sources,
        status_code: int = 200,
        **facts: object,
    ) -> HTMLResponse:
        """Return a rendered application page, with its script. The template formats times and
        numbers with `formats`, as `fmt`. `sources` are those that the page may load from."""
        nonce = secrets.token_urlsafe(16)
        page = self._templates.get_template(template).render(
            language=language,
            words=self._words[language],
            nonce=nonce,
            path=request.url.path,
            query=request.query_params,
            fmt=formats,
            **facts,
        )
        policy = _POLICY.format(
            form_action="'self'", images=sources.images and f" {sources.images}"
        )
        policy += _WITH_SCRIPT.format(nonce=nonce, frames=sources.frames)
        return _answer(page, status_code, language, policy)


@pass_eval_context
def _attributes(context: EvalContext, given: Mapping[str, object]) -> str:
    """Return HTML attributes as Jinja's `xmlattr` filter does, except that True becomes an
    attribute without a value, and False omits the attribute."""
    return do_xmlattr(
        context,
        {name: "" if one is True else one for name, one in given.items() if one is not False},
    )


def _words_of(language: str) -> Mapping[str, object]:
    """Return the common texts, and each domain's under its name, with all error texts merged.
    Raises ValueError if a domain is named like a common section."""
    folder = _HERE / "words" / language
    words: dict[str, object] = tomllib.loads((folder / "common.toml").read_text())
    errors: dict[str, str] = {}
    for file in sorted(folder.glob("*.toml")):
        if file.stem == "common":
            continue
        if file.stem in words:
            raise ValueError(f"{file}: a section of common.toml has this name")
        noun = tomllib.loads(file.read_text())
        errors |= noun.pop("errors", {})
        words[file.stem] = noun
    return {name: _typeset(one, language) for name, one in {**words, "errors": errors}.items()}


def _typeset(words: object, language: str) -> object:
    """Return a text, or a table or list of texts, with the language's typography."""
    if isinstance(words, str):
        return typeset(words, language)
    if isinstance(words, list):
        return [_typeset(one, language) for one in words]
    if isinstance(words, Mapping):
        return {name: _typeset(one, language) for name, one in words.items()}
    return words


def _answer(page: str, status: int, language: str, policy: str) -> HTMLResponse:
    return HTMLResponse(
        page,
        status_code=status,
        headers={
            "Cache-Control": "private, no-store",
            "Content-Security-Policy": policy,
            "Content-Language": language,
            "Vary": "Accept-Language, Cookie",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
            "Referrer-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        },
    )


def language_of(request: Request) -> str:
    """Return the language for an Accept-Language header: French or English. Return French if the
    header accepts no supported language."""
    return preferred_language(request.headers.get("accept-language", ""))


def preferred_language(accepted: str) -> str:
    """Return the supported language with the highest weight in the header (RFC 9110). If the header
    accepts none, return the first supported language."""
    weights: Mapping[str, float] = dict(_weighed(part) for part in reversed(accepted.split(",")))
    return max(LANGUAGES, key=lambda one: weights.get(one, weights.get("*", 0.0)))


def _weighed(part: str) -> tuple[str, float]:
    name, _, parameters = part.strip().lower().partition(";")
    weight = parameters.strip().removeprefix("q=") if parameters else "1"
    try:
        return name.strip().partition("-")[0], float(weight)
    except ValueError:
        return name, 0.0

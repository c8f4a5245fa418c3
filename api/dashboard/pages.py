"""Rendering: a template, in the reader's language, with the headers that every page has."""

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

from api.dashboard.formats import Formats
from api.dashboard.static import StaticFiles
from domain.core.service_name import ServiceName

_HERE: Final = Path(__file__).parent
LANGUAGES: Final = ("fr", "en")

# Nothing comes from elsewhere, nothing runs inline, and no page of others may hold ours in a frame.
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:{images}; font-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; form-action {form_action}"
)
# The same with our script, which alone may turn text into markup: it has this page's nonce.
_WITH_SCRIPT: Final = (
    "; script-src 'nonce-{nonce}'; connect-src 'self'; frame-src {frames}; "
    "require-trusted-types-for 'script'; trusted-types htmx"
)


@dataclass(frozen=True, slots=True)
class Sources:
    """Further sources that a page may load from, in the syntax of the content security policy."""

    images: str = ""
    frames: str = "'none'"


OURS: Final = Sources()


class _Templates(Environment):
    """`words.frame.copy` is the word, and not what dictionaries do by that name."""

    def getattr(self, obj: object, attribute: str) -> object:
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


class Pages:
    """The templates, the words and the files that pages load, read once."""

    def __init__(self, service: ServiceName) -> None:
        self.static = StaticFiles()
        self._templates = _Templates(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["xmlattr"] = _attributes
        self._templates.globals["static"] = self.static.url
        self._words = {
            language: {**_words_of(language), "product": service.name} for language in LANGUAGES
        }

    def say(self, language: str, key: str, facts: Mapping[str, object]) -> str:
        """Words that no template writes, as a chart's title: "webhooks.line", which may name the
        facts in braces."""
        words: object = self._words[language]
        for part in key.split("."):
            if not isinstance(words, Mapping):
                raise KeyError(key)
            words = words[part]
        return str(words).format(**facts)

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
        """Render a page. `facts`: the values that the template names; `words` are its texts in the
        reader's language. `form_action`: the targets of its forms, redirects included. `language`:
        that of a known reader; by default that of the browser."""
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
        **facts: object,
    ) -> HTMLResponse:
        """A page of the application, with its script. `formats`: how it writes times and
        numbers, as `fmt`. `sources`: what it may load besides."""
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
        return _answer(page, 200, language, policy)


@pass_eval_context
def _attributes(context: EvalContext, given: Mapping[str, object]) -> str:
    """As Jinja's own filter, but an attribute that is true has no value: HTML has no "True"."""
    return do_xmlattr(
        context,
        {name: "" if one is True else one for name, one in given.items() if one is not False},
    )


def _words_of(language: str) -> Mapping[str, object]:
    """The common words, and under each noun's name its own; what the nouns' errors are called
    stands together. Raises ValueError where a noun is called like a section of the common ones."""
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
    return {**words, "errors": errors}


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

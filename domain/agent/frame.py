"""The frame of an answer: the client's greeting and sign-off, filled in for one customer."""

from collections.abc import Mapping
from typing import Final, Self

from pydantic import BaseModel, ConfigDict

from domain.agent.greeting import is_greetable
from domain.agent.template import fill
from domain.tenants.frame_settings import DEFAULT_FRAME, FrameTexts


class FrameLines(BaseModel):
    """The greeting and sign-off in one language, with the placeholders filled."""

    model_config = ConfigDict(frozen=True)

    greeting: str
    sign_off: str

    @classmethod
    def of(cls, texts: FrameTexts, *, brand_name: str, customer_name: str | None) -> Self:
        """Return the client's texts with the placeholders filled. The greeting omits a name that
        does not look like a person's name."""
        values = {"brand_name": brand_name}
        if customer_name and is_greetable(customer_name):
            greeting = fill(texts.named_greeting, {**values, "customer_name": customer_name})
        else:
            greeting = fill(texts.greeting, values)
        sign_off = fill(texts.sign_off, values)
        return cls(greeting=greeting.text.strip(), sign_off=sign_off.text.strip())


class AnswerFrame(BaseModel):
    """The greeting and sign-off for one customer, in French and in English, with the placeholders
    filled."""

    model_config = ConfigDict(frozen=True)

    fr: FrameLines
    en: FrameLines

    @classmethod
    def of(
        cls,
        chosen: Mapping[str, Mapping[str, str]],
        *,
        brand_name: str,
        customer_name: str | None = None,
    ) -> Self:
        """Return the client's greeting and sign-off, with defaults for missing texts. `chosen` maps
        a language and field to a text."""
        french, english = (
            FrameLines.of(
                DEFAULT_FRAME[language].model_copy(update=dict(chosen.get(language, {}))),
                brand_name=brand_name,
                customer_name=customer_name,
            )
            for language in ("fr", "en")
        )
        return cls(fr=french, en=english)

    def values(self, language: str) -> dict[str, str]:
        """Return the values for the template placeholders `greeting` and `sign_off`."""
        lines = self._lines(language)
        return {"greeting": lines.greeting, "sign_off": lines.sign_off}

    def framed(self, text: str, language: str) -> str:
        """Return the text preceded by the greeting and followed by the sign-off, both in the text's
        language."""
        lines = self._lines(language)
        return "\n\n".join(filter(None, (lines.greeting, text.strip(), lines.sign_off)))

    def unframed(self, text: str, language: str) -> str:
        """Return the text without the greeting and sign-off in its language. A text without them is
        returned unchanged."""
        lines = self._lines(language)
        text = text.strip().removeprefix(lines.greeting) if lines.greeting else text
        return text.strip().removesuffix(lines.sign_off).strip() if lines.sign_off else text.strip()

    def _lines(self, language: str) -> FrameLines:
        return self.fr if language == "fr" else self.en


PLAIN_FRAME: Final = AnswerFrame.of({}, brand_name="")
"""The default frame, without the name of a brand or customer."""

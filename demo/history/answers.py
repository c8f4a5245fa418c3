"""The texts that the agent and the members write in the demo shop's history."""

from collections.abc import Mapping
from dataclasses import dataclass

from demo.content import BRAND
from demo.history.catalogue import catalogue
from demo.history.plan import SampleMessage, SampleTalk
from demo.history.topics import SampleOutcome, SampleTopic
from domain.agent.brain import Citation, Language, Template
from domain.agent.frame import AnswerFrame
from domain.agent.template import fill

_STATUS = {"fr": "en préparation", "en": "being prepared"}


@dataclass(frozen=True, slots=True)
class ShopTexts:
    """The shop's texts: templates by name and language, and knowledge ids by title and language."""

    templates: Mapping[tuple[str, str], Template]
    knowledge: Mapping[tuple[str, str], str]

    def cited(self, topic: SampleTopic, language: Language) -> Citation | None:
        """Return the text cited in an answer about the topic, or None if no text is cited. Raises
        KeyError if the shop does not have the text."""
        if name := topic.template.get(language):
            return Citation(kind="template", id=self.templates[name, language].id, title=name)
        if title := topic.knowledge.get(language):
            return Citation(kind="knowledge", id=self.knowledge[title, language], title=title)
        return None


def draft_of(talk: SampleTalk, exchange: SampleMessage, texts: ShopTexts) -> str:
    """Return the agent's draft: a filled template, a framed text from knowledge, or an empty text
    if the shop has no text about the topic."""
    if exchange.outcome is SampleOutcome.CLOSED:
        return ""
    language, topic = talk.language, exchange.topic
    name = talk.customer.name if talk.customer else None
    frame = AnswerFrame.of({}, brand_name=BRAND, customer_name=name)
    if title := topic.template.get(language):
        values = {**frame.values(language), **_order_values(exchange, language)}
        return fill(texts.templates[title, language].body, values).text
    return frame.framed(exchange.answer, language) if exchange.answer else ""


def human_text(talk: SampleTalk, exchange: SampleMessage, member: str) -> str:
    """Return the text that a member sends. `member` is the member's first name."""
    words = catalogue(talk.language)
    first = talk.customer.first if talk.customer else ""
    hello = words.hello_named.format(first=first) if first else words.hello
    return "\n\n".join((hello, exchange.reply, words.signed.format(member=member)))


def _order_values(exchange: SampleMessage, language: Language) -> Mapping[str, str]:
    order = exchange.order
    if order is None:
        return {}
    amount = f"{order.minor / 100:.2f} EUR"
    return {
        "order_number": order.number,
        "order_status": _STATUS[language],
        "tracking_url": tracking_url(order.number),
        "refund_amount": amount.replace(".", ",") if language == "fr" else amount,
    }


def tracking_url(number: str) -> str:
    """Return the URL of an order's tracking page."""
    return f"https://suivi.example/{number}"

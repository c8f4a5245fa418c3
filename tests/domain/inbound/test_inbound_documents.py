"""The inbound hub's table in the documents says what its code says."""

from domain.inbound.errors import RefusalReason
from domain.inbound.inbound_webhook import Outcome, WebhookKind, WebhookState
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.ports import Platform
from tests.support.core.forks import ROOT
from tests.test_documents import table

_KINDS = (WebhookKind.TICKET, WebhookKind.FACT, WebhookKind.DUTY)


def row_of(platform: Platform) -> list[str]:
    """The provider, its topics by kind, and the status that it takes for the last word."""
    name = platform.provider.value
    topics = [
        ", ".join(f"`{topic}`" for topic, kind in platform.topics.items() if kind is wanted)
        for wanted in _KINDS
    ]
    if not platform.topics:
        topics[0] = "any, by its mapping"
    return [f"[`{name}`](inbound/{name}.md)", *topics, str(platform.refusal_status)]


def test_the_table_of_topics_is_the_code() -> None:
    listed = table((ROOT / "docs/inbound.md").read_text())
    assert listed == [row_of(platform) for platform in PLATFORMS.values()]


def test_every_state_and_outcome_is_said() -> None:
    text = (ROOT / "docs/inbound.md").read_text()
    assert [one for one in (*WebhookState, *Outcome) if f"`{one.value}`" not in text] == []
    assert [one for one in RefusalReason if f"`{one.value}`" not in text] == []

"""The inbound documents match the code."""

import re
import shlex
from contextlib import suppress
from itertools import pairwise

from typer._click.exceptions import MissingParameter

from domain.inbound.errors import RefusalReason
from domain.inbound.inbound_webhook import Outcome, WebhookKind, WebhookState
from domain.inbound.platform_catalogue import PLATFORMS
from domain.inbound.ports import Platform
from domain.integrations.providers import OF_MERCHANTS, PROVIDERS, Provider
from tests.support.core.command_check import check_command
from tests.support.core.forks import ROOT
from tests.test_documents import table

_KINDS = (WebhookKind.TICKET, WebhookKind.FACT, WebhookKind.DUTY)


def row_of(platform: Platform) -> list[str]:
    """Return the row: the provider, its topics by kind, and the status that ends retries."""
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


def test_each_command_of_the_pages_is_understood() -> None:
    """With options and arguments; a mention of a command has neither."""
    checked = 0
    ends = r"(?=`|\n *(?:```|\.venv|cli\.py))"
    for page in (ROOT / "docs/inbound").glob("*.md"):
        for written in re.findall(rf"cli\.py ([^`]+?){ends}", page.read_text()):
            words = shlex.split(re.sub(r"\[|\]", "", written.replace("…", "--client C")))
            with suppress(MissingParameter):
                check_command(words)
            checked += 1
            if "--provider" in words:
                _check_connection(words)
    assert checked > 20


def _check_connection(words: list[str]) -> None:
    """Check that its settings and secrets are the provider's."""
    given = [*pairwise(words)]
    (provider,) = [Provider(value) for option, value in given if option == "--provider"]
    spec = PROVIDERS[provider]
    secrets = [value for option, value in given if option == "--secret"]
    settings = dict(value.split("=", 1) for option, value in given if option == "--set")
    shapes = {**spec.settings, **spec.optional}
    assert set(secrets) <= set(spec.credentials), words
    assert {one for one, value in settings.items() if not shapes[one].pattern.fullmatch(value)} == (
        set()
    ), words


def test_each_provider_has_its_page_and_its_row_of_settings_and_secrets() -> None:
    listed = {
        name: (settings, secrets)
        for names, settings, secrets, _ in table((ROOT / "docs/integrations.md").read_text())
        for name in re.findall(r"`([a-z_]+)`", names)
    }
    assert set(listed) == {provider.value for provider in PROVIDERS}
    for provider, spec in PROVIDERS.items():
        settings, secrets = listed[provider]
        assert [one for one in spec.credentials if f"`{one}`" not in secrets] == [], provider
        named = {**spec.settings, **spec.optional}
        assert [one for one in named if f"`{one}`" not in settings] == [], provider
    pages = {page.stem for page in (ROOT / "docs/inbound").glob("*.md")}
    assert {provider.value for provider in OF_MERCHANTS} <= pages

"""The Markdown of the documentation site, and the pages of its API reference."""

import json
import tomllib
from typing import Any

import pytest

from scripts.guide import CONFIG
from scripts.guide_pages import for_generator, llms, outside_code, page, places, unlisted
from scripts.guide_reference import INDEX, Reference
from tests.support.core.forks import ROOT


def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "docs/openapi.json").read_text())
    return found


def test_the_navigation_lists_every_page_once() -> None:
    config = tomllib.loads(CONFIG.read_text())["project"]
    pages = [place for place in places().values() if place.endswith(".md")]

    assert unlisted(config, [*pages, INDEX]) == set()


def test_every_operation_and_schema_is_described_once() -> None:
    given = document()
    pages = Reference(given).pages()
    text = "\n".join(pages.values())
    lines = text.split("\n")

    for path, methods in given["paths"].items():
        for method, operation in methods.items():
            place = pages[f"reference/{operation['tags'][0]}.md"]
            assert f"`{method.upper()} {path}`" in place.split("\n")
            assert f"Operation id: `{operation['operationId']}`." in place
    referred = set(json.dumps(given).split('"#/components/schemas/')[1:])
    names = {one.partition('"')[0] for one in referred}
    assert {name: lines.count(f"### {name}") for name in names} == dict.fromkeys(names, 1)
    assert "None" not in text.replace("None of", "")


def test_an_operation_shows_its_parameters_bodies_and_errors() -> None:
    text = Reference(document()).pages()["reference/gateway.md"]

    assert "| `Idempotency-Key` (optional) | header | string, at most 255 characters |" in text
    assert "**Request body** (`application/json`): [GatewayRequest](#gatewayrequest)" in text
    assert '"message": "Bonjour, où en est ma commande 1042 ?"' in text
    assert "| `merchant_request.kind` |" in text
    assert "[API errors](../api-errors.md)" in text


def test_links_lead_to_places_in_the_site() -> None:
    known = places()

    index = page("docs/README.md", known)
    assert "](start.md#two-commands)" in index
    assert "](decisions/index.md)" in index
    assert "](security.md)" in index
    start = page("README.md", known)
    assert "](webhooks.md)" in start
    assert 'src="images/inbox.png"' in start
    assert "](../" not in page("docs/operations.md", known).replace("](../.", "")


def test_code_stays_as_it_is() -> None:
    text = "one\n```\n[a](b)\n```\ntwo\n\n   ```\n   c\n   ```\n"

    assert outside_code(text, str.upper) == text.replace("one", "ONE").replace("two", "TWO")
    assert outside_code(text, str) == text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("text:\n- a\n- b", "text:\n\n- a\n- b"),
        ("1. a\n   b\n   ```\n   c\n   ```\n2. d", "1. a\n    b\n    ```\n    c\n    ```\n2. d"),
        ("- a\n  - b\n\ntext\n  c", "- a\n    - b\n\ntext\n  c"),
        ("```\ntext\n- a\n  b\n```", "```\ntext\n- a\n  b\n```"),
    ],
)
def test_lists_are_written_for_the_generator(written: str, read: str) -> None:
    assert for_generator(written) == read


def test_llms_txt_lists_pages_with_a_summary() -> None:
    config = {
        "site_name": "Engine",
        "site_description": "About it",
        "nav": ["index.md", {"How": ["a.md"]}],
    }
    pages = {
        "index.md": "# Home\n\nStart\nhere.\n",
        "a.md": "# A\n\nSee [b](b.md).\n\n## More\n",
        "decisions/0001-an-index.md": "# 0001 An index\n",
        "decisions/index.md": "# Decisions\n",
    }

    assert llms(config, pages).split("\n\n") == [
        "# Engine",
        "> About it",
        "## Overview",
        "- [Home](index.md): Start here.",
        "## How",
        "- [A](a.md): See b.",
        "## Optional",
        "- [0001 An index](decisions/0001-an-index.md)\n",
    ]

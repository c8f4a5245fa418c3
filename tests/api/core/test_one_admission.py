"""Every route that accepts a document uses the client's shared admission."""

from dataclasses import replace

import pytest

from domain.core.document import LARGE_DOCUMENT
from domain.integrations.providers import Provider
from services.core.fair_documents import FairDocuments
from tests.support.core.engine import LiveEngine
from tests.support.dashboard.visitors import at_pages
from tests.support.inbound.addresses import ENDPOINT
from tests.support.inbound.stored import listen_to
from tests.support.reviews.dashboard import code
from tests.support.tenants.account import PLAYBOOK_FILE, PLAYBOOKS
from tests.support.tenants.shop import Shop

YAML = "application/yaml"
CASES = "/api/dashboard/cases"
CASE_FILE = "/api/dashboard/case-file"
KNOWLEDGE = "/app/knowledge/import"
BUSY = (429, "caller_busy")
LARGE = "x" * (LARGE_DOCUMENT + 1)


@pytest.fixture
def documents(front: LiveEngine) -> FairDocuments:
    """Return the service's own parser, with capacity for one document per client."""
    resources = front.app.state.resources
    documents = FairDocuments(resources.documents._reader, most_of_one=1)
    front.app.state.resources = replace(resources, documents=documents)
    return documents


@pytest.mark.parametrize("path", [PLAYBOOKS, PLAYBOOK_FILE, CASES, CASE_FILE])
async def test_yaml_and_json(
    front: LiveEngine, shop: Shop, owner: dict[str, str], documents: FairDocuments, path: str
) -> None:
    yaml = {**owner, "content-type": YAML}
    async with documents.admitted(shop.tenant):
        answers = [
            await front.http.post(path, content=f"name: {LARGE}".encode(), headers=yaml),
            await front.http.post(path, json={"name": LARGE}, headers=owner),
        ]
    assert [code(answer) for answer in answers] == [BUSY, BUSY]
    free = await front.http.post(path, content=f"name: {LARGE}".encode(), headers=yaml)
    assert free.status_code == 400


async def test_the_mapping_of_an_address(
    front: LiveEngine, shop: Shop, owner: dict[str, str], documents: FairDocuments
) -> None:
    async with front.database.tenant(shop.tenant) as connection:
        integration_id = await listen_to(connection, shop.tenant, Provider.GENERIC)
    path = ENDPOINT.format(integration_id=integration_id)

    async with documents.admitted(shop.tenant):
        busy = await front.http.post(path, json={}, headers=owner)

    assert code(busy) == BUSY
    assert (await front.http.post(path, json={}, headers=owner)).status_code == 201


async def test_the_page_that_imports_knowledge(
    front: LiveEngine, shop: Shop, documents: FairDocuments
) -> None:
    file = {"form": "markdown", "language": "en", "text": f"# FAQ\n\n## Size\n{LARGE}\n"}
    async with at_pages(front, shop) as owner:
        async with documents.admitted(shop.tenant):
            busy = await owner.follow(await owner.send(KNOWLEDGE, KNOWLEDGE, file))
        seen = await owner.send(KNOWLEDGE, KNOWLEDGE, file)
    assert "Add 1 and update 0" not in busy
    assert "We restored your unsaved draft" in busy
    assert "Add 1 and update 0" in seen.text

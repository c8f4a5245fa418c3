"""The OpenAPI document describes the actual responses, beyond what FastAPI infers."""

import re
from copy import deepcopy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api.app import create_app
from scripts.api_operations import FILE, table
from tests.support.core.engine import LiveEngine, settings_of

GATEWAY = "/api/engine/gateway"
# Anyone can read them without a limit.
PUBLIC = {"/api/webhook-events", "/api/webhook-events/{event}"}
# Anyone can call them; only the rate limit rejects a request.
NOBODY_IS_ASKED = {"/api/auth/signup"}


@pytest.fixture
def document() -> dict[str, Any]:
    return deepcopy(create_app(settings_of("postgresql://a/b", "c:1")).openapi())


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in document["paths"].values() for operation in path.values()]


def test_every_route_names_the_answers_of_the_edge(document: dict[str, Any]) -> None:
    for operation in operations(document):
        for status in ("431", "503"):
            body = operation["responses"][status]["content"]["application/json"]["schema"]
            assert body == {"$ref": "#/components/schemas/ErrorBody"}


def test_operation_ids_are_a_noun_and_a_verb(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for operation in operations(document)]

    assert [one for one in ids if not re.fullmatch(r"[a-z_]+\.[a-z_]+", one)] == []
    assert len(ids) == len({*ids})
    assert {one["operationId"].split(".")[0]: one["tags"] for one in operations(document)} == {
        one.split(".")[0]: [one.split(".")[0]] for one in ids
    }


def test_the_list_of_operations_is_current(document: dict[str, Any]) -> None:
    assert FILE.read_text(encoding="utf-8") == table(document)


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    ids = [one["operationId"] for one in operations(document) if not one.get("description")]
    assert ids == []


def test_every_body_has_an_example_that_its_schema_allows(document: dict[str, Any]) -> None:
    components = {"components": document["components"] | {"schemas": {"Extra": {}}}}
    tried = 0
    for operation in operations(document):
        for described in operation.get("requestBody", {"content": {}})["content"].values():
            schema = described["schema"] | components
            if schema.get("format") == "binary":  # a file
                continue
            for example in schema.get("examples") or [described["example"]]:
                Draft202012Validator(schema).validate(example)
                tried += 1
    assert tried > 60


def guarded(document: dict[str, Any]) -> list[dict[str, Any]]:
    paths = {path: answers for path, answers in document["paths"].items() if path not in PUBLIC}
    assert len(paths) == len(document["paths"]) - len(PUBLIC)
    return operations({"paths": paths})


def test_every_401_names_its_scheme(document: dict[str, Any]) -> None:
    for path in NOBODY_IS_ASKED:
        assert "401" not in document["paths"].pop(path)["post"]["responses"]
    for operation in guarded(document):
        header = operation["responses"]["401"]["headers"]["WWW-Authenticate"]
        assert header == {"schema": {"const": "Bearer"}, "required": True}


def test_retry_after_may_be_missing(document: dict[str, Any]) -> None:
    for operation in guarded(document):
        assert not operation["responses"]["429"]["headers"]["Retry-After"].get("required")


async def test_descriptions_name_no_python_value(front: LiveEngine) -> None:
    """The served document says null, although schemas are described by docstrings."""
    served = (await front.http.get("/openapi.json")).text

    assert re.findall(r".{60}\bNone\b(?! of).{20}", served) == []
    assert "or null if " in served
    assert ". Null " in served


async def test_every_reference_has_something_to_refer_to(front: LiveEngine) -> None:
    document = (await front.http.get("/openapi.json")).json()
    assert references(document) == {
        f"#/components/schemas/{name}" for name in document["components"]["schemas"]
    }


def references(part: object) -> set[str]:
    """Return all references in a part of the document, at any depth."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    own = {part["$ref"]} if isinstance(part, dict) and "$ref" in part else set()
    return own.union(*map(references, inner))


def test_limit_of_html(document: dict[str, Any]) -> None:
    content = document["paths"][GATEWAY]["post"]["requestBody"]["content"]
    schema = content["application/json"]["schema"]

    assert schema["properties"]["html_body"]["maxLength"] == 500_000
    assert "html_body" not in schema["required"]


async def test_the_document_is_written_once(
    front: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document is built once: no caller can cause another build, nor by asking for a path's
    methods."""
    first = await front.http.get("/openapi.json")
    monkeypatch.delattr("fastapi.applications.get_openapi")
    second = await front.http.get("/openapi.json")

    assert first.content == second.content
    assert set(first.json()["paths"]) == set(front.app.openapi()["paths"])
    assert first.json()["components"]["securitySchemes"]
    assert (await front.http.post("/openapi.json")).status_code == 405
    assert (await front.http.get(GATEWAY)).headers["allow"] == "POST"

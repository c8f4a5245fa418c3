"""The models of export records have the same fields as the export, its schema and its document."""

import json
import re

import pytest
from pydantic import ValidationError

from domain.exports.copied_ids import ID_PATHS, Renaming
from domain.exports.export import Section
from domain.exports.records import RECORDS, ExportDocument
from scripts.export_schema import DOCUMENT, SCHEMA, document_text, schema_text
from store.exports.sections import SOURCES

CLIENT = "01KAK8Z0A1B2C3D4E5F6G7H8J9"
OTHER = "01KAK8Z0A1B2C3D4E5F6G7H8JA"


@pytest.mark.parametrize("section", Section)
def test_a_record_has_the_export_columns_in_their_order(section: Section) -> None:
    assert list(RECORDS[section].model_fields) == [one.name for one in SOURCES[section].columns]


def test_parts_of_a_record_have_the_fields_that_are_written() -> None:
    """SQL writes the records, and strict models parse them in
    `tests/services/exports/test_tenant_import.py`. Here, no model field is missing."""
    written = {
        (section, column.name): set(
            re.findall(r"'(\w+)', (?:replace\(to_json\()?[a-z]\.|'(\w+)', \(", column.sql)
        )
        for section, source in SOURCES.items()
        for column in source.columns
        if "json_build_object" in column.sql
    }
    assert len(written) == 4
    for (section, name), found in written.items():
        names = {one for pair in found for one in pair if one}
        part = RECORDS[section].model_fields[name].annotation
        models = _models(part)
        assert names == {field for model in models for field in model.model_fields}, name


def _models(annotation: object) -> "list[type[ExportDocument]]":
    found = [annotation] if isinstance(annotation, type) else []
    found += [one for one in getattr(annotation, "__args__", ()) if isinstance(one, type)]
    models = [one for one in found if hasattr(one, "model_fields")]
    for model in list(models):
        for field in model.model_fields.values():
            inner = [one for one in _models(field.annotation) if one.__name__.endswith("Record")]
            models += inner
    return models


def test_the_document_has_the_sections_in_their_order() -> None:
    assert list(ExportDocument.model_fields) == ["exported_at", "client_id", *Section]
    assert list(RECORDS) == list(Section) == list(ID_PATHS)


def test_the_schema_and_the_page_are_the_models() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == schema_text()
    page = DOCUMENT.read_text(encoding="utf-8")
    assert page == document_text(page)
    for model in RECORDS.values():
        assert f"<!-- {model.__name__} -->" in page


def test_a_copy_has_ids_of_its_own_and_the_same_each_time() -> None:
    ids = Renaming(CLIENT)
    new = ids.id(OTHER)
    assert new != OTHER
    assert new == ids.id(OTHER) != Renaming(OTHER).id(OTHER)
    assert new[:10] == OTHER[:10]
    assert ids.id(f"event:{OTHER}") == f"event:{new}"
    assert [ids.id(own) for own in ("legacy-7", "", "email:a@b.example")] == [
        "legacy-7",
        "",
        "email:a@b.example",
    ]


def test_what_a_caller_or_a_shop_named_stays() -> None:
    record = {
        "id": OTHER,
        "event_id": CLIENT,
        "answer": None,
        "plan": [{"kind": "refund", "order_id": OTHER, "ticket_id": OTHER}],
        "event": {"unified": {"ticket_id": OTHER}, "payload": {"id": OTHER}},
    }
    text = json.dumps(record)
    ids = Renaming(CLIENT)
    renamed = json.loads(ids.record(Section.ENGINE_RUNS, text))
    assert renamed == {**record, "id": ids.id(OTHER), "event_id": ids.id(CLIENT)}
    own = text.replace(
        f'"unified": {{"ticket_id": "{OTHER}"', f'"unified": {{"ticket_id": "{CLIENT}"'
    )
    assert json.loads(ids.record(Section.ENGINE_RUNS, own))["event"]["unified"] == {
        "ticket_id": ids.id(CLIENT)
    }


def test_numbers_stay_as_they_were_written() -> None:
    text = '{"id":"x","payload":{"a":[1.10,-0,1e400,12345678901234567890.5],"é\\"":null,"b":true}}'
    assert Renaming(CLIENT).record(Section.AUTOMATION_EVENTS, text) == text


def test_the_page_of_an_imported_entry_is_no_script() -> None:
    entry = {
        "id": CLIENT,
        "title": "Returns",
        "body": "Within 30 days.",
        "language": "en",
        "created_at": "2026-11-30T12:00:00Z",
        "updated_at": None,
    }
    record = RECORDS[Section.KNOWLEDGE_ENTRIES]

    record.model_validate_json(json.dumps({**entry, "source_url": "https://shop.example/faq"}))
    with pytest.raises(ValidationError, match="source_url"):
        record.model_validate_json(json.dumps({**entry, "source_url": "javascript:alert(1)"}))

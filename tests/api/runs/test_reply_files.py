"""Files of members' replies: uploaded, attached, sent, returned and deleted."""

import hashlib

import httpx
import pytest

import store.intake.attachments
from domain.core.attached_file import AttachedFile
from domain.intake.attachment import DELETED, MAX_REPLY_BYTES, MAX_REPLY_FILES
from domain.intake.attachment_type import Inspected
from domain.intake.event import Channel
from domain.tenants.client import Role
from services.intake.file_inspector import FileInspector
from store.intake.tables import attachment_chunks, attachments
from store.runs.tables import conversation_replies
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.dashboard.visitors import at_pages, form_of
from tests.support.intake.attachments import INVOICE, PHOTO, PROGRAM, png
from tests.support.reviews.dashboard import code, person
from tests.support.reviews.replies import WORDS, conversation_of
from tests.support.runs.conversation import KEY, write
from tests.support.tenants.shop import Shop, open_shop

TALKS = "/api/dashboard/conversations"


async def _talk(front: LiveEngine, shop: Shop, key: str = KEY) -> str:
    ref = await write(front.database, shop, channel=Channel.EMAIL, key=key)
    return await conversation_of(front.database, ref.event_id)


async def _upload(
    front: LiveEngine, talk: str, member: dict[str, str], file: AttachedFile
) -> httpx.Response:
    return await front.http.post(
        f"{TALKS}/{talk}/attachments",
        params={"name": file.name},
        content=file.data,
        headers={**member, "content-type": file.claimed_type},
    )


async def test_files_are_attached_once_and_return_after_an_undo(
    front: LiveEngine, shop: Shop
) -> None:
    talk, agent = await _talk(front, shop), await person(front, shop, Role.AGENT)
    photo = (await _upload(front, talk, agent, PHOTO)).json()
    invoice = (await _upload(front, talk, agent, INVOICE)).json()
    assert (photo["name"], photo["media_type"]) == ("colis.png", "image/png")
    shown = (await front.http.get(f"{TALKS}/{talk}", headers=agent)).json()
    assert shown["unsent_attachments"] == [photo, invoice]
    assert shown["messages"][0]["attachments"] == [], "the customer has sent no file"

    body = {"text": WORDS, "attachments": [photo["id"], invoice["id"]]}
    path = f"{TALKS}/{talk}/reply"
    written = await front.http.post(path, json=body, headers=agent)
    assert written.status_code == 200, written.text
    again = await front.http.post(path, json=body, headers=agent)
    assert again.json()["reply_id"] == written.json()["reply_id"]
    other = await front.http.post(path, json={**body, "text": "Encore."}, headers=agent)
    assert code(other) == (404, "attachment_not_found")
    assert (await only_row(front.database, conversation_replies, of=shop))["body"] == WORDS
    shown = (await front.http.get(f"{TALKS}/{talk}", headers=agent)).json()
    assert shown["unsent_attachments"] == []
    assert shown["unsent_replies"][0]["attachments"] == [photo, invoice]

    undo = f"/api/dashboard/replies/{written.json()['reply_id']}/undo"
    assert (await front.http.post(undo, headers=agent)).status_code == 200
    shown = (await front.http.get(f"{TALKS}/{talk}", headers=agent)).json()
    assert shown["unsent_attachments"] == [photo, invoice]

    deleted = await front.http.delete(f"{TALKS}/{talk}/attachments/{photo['id']}", headers=agent)
    assert deleted.status_code == 204
    left = await rows(front.database, attachments, of=shop)
    assert [row["id"] for row in left if row["state"] == "stored"] == [invoice["id"]]
    shown = (await front.http.get(f"{TALKS}/{talk}", headers=agent)).json()
    assert shown["unsent_attachments"] == [invoice]
    chunks = await rows(front.database, attachment_chunks, of=shop)
    assert [row["attachment_id"] for row in chunks] == [invoice["id"]]


async def test_deleted_files_count_toward_the_day(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, agent = await _talk(front, shop), await person(front, shop, Role.AGENT)
    monkeypatch.setattr(store.intake.attachments, "MAX_DAY_BYTES", 3 * len(PHOTO.data))
    for _ in range(3):
        photo = (await _upload(front, talk, agent, PHOTO)).json()
        path = f"{TALKS}/{talk}/attachments/{photo['id']}"
        assert (await front.http.delete(path, headers=agent)).status_code == 204
        assert code(await front.http.delete(path, headers=agent)) == (404, "attachment_not_found")

    assert (await _upload(front, talk, agent, PHOTO)).json()["reason"] == "too_much"
    assert await rows(front.database, attachment_chunks, of=shop) == []
    for row in await rows(front.database, attachments, of=shop):
        assert (row["name"], row["claimed_type"], row["media_type"]) == ("", "", None)
        assert row["digest"] == hashlib.sha256().digest()
        assert (await front.http.get(f"/app/attachments/{row['id']}")).status_code != 200


async def test_a_day_has_a_number_of_uploads(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, agent = await _talk(front, shop), await person(front, shop, Role.AGENT)
    monkeypatch.setattr(store.intake.attachments, "MAX_DAY_UPLOADS", 2)
    for _ in range(2):
        photo = (await _upload(front, talk, agent, PHOTO)).json()
        await front.http.delete(f"{TALKS}/{talk}/attachments/{photo['id']}", headers=agent)

    assert (await _upload(front, talk, agent, PHOTO)).json()["reason"] == "too_much"


async def test_a_file_beyond_the_limits_is_not_inspected(
    front: LiveEngine, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk, agent = await _talk(front, shop), await person(front, shop, Role.AGENT)
    for _ in range(MAX_REPLY_FILES):
        assert (await _upload(front, talk, agent, PHOTO)).status_code == 200

    async def never(*_: object) -> tuple[Inspected, ...]:
        raise AssertionError

    monkeypatch.setattr(FileInspector, "inspect", never)

    assert (await _upload(front, talk, agent, PHOTO)).json()["reason"] == "too_many"


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (PROGRAM, "executable"),
        (AttachedFile("a.png", "image/png", b""), "empty"),
        (AttachedFile("a.png", "application/pdf", PHOTO.data), "not_as_claimed"),
    ],
)
async def test_an_unsafe_file_is_refused(
    front: LiveEngine, shop: Shop, file: AttachedFile, reason: str
) -> None:
    talk, agent = await _talk(front, shop), await person(front, shop, Role.AGENT)

    answer = await _upload(front, talk, agent, file)

    assert code(answer) == (422, "attachment_refused")
    assert answer.json()["reason"] == reason
    assert await rows(front.database, attachments, of=shop) == []


async def test_a_reply_has_few_and_small_files(front: LiveEngine, shop: Shop) -> None:
    talk, agent = await _talk(front, shop), await person(front, shop, Role.AGENT)
    half = AttachedFile("a.png", "image/png", png(padding=MAX_REPLY_BYTES // 2))
    assert (await _upload(front, talk, agent, half)).status_code == 200
    assert (await _upload(front, talk, agent, half)).json()["reason"] == "too_large"
    for _ in range(MAX_REPLY_FILES - 1):
        assert (await _upload(front, talk, agent, PHOTO)).status_code == 200
    assert (await _upload(front, talk, agent, PHOTO)).json()["reason"] == "too_many"

    whole = AttachedFile("a.png", "image/png", png(padding=MAX_REPLY_BYTES))
    assert code(await _upload(front, talk, agent, whole)) == (413, "body_too_large")


async def test_a_file_is_its_authors_and_its_clients(front: LiveEngine, shop: Shop) -> None:
    talk, agent = await _talk(front, shop), await person(front, shop, Role.AGENT)
    file_id = (await _upload(front, talk, agent, PHOTO)).json()["id"]
    colleague = await person(front, shop, Role.ADMIN)
    elsewhere = await open_shop(front.database)
    stranger = await person(front, elsewhere, Role.OWNER)

    other = await _talk(front, shop, "other")
    for member, where, expected in (
        (colleague, talk, "attachment_not_found"),
        (agent, other, "attachment_not_found"),
        (stranger, await _talk(front, elsewhere), "attachment_not_found"),
        (stranger, talk, "conversation_not_found"),
    ):
        if where != talk or member is stranger:
            path = f"{TALKS}/{where}/attachments/{file_id}"
            assert code(await front.http.delete(path, headers=member)) == (404, expected)
        body = {"text": WORDS, "attachments": [file_id]}
        sent = await front.http.post(f"{TALKS}/{where}/reply", json=body, headers=member)
        assert code(sent) == (404, expected)
    viewer = await person(front, shop, Role.VIEWER)
    assert code(await _upload(front, talk, viewer, PHOTO)) == (403, "role_required")


async def test_a_file_is_attached_on_the_page(front: LiveEngine, shop: Shop) -> None:
    talk = await _talk(front, shop)
    path = f"/app/conversations/{talk}"
    async with at_pages(front, shop, Role.AGENT) as agent:
        form = form_of(await agent.see(path), f"{path}/attach")
        file = {"file": ("Colis abîmé.png", PHOTO.data, "image/png")}
        listed = await agent.follow(await agent.http.post(f"{path}/attach", data=form, files=file))
        assert "Colis abîmé.png</a>" in listed
        row = await only_row(front.database, attachments, of=shop)
        sent = await agent.follow(await agent.send(path, f"{path}/reply", {"text": WORDS}))
        assert f'<a href="/app/attachments/{row["id"]}" dir="auto">Colis abîmé.png</a>' in sent
        assert f'name="file:{row["id"]}"' not in sent
        reply = await only_row(front.database, conversation_replies, of=shop)
        row = await only_row(front.database, attachments, of=shop)
        assert row["reply_id"] == reply["id"]

        undone = await agent.follow(await agent.send(path, f"{path}/undo"))
        assert f'name="file:{row["id"]}"' in undone
        await agent.follow(await agent.send(path, f"{path}/detach"))
        row = await only_row(front.database, attachments, of=shop)
        assert (row["state"], row["reason"]) == ("refused", DELETED)
        assert await rows(front.database, attachment_chunks, of=shop) == []


async def test_a_refused_file_is_explained_on_the_page(front: LiveEngine, shop: Shop) -> None:
    path = f"/app/conversations/{await _talk(front, shop)}"
    async with at_pages(front, shop, Role.AGENT) as agent:
        form = form_of(await agent.see(path), f"{path}/attach")
        file = {"file": (PROGRAM.name, PROGRAM.data, PROGRAM.claimed_type)}
        answer = await agent.http.post(f"{path}/attach", data=form, files=file)
        shown = await agent.follow(answer)

    assert "This file can’t be attached." in shown
    assert await rows(front.database, attachments, of=shop) == []


async def test_a_webhook_event_contains_no_files(front: LiveEngine, shop: Shop) -> None:
    """The merchant's own system delivers the answer, from an event that contains only text."""
    ref = await write(front.database, shop)
    talk = await conversation_of(front.database, ref.event_id)
    agent = await person(front, shop, Role.AGENT)
    file_id = (await _upload(front, talk, agent, PHOTO)).json()["id"]

    body = {"text": WORDS, "attachments": [file_id]}
    sent = await front.http.post(f"{TALKS}/{talk}/reply", json=body, headers=agent)

    assert code(sent) == (409, "reply_not_possible")
    assert sent.json()["reason"] == "attachments_not_possible"
    assert await rows(front.database, conversation_replies, of=shop) == []
    async with at_pages(front, shop, Role.AGENT) as member:
        assert "/attach" not in await member.see(f"/app/conversations/{talk}")

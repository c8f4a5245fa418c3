"""/app/mail-sender: the sender of a client's customer emails."""

from collections.abc import Mapping
from typing import Annotated, Final

from fastapi import APIRouter, Depends
from starlette.responses import Response

from api.dashboard.page import OnPage, Page
from api.dashboard.post import ManagersPost, Post
from api.dashboard.typed import SECRET
from api.schemas.integrations.mail_sender import SenderBody, SenderCodeBody
from api.sender_codes import drawn_code, mail_sender_code
from domain.integrations.client_sender import CODES_A_DAY, PORTS, ShownSender
from domain.integrations.errors import InvalidSenderCode, MailSenderNotFound
from domain.tenants.actor import MANAGERS
from services.integrations.mail_senders import (
    remove_mail_sender,
    send_sender_code,
    set_mail_sender,
    verify_mail_sender,
)
from store.integrations.mail_senders import MailSenderRepository

_SENDER: Final = "/app/mail-sender"
_PASSWORD: Final = f"{SECRET}password"
_BLANK: Final = {
    "address": "",
    "reply_to": "",
    "signature": "",
    "host": "",
    "port": "465",
    "security": "",
    "username": "",
}

router = APIRouter(include_in_schema=False)


@router.get(_SENDER)
async def sender(page: Annotated[Page, Depends(OnPage(MANAGERS))]) -> Response:
    found = await _shown(page)
    return page.render(
        "integrations/mail_sender.html",
        sender=found,
        typed=await page.typed(_SENDER, _typed(found)),
        form=_SENDER,
        seen=_version(found),
        password=_PASSWORD,
        ports=sorted(PORTS),
        codes_a_day=CODES_A_DAY,
    )


@router.post(_SENDER)
async def put(post: ManagersPost) -> Response:
    """Set the mail sender. The form is first marked as used in a separate transaction, because the
    DNS lookups run outside any transaction."""
    page, resources = post.page, post.page.resources
    body = post.body(SenderBody, **_sender_fields(post))
    post.check_seen(_version(await _shown(page)))
    async with post.working(_SENDER):
        pass
    stored = await set_mail_sender(
        resources.work,
        page.actor,
        page.tenant,
        body.wanted,
        drawn_code(page.language),
        sealer=resources.sealer,
        servers=resources.mail_servers,
        service_address=resources.settings.mail.sender,
    )
    if stored.code_id is None:
        return post.done(_SENDER, "mail_sender.saved")
    await mail_sender_code(resources, page.tenant, stored.code_id)
    return post.done(_SENDER, "mail_sender.code_sent", address=stored.shown.address)


@router.post(f"{_SENDER}/code")
async def send_again(post: ManagersPost) -> Response:
    page = post.page
    async with post.working(_SENDER) as work:
        code_id = await send_sender_code(
            work, page.actor, drawn_code(page.language), page.resources.sealer
        )
    await mail_sender_code(page.resources, page.tenant, code_id)
    return post.done(_SENDER, "mail_sender.code_again")


@router.post(f"{_SENDER}/verify")
async def verify(post: ManagersPost) -> Response:
    page = post.page
    body = post.body(SenderCodeBody, code=post.text("code").strip())
    async with post.working(_SENDER) as work:
        verified = await verify_mail_sender(work, page.actor, body.code, page.resources.sealer)
    # Raise the error only after the commit, so that the failed attempt counts toward the limit.
    if verified is None:
        raise InvalidSenderCode
    return post.done(_SENDER, "mail_sender.verified")


@router.post(f"{_SENDER}/remove")
async def remove(post: ManagersPost) -> Response:
    async with post.working(_SENDER) as work:
        await remove_mail_sender(work, post.page.actor)
    return post.done(_SENDER, "mail_sender.removed")


async def _shown(page: Page) -> ShownSender | None:
    async with page.resources.database.reading(page.tenant) as connection:
        try:
            return await MailSenderRepository(connection, page.tenant).shown()
        except MailSenderNotFound:
            return None


def _version(sender: ShownSender | None) -> str:
    return sender.updated_at.isoformat() if sender else "none"


def _typed(sender: ShownSender | None) -> Mapping[str, str]:
    """Return the form fields for a sender."""
    if sender is None:
        return _BLANK
    smtp = sender.smtp
    return {
        "address": sender.address,
        "reply_to": sender.reply_to or "",
        "signature": sender.signature,
        "host": smtp.host if smtp else "",
        "port": str(smtp.port) if smtp else _BLANK["port"],
        "security": smtp.security.value if smtp else "",
        "username": (smtp.username or "") if smtp else "",
    }


def _sender_fields(post: Post) -> dict[str, object]:
    host = post.text("host").strip()
    port = post.text("port").strip()
    server = {
        "host": host,
        "port": int(port) if port.isdecimal() and len(port) < 6 else 0,
        "security": post.text("security") or None,
        "username": post.text("username").strip() or None,
        "password": post.text(_PASSWORD) or None,
    }
    return {
        "address": post.text("address").strip(),
        "reply_to": post.text("reply_to").strip() or None,
        "signature": post.text("signature"),
        "smtp": server if host else None,
    }

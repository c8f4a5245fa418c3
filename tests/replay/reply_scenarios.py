"""Replay scenarios for members' replies: sent, undone and failed."""

from dataclasses import replace

from activities.reviews.send_reply import SendReplies
from activities.runs.actions import Actions, Step
from adapters.system import new_ulid, utc_now
from domain.core import names
from domain.core.contracts import BackgroundRef
from domain.core.errors import InternalError
from domain.runs.teammate_reply import TeammateReply
from services.core.unit_of_work import UnitsOfWork
from services.reviews.replies import undo_reply
from store.runs.tables import conversation_replies
from tests.replay.scenarios import MAIL, Scenario
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row
from tests.support.core.units import units_on
from tests.support.reviews.replies import ANNA, conversation_of, write_and_send, written
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import UNSURE_MESSAGE, Shop
from tests.support.widget.page import page_of, signed, with_secret
from tests.support.widget.talk import VERIFIED


class FailingActions(Actions):
    async def perform(self, step: Step) -> str:
        raise InternalError(step.run_id)


async def reply_sent(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """A reply to a visitor with a verified address: the workflow of the late answer's email is a
    child."""
    page = await page_of(engine, shop)
    told = await page.say(UNSURE_MESSAGE, **signed(await with_secret(page), VERIFIED))
    return await _sent(engine, shop, told["event_id"])


async def reply_mailed(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    """A reply with the remaining undo period as a timer."""
    reply = await _written(engine, shop)
    await engine.engine.begin(names.SEND_REPLY, _ref(shop, reply))
    return _id(shop, reply)


async def reply_undone(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    reply = await _written(engine, shop)
    async with units_on(engine.database).of(shop.tenant) as work:
        await undo_reply(work, ANNA, reply.id)
    await engine.engine.begin(names.SEND_REPLY, _ref(shop, reply))
    return _id(shop, reply)


async def reply_failed(engine: LiveEngine, shop: Shop, _: MailServer) -> str:
    told = (await engine.post(shop, message=UNSURE_MESSAGE, **MAIL)).json()
    workflow_id = await _sent(engine, shop, told["event_id"])
    assert (await only_row(engine.database, conversation_replies))["state"] == "unknown"
    return workflow_id


def fail_replies(engine: LiveEngine) -> None:
    activities = engine.activities
    units = UnitsOfWork(engine.worker_database, engine.engine, utc_now, new_ulid)
    failing = SendReplies(units, FailingActions.__new__(FailingActions), utc_now, new_ulid)
    engine.activities = replace(activities, replies=failing)


async def _written(engine: LiveEngine, shop: Shop) -> TeammateReply:
    told = (await engine.post(shop, message=UNSURE_MESSAGE, **MAIL)).json()
    talk = await conversation_of(engine.database, told["event_id"])
    return await written(engine.database, shop, talk)


async def _sent(engine: LiveEngine, shop: Shop, event_id: str) -> str:
    talk = await conversation_of(engine.database, event_id)
    return _id(shop, await write_and_send(engine, shop, talk))


def _ref(shop: Shop, reply: TeammateReply) -> BackgroundRef:
    return BackgroundRef(client_id=shop.client_id, record_id=reply.id)


def _id(shop: Shop, reply: TeammateReply) -> str:
    return names.background_id(names.SEND_REPLY, shop.client_id, reply.id)


REPLY_PREPARED = {reply_failed.__name__: fail_replies}
REPLY_SCENARIOS: dict[str, Scenario] = {
    one.__name__: one for one in (reply_sent, reply_mailed, reply_undone, reply_failed)
}

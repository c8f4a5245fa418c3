"""A playbook in shadow mode: the agent drafts, humans answer, and both are compared."""

from pathlib import Path

import pytest

from domain.agent.plan import ActionKind
from domain.agent.rulebook import Rulebook
from domain.reviews.errors import DraftMissing
from domain.reviews.escalation import Decision
from store.learning.tables import shadow_drafts
from store.reviews.tables import escalation_tickets
from store.runs.tables import action_ledger, ai_conversations, engine_messages, engine_runs
from tests.support.agent.acting import ASKED, ScriptedBrain, acting_shop, order, rules, think_by
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import only_row, rows
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import ORDER_QUESTION, open_shop

SENT = "Bonjour Léa, votre remboursement de 49,00 € vient d'être fait."


@pytest.mark.own_database
async def test_nothing_is_sent_or_done_but_what_people_write(
    acting: LiveEngine, tmp_path: Path
) -> None:
    rulebook = rules().model_copy(update={"shadow": True})
    it = await acting_shop(acting, tmp_path, [order("2001")], rulebook)
    think_by(acting, ScriptedBrain(ActionKind.REFUND, text="Nous vous remboursons 49,00 €."))
    async with acting.working():
        answer = (await acting.post(it.shop, **ASKED)).json()
        review = await only_row(acting.database, escalation_tickets)
        waiting = await only_row(acting.database, engine_runs)
        kept = await only_row(acting.database, shadow_drafts)
        with pytest.raises(DraftMissing):
            await acting.decide(review["id"], Decision.APPROVE)
        await acting.decide(review["id"], Decision.EDIT, text=SENT)
        await acting.run_of(it.shop, answer["event_id"]).result()

    assert (answer["status"], answer["response"]) == ("needs_review", "")
    assert (review["reason"], review["draft"], review["needs_second"]) == ("shadow_mode", "", False)
    assert [one["kind"] for one in review["plan"]] == ["reply"]
    assert (waiting["draft"], waiting["citations"]) == ("", [])
    assert [one["kind"] for one in kept["plan"]] == ["refund", "reply"]
    assert (kept["reason"], kept["sent"]) == (None, None)

    assert it.refunded == 0
    assert [row["action"] for row in await rows(acting.database, action_ledger)] == ["reply"]
    said = await rows(acting.database, engine_messages, direction="outbound")
    assert [(one["author"], one["body"]) for one in said] == [("human", SENT)]
    talk = await only_row(acting.database, ai_conversations)
    assert "remboursons" not in f"{talk['turns']}{talk['summary']}"
    assert talk["proposal"] is None
    compared = await only_row(acting.database, shadow_drafts)
    assert (compared["decision"], compared["sent"]) == ("answered", SENT)
    found = compared["comparison"]
    assert (found["would"], found["decision"], found["facts"]) == ("answer", True, True)
    assert found["actions"] is None  # a refund made elsewhere is not recorded here
    assert found["agrees"] is True


async def test_the_customer_gets_no_acknowledgement(engine: LiveEngine) -> None:
    """The original reason and the urgency remain."""
    for is_shadow in (False, True):
        shop = await open_shop(engine.database, rulebook=Rulebook(shadow=is_shadow))
        answer = (await engine.post(shop, message="Mon avocat va vous assigner.")).json()

        assert (answer["status"], answer["response"]) == ("needs_review", "")
        assert (answer.get("acknowledgement") is None) == is_shadow
        review = await only_row(engine.database, escalation_tickets, of=shop)
        assert (review["reason"], review["urgent"]) == ("policy_restriction", True)
        kept = await rows(engine.database, shadow_drafts, of=shop)
        assert [one["reason"] for one in kept] == ["policy_restriction"] * is_shadow


async def test_an_automatic_reply_needs_nobody_in_shadow_mode_either(
    engine: LiveEngine, mail: MailServer
) -> None:
    shop = await open_shop(engine.database, rulebook=Rulebook(shadow=True))
    for message in ("Je suis absente jusqu'au 12.", ORDER_QUESTION):
        answer = await engine.post(
            shop,
            event_type="email.inbound",
            customer_email="lea@example.com",
            message=message,
            headers={"Auto-Submitted": "auto-replied"},
        )
        body = answer.json()
        assert (body["status"], body["response"], body["steps_executed"]) == ("completed", "", 0)
    assert mail.mails == []
    for table in (escalation_tickets, shadow_drafts, action_ledger):
        assert await rows(engine.database, table, of=shop) == []
    assert await rows(engine.database, engine_messages, of=shop, direction="outbound") == []

"""The worker that emails a member is killed at named points: the email is not lost, and a repeated
email is recognizable as the same one."""

import signal
from pathlib import Path

import pytest

from adapters.temporal.setup import ensure_mail_members_schedule
from domain.core import names
from domain.reviews.contracts import MailMembersInput
from store.reviews.tables import member_mails, member_notices
from tests.support.core.engine import LiveEngine
from tests.support.core.processes import has_ended, process
from tests.support.core.rows import only_row
from tests.support.core.waiting import eventually
from tests.support.reviews.notifications import notified
from tests.support.reviews.reviews import open_review
from tests.support.servers.mail import MailServer
from tests.support.tenants.shop import Shop

pytestmark = pytest.mark.usefixtures("missed_soon")


@pytest.mark.parametrize(
    ("point", "attempts"),
    [
        ("notice-sent", 2),
        pytest.param("notice-prepared", 1, marks=pytest.mark.slow),
        pytest.param("after:members.mail", 1, marks=pytest.mark.slow),
    ],
)
async def test_worker_killed_around_the_email(
    idle_engine: LiveEngine,
    shop: Shop,
    mail: MailServer,
    tmp_path: Path,
    point: str,
    attempts: int,
) -> None:
    """SMTP cannot report whether an earlier attempt arrived. Only the email whose acknowledgement
    was lost is sent again, with the same Message-ID."""
    settings = idle_engine.settings
    # Only the workflow below sends emails.
    await ensure_mail_members_schedule(idle_engine.client)
    await idle_engine.client.get_schedule_handle(names.MAIL_MEMBERS_SCHEDULE).pause()
    await notified(idle_engine.database, shop)
    await open_review(idle_engine.database, shop)
    with process(
        "dying", "-m", "tests.support.core.crashing_worker", point,
        settings=settings, folder=tmp_path,
    ) as dying:  # fmt: skip
        handle = await idle_engine.client.start_workflow(
            names.MAIL_MEMBERS_WORKFLOW,
            MailMembersInput(),
            id=f"{names.MAIL_MEMBERS_SCHEDULE}/test",
            task_queue=names.ENGINE_QUEUE,
        )
        await eventually(lambda: has_ended(dying))
        assert dying.exit_code == -signal.SIGKILL
        with process("worker", "worker.py", settings=settings, folder=tmp_path):
            await handle.result()

    assert len(mail.mails) == attempts
    assert len({one["Message-ID"] for one in mail.mails}) == 1
    row = await only_row(idle_engine.database, member_mails)
    assert row["outcome"] == "sent"
    assert (await only_row(idle_engine.database, member_notices))["mail_id"] == row["id"]

"""The tour: send sample tickets to the gateway over HTTP, and show each answer with its reasons."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import httpx
from pydantic import JsonValue
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from adapters.demo.shop import movements
from demo.addresses import GATEWAY
from demo.arrivals import TourPost, arrivals
from demo.chat import WidgetChat, widget_client
from demo.conversation import TourVisit, converse
from demo.mails import read_mail
from demo.opening import OpenShop
from demo.receiver import ReceivedWebhook
from demo.tickets import SampleTicket, sample_tickets
from demo.webhook import waiting
from demo.webhook_check import ReadWebhook, as_expected, missing, read, table_of
from demo.why import why_rows
from domain.core.ids import TenantId
from domain.core.money import Money
from domain.runs.run import RunStatus
from domain.runs.trace import RunTrace
from embedded.data_folder import DataFolder, StackInfo
from embedded.instance import check_instance
from store.core.database import Database
from store.runs.traces import RunTraces

_CLI: Final = Path(__file__).resolve().parent.parent / "cli.py"
_ANSWER_ORDER: Final = (
    "status", "classification", "confidence", "response", "draft", "message", "steps_executed",
    "duration_ms", "event_id", "run_id",
)  # fmt: skip
_PATIENCE_S: Final = 60.0  # This timeout is long because a busy machine is slow.
_LOOK_EVERY_S: Final = 0.1


class Tour:
    """One tour of the running stack. Every answer that it shows was received over HTTP."""

    def __init__(
        self, opened: OpenShop, stack: StackInfo, folder: DataFolder, out: Console
    ) -> None:
        self._opened = opened
        self._shop = opened.shop
        self._receiver = opened.receiver
        # The expected webhooks by ticket_id. Webhooks about the opening of the shop concern no
        # ticket.
        self._expected_events = {"": opened.expected_events}
        self._numbers: dict[str, str] = {}
        self._stack = stack
        self._folder = folder
        self._mail = folder.mail
        self._out = out

    async def run(self) -> bool:
        """Send every ticket and show its answer. Return True if each outcome was as expected."""
        await check_instance(self._stack)
        before = self._mails()
        tickets = sample_tickets(self._opened.numbers)
        headers = {"Authorization": f"Bearer {self._shop.key}"}
        database = Database(self._stack.env["DATABASE_URL"], pool_size=1)
        try:
            async with httpx.AsyncClient(
                base_url=self._stack.api_url, headers=headers, timeout=35, trust_env=False
            ) as client:
                expected = [
                    await self._take(client, database, number, ticket)
                    for number, ticket in enumerate(tickets, 1)
                ]
                last = len(tickets) + 1
                expected.append(await self._converse(last))
                expected += await self._arrive(client, database, last + 1)
            await self._webhooks_sent(database)
        finally:
            await database.close()
        expected.append(self._show_webhooks())
        self._out.print("One delivery in full:")
        self._show_command("webhook", "delivery", "DELIVERY_ID")
        sent = sorted(self._mails() - before)
        for path in sent:
            self._show_mail(path)
        # Two emails are not about tickets: one contains the visitor's code, and the other answers
        # the email with a photo.
        expected.append(len(sent) == 2 + sum(ticket.sends_mail for ticket in tickets))
        return all(expected)

    async def _converse(self, number: int) -> bool:
        """Run the conversation in the storefront chat, using the same API calls as the widget's
        script. Return True if the conversation went as expected."""
        async with widget_client(self._stack.api_url, self._opened.widget) as client:
            chat = WidgetChat(client, "fr")
            visit = TourVisit(chat, self._opened.office, self._mail, self._opened.numbers)
            chat_transcript = await converse(visit)
        self._expected_events |= chat_transcript.expected_events
        self._numbers |= dict.fromkeys(chat_transcript.expected_events, str(number))
        self._out.print(chat_transcript.table(f"{number}. A conversation in the storefront's chat"))
        return not chat_transcript.wrong

    async def _arrive(
        self, client: httpx.AsyncClient, database: Database, first: int
    ) -> list[bool]:
        """Send the other platforms' webhooks to the shop's inbound addresses. For each part, return
        whether it went as expected."""
        opened = self._opened
        async with httpx.AsyncClient(
            base_url=self._stack.api_url, timeout=35, trust_env=False
        ) as outside:
            post = TourPost(
                gateway=client,
                outside=outside,
                database=database,
                tenant=TenantId(self._shop.client_id),
                hub=opened.hub,
                desk=opened.desk,
                mails=self._mail,
                numbers=opened.numbers,
            )
            transcripts = await arrivals(post)
        for number, (title, chat_transcript) in enumerate(transcripts, first):
            self._expected_events |= chat_transcript.expected_events
            self._numbers |= dict.fromkeys(chat_transcript.expected_events, str(number))
            self._out.print(chat_transcript.table(f"{number}. {title}"))
        self._show_command("inbound", "list", "--client", self._shop.client_id)
        return [not chat_transcript.wrong for _, chat_transcript in transcripts]

    async def _take(
        self, client: httpx.AsyncClient, database: Database, number: int, ticket: SampleTicket
    ) -> bool:
        body = {"client_id": self._shop.client_id, **ticket.body}
        response = await client.post(GATEWAY, json=body)
        answer: dict[str, JsonValue] = response.json()
        good = response.status_code == 200 and _is_expected(ticket, answer)
        if isinstance(event_id := answer.get("event_id"), str):
            self._expected_events[event_id] = Counter(ticket.expected_events)
            self._numbers[event_id] = str(number)
        trace = await self._trace(database, answer)
        self._show(number, ticket, response.status_code, answer, trace=trace, good=good)
        if trace is None:
            return good
        good = good and _is_explained(ticket, trace)
        if ticket.approvers:
            trace = await self._approve(database, trace, ticket.approvers)
            self._out.print(
                _table(f"{number}. after the approvals: {trace.status}", why_rows(trace))
            )
            good = good and trace.status is RunStatus.COMPLETED
        if ticket.order is not None:
            given = self._given_back(ticket.order)
            self._out.print(f"The shop has refunded {given} for order {ticket.order}.\n")
            good = good and given == ticket.refunded
        return good

    async def _approve(
        self, database: Database, trace: RunTrace, approvers: tuple[str, ...]
    ) -> RunTrace:
        """Approve the review on the command line as each of the approvers. Return the run once its
        plan has been executed."""
        review_id = trace.reviews[-1].review_id
        for person in approvers:
            command = ("review", "approve", review_id, "--as", person)
            typed = f"$ .venv/bin/python cli.py {' '.join(command)}"
            self._out.print(typed, highlight=False, soft_wrap=True)
            process = await asyncio.create_subprocess_exec(
                sys.executable, str(_CLI), *command, "--data", str(self._folder.root)
            )
            await process.wait()
        async with asyncio.timeout(_PATIENCE_S):
            while trace.status is RunStatus.NEEDS_REVIEW:
                await asyncio.sleep(_LOOK_EVERY_S)
                trace = await self._read(database, trace.run_id)
        return trace

    async def _trace(self, database: Database, answer: dict[str, JsonValue]) -> RunTrace | None:
        """Return the trace of the answer's run. Return None if there is no run, for example after a
        dry run."""
        run_id = answer.get("run_id")
        if not isinstance(run_id, str) or "draft" in answer:
            return None
        return await self._read(database, run_id)

    async def _read(self, database: Database, run_id: str) -> RunTrace:
        tenant = TenantId(self._shop.client_id)
        async with database.reading(tenant) as connection:
            return await RunTraces(connection, tenant).read(run_id)

    async def _webhooks_sent(self, database: Database) -> None:
        """Wait up to _PATIENCE_S until all expected webhooks have arrived and no delivery is
        pending. A missing one is shown later.

        An email answer is sent before its webhook, so it needs no wait.
        """
        left = partial(waiting, database, TenantId(self._shop.client_id), self._shop.webhook)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                # Read the pending deliveries last because a webhook arrives before its delivery is
                # recorded.
                while missing(self._received(), self._expected_events) or await left():  # noqa: ASYNC110
                    await asyncio.sleep(_LOOK_EVERY_S)

    def _received(self) -> list[ReadWebhook]:
        return [read(arrival, self._shop.webhook.secret) for arrival in self._receiver.arrivals]

    def _given_back(self, order: str) -> str:
        given = [it.amount for it in movements(self._folder.shop) if it.number == order]
        return str(Money(minor=sum(amount.minor for amount in given), currency="EUR"))

    def _mails(self) -> set[Path]:
        return set(self._mail.glob("*.eml")) if self._mail.exists() else set()

    def _show(
        self,
        number: int,
        ticket: SampleTicket,
        status: int,
        answer: dict[str, JsonValue],
        *,
        trace: RunTrace | None,
        good: bool,
    ) -> None:
        mark = "[green]as expected[/]" if good else f"[bold red]expected {ticket.status}[/]"
        table = _table(f"{number}. {ticket.title} — HTTP {status}, {mark}", ())
        table.width = min(self._out.width, 110)
        for name, value in ticket.body.items():
            table.add_row(name, _plain(value))
        table.add_section()
        for name in _ANSWER_ORDER:
            if name in answer:
                table.add_row(name, _plain(answer[name]), style="bold" if name == "status" else "")
        if trace is not None:
            table.add_section()
            for name, text in why_rows(trace):
                table.add_row(name, text, style="dim")
        self._out.print(table)

    def _show_webhooks(self) -> bool:
        """Show the received webhooks. Return True if each webhook arrived once and had a valid
        signature."""
        webhooks_read = self._received()
        good = as_expected(webhooks_read, self._expected_events)
        mark = "[green]as expected[/]" if good else "[bold red]not as expected[/]"
        title = f"{len(webhooks_read)} webhooks, {mark}"
        self._out.print(table_of(webhooks_read, self._expected_events, self._numbers, title=title))
        return good

    def follow_webhooks(self) -> None:
        """If the output is a terminal, print each webhook that arrives from now on. Otherwise print
        nothing because a pipe without a reader would fill up."""
        self._receiver.heard = self._show_webhook if self._out.is_terminal else _nobody_hears

    def _show_webhook(self, arrival: ReceivedWebhook) -> None:
        it = read(arrival, self._shop.webhook.secret)
        verdict = "verified" if it.verified else "[bold red]wrong[/]"
        self._out.print(f"webhook {it.event}, signatures {verdict}, delivery {it.delivery_id}")

    def _show_mail(self, path: Path) -> None:
        mail = read_mail(path)
        self._out.print(
            Panel(
                f"To: {mail.to}\nSubject: {mail.subject}\n\n{mail.text}",
                title=f"email sent, stored in {self._mail.name}/{mail.name}",
                title_align="left",
                width=min(self._out.width, 110),
            )
        )

    def _show_command(self, *command: str) -> None:
        line = self._opened.office.line(*command)
        self._out.print(line, soft_wrap=True, highlight=False, markup=False)


def _nobody_hears(_: ReceivedWebhook) -> None:
    return


def _is_expected(ticket: SampleTicket, answer: dict[str, JsonValue]) -> bool:
    return answer.get("status") == ticket.status and (
        ticket.classification is None or answer.get("classification") == ticket.classification
    )


def _is_explained(ticket: SampleTicket, trace: RunTrace) -> bool:
    cited = {citation.kind for citation in trace.thought.citations}
    return set(ticket.cites) <= cited and ticket.reason in (None, trace.handoff_reason)


def _table(title: str, rows: Sequence[tuple[str, str]]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_header=False)
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        table.add_row(name, text)
    return table


def _plain(value: JsonValue) -> str:
    """Return a value as text for a table cell. Brackets are escaped because rich would interpret
    them as markup."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("[", r"\[")

"""The tour: sample tickets through the gateway over HTTP, each shown with its answer."""

import email
import email.policy
import json
import shlex
from pathlib import Path
from typing import Final

import httpx
from pydantic import JsonValue
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from demo.content import BRAND
from demo.seed import DemoShop
from demo.tickets import TICKETS, SampleTicket
from embedded.data_folder import StackInfo

_GATEWAY: Final = "/api/engine/gateway"
_ANSWER_ORDER: Final = (
    "status", "classification", "confidence", "response", "message", "steps_executed",
    "duration_ms", "event_id", "run_id",
)  # fmt: skip


class Tour:
    """One walk through the running stack. Every answer shown came over HTTP."""

    def __init__(self, shop: DemoShop, stack: StackInfo, mail: Path, out: Console) -> None:
        self._shop = shop
        self._stack = stack
        self._mail = mail
        self._out = out

    async def run(self) -> bool:
        """Send and show every ticket; True if each came out as expected."""
        before = self._mails()
        headers = {"Authorization": f"Bearer {self._shop.key}"}
        async with httpx.AsyncClient(
            base_url=self._stack.api_url, headers=headers, timeout=35, trust_env=False
        ) as client:
            expected = [await self._send(client, number) for number in range(len(TICKETS))]
        sent = sorted(self._mails() - before)
        for path in sent:
            self._show_mail(path)
        expected.append(len(sent) == sum(ticket.sends_mail for ticket in TICKETS))
        return all(expected)

    async def _send(self, client: httpx.AsyncClient, number: int) -> bool:
        ticket = TICKETS[number]
        body = {"client_id": self._shop.client_id, **ticket.body}
        response = await client.post(_GATEWAY, json=body)
        answer: dict[str, JsonValue] = response.json()
        good = response.status_code == 200 and _is_expected(ticket, answer)
        self._show(number + 1, ticket, response.status_code, answer, good)
        return good

    def _mails(self) -> set[Path]:
        return set(self._mail.glob("*.eml")) if self._mail.exists() else set()

    def _show(
        self,
        number: int,
        ticket: SampleTicket,
        status: int,
        answer: dict[str, JsonValue],
        good: bool,
    ) -> None:
        mark = "[green]as expected[/]" if good else f"[bold red]expected {ticket.status}[/]"
        table = Table(
            title=f"{number}. {ticket.title} — HTTP {status}, {mark}",
            title_justify="left",
            title_style="bold",
            show_header=False,
            width=min(self._out.width, 110),
        )
        table.add_column(style="cyan", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in ticket.body.items():
            table.add_row(name, _plain(value))
        table.add_section()
        for name in _ANSWER_ORDER:
            if name in answer:
                table.add_row(name, _plain(answer[name]), style="bold" if name == "status" else "")
        self._out.print(table)

    def _show_mail(self, path: Path) -> None:
        mail = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
        text = mail.get_content() if not mail.is_multipart() else ""
        self._out.print(
            Panel(
                f"To: {mail['To']}\nSubject: {mail['Subject']}\n\n{text.strip()}",
                title=f"mail sent, kept in {self._mail.name}/{path.name}",
                title_align="left",
                width=min(self._out.width, 110),
            )
        )

    def show_addresses(self) -> None:
        """Where everything is, and a line to paste."""
        example = {
            "client_id": self._shop.client_id,
            "event_type": "shopify.ticket.created",
            "customer_email": "you@example.com",
            "message": "Combien coûte la livraison express ?",
        }
        table = Table(title=f"{BRAND} is open", title_justify="left", show_header=False, box=None)
        table.add_row("API", f"{self._stack.api_url}{_GATEWAY}")
        table.add_row("API docs", f"{self._stack.api_url}/docs")
        if self._stack.ui_url:
            table.add_row("Temporal UI", f"{self._stack.ui_url}/namespaces/default/workflows")
        table.add_row("client_id", self._shop.client_id)
        table.add_row("key", self._shop.key)
        self._out.print(table)
        self._out.print(
            f"curl -s {self._stack.api_url}{_GATEWAY} -H 'Authorization: Bearer {self._shop.key}' "
            f"-H 'Content-Type: application/json' "
            f"-d {shlex.quote(json.dumps(example, ensure_ascii=False))}",
            soft_wrap=True,
            highlight=False,
            markup=False,
        )


def _is_expected(ticket: SampleTicket, answer: dict[str, JsonValue]) -> bool:
    return answer.get("status") == ticket.status and (
        ticket.classification is None or answer.get("classification") == ticket.classification
    )


def _plain(value: JsonValue) -> str:
    """A value for a table cell; its brackets are not rich's markup."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("[", r"\[")

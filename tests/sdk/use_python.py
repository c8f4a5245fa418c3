"""Uses the built Python client as a program outside this repository would: `test_clients.py`
installs the wheel, and compares the printed facts."""

import json
import os

import httpx
from support_engine import SupportEngine, WebhookInvalid, each, pages, verify_webhook
from support_engine.errors import BY_CODE, ClientNotFound, QuotaExhausted, Unauthenticated
from support_engine.models import GatewayRequest, NewWebhookBody  # type: ignore[attr-defined]

given = json.loads(os.environ["GIVEN"])
facts: dict[str, object] = {}

engine = SupportEngine(given["url"], given["key"])
answer = engine.gateway.push(
    body=GatewayRequest(client_id=given["client_id"], message=given["message"])
)
facts["status"] = answer.status
facts["absent"] = [repr(answer.draft), bool(answer.draft)]
facts["period"] = len(engine.usage.get(client_id=given["client_id"]).period)

extra = GatewayRequest(client_id=given["client_id"], message=given["message"])
extra["order_number"] = "1042"
facts["extra"] = engine.gateway.push(body=extra).status

with SupportEngine(given["url"], given["token"]) as dashboard:
    found = [page.runs for page in pages(dashboard.runs.list, limit=1)]
    facts["pages"] = [len(page) for page in found]
    facts["each"] = [run.run_id for run in each(dashboard.runs.list, limit=1)] == [
        run.run_id for page in found for run in page
    ]
    facts["zone"] = str(found[0][0].received_at.tzinfo)
    hook = dashboard.webhooks.create(
        body=NewWebhookBody(url="https://shop.example/h", events=["*"], label="Hook")
    )
    facts["deleted"] = [dashboard.webhooks.delete(webhook_id=hook.webhook.id), len(hook.secret)]

try:
    SupportEngine(given["url"], "ak_" + "0" * 32).usage.get(client_id=given["client_id"])
except Unauthenticated as error:
    facts["refused"] = [error.status, error.code, bool(error.request_id)]

sent: list[httpx.Request] = []
soon = {"Retry-After": "0"}
answers = [
    httpx.Response(503, json={"error": "…", "code": "server_busy"}, headers=soon),
    httpx.Response(409, json={"error": "…", "code": "run_in_progress"}, headers=soon),
    httpx.Response(429, json={"error": "…", "code": "quota_exhausted", "tickets_limit": 50}),
]


def fake(request: httpx.Request) -> httpx.Response:
    sent.append(request)
    return answers[len(sent) - 1]


try:
    SupportEngine("http://fake", "ak", transport=httpx.MockTransport(fake)).gateway.push(
        body=GatewayRequest(client_id="c")
    )
except QuotaExhausted as error:
    facts["quota"] = error.tickets_limit
facts["attempts"] = len(sent)
facts["keys"] = len({request.headers["Idempotency-Key"] for request in sent})
facts["codes"] = len(BY_CODE)
facts["is_class"] = BY_CODE["client_not_found"] is ClientNotFound

vector = given["vector"]
headers = {"x-service-timestamp": vector["timestamp"], "X-Service-Signature": vector["signature"]}
body, now = vector["body"].encode(), float(vector["timestamp"])
facts["event"] = verify_webhook(vector["secret"], headers, body, now=now).event
refusals = []
for wrong_body, wrong_now in ((body + b" ", now), (body, now + 301)):
    try:
        verify_webhook(vector["secret"], headers, wrong_body, now=wrong_now)
    except WebhookInvalid as error:
        refusals.append(str(error))
facts["refusals"] = len(refusals)

print(json.dumps(facts))

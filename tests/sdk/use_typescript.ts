// Uses the built TypeScript client as a program outside this repository would: test_clients.py installs the
// tarball, checks the types, and compares the printed facts.
import { ApiError, each, isApiError, pages, SupportEngine, verifyWebhook, WebhookInvalid } from "support-engine-client";

declare const process: { env: Record<string, string> };

const given = JSON.parse(process.env.GIVEN);
const facts: Record<string, unknown> = {};

const engine = new SupportEngine(given.url, given.key);
const answer = await engine.gateway.push({ body: { client_id: given.client_id, message: given.message } });
facts.status = answer.status;
facts.period = (await engine.usage.get({ query: { client_id: given.client_id } })).period.length;
const extra = { client_id: given.client_id, message: given.message, order_number: "1042" };
facts.extra = (await engine.gateway.push({ body: extra })).status;

const dashboard = new SupportEngine(given.url, given.token);
const list = (cursor?: string) => dashboard.runs.list({ query: { limit: 1, cursor } });
const lengths: number[] = [];
const ids: string[] = [];
let at = "";
for await (const page of pages(list)) {
  lengths.push(page.runs.length);
  for (const run of page.runs) {
    ids.push(run.run_id);
    at = run.received_at;
  }
}
const again: string[] = [];
for await (const run of each(list)) again.push(run.run_id);
facts.pages = lengths;
facts.each = again.join() === ids.join();
facts.milliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(at);
const body = { url: "https://shop.example/h", events: ["*"] as ["*"], label: "Hook" };
const hook = await dashboard.webhooks.create({ body });
await dashboard.webhooks.delete({ path: { webhook_id: hook.webhook.id } });
facts.secret = hook.secret.length;

try {
  await new SupportEngine(given.url, "ak_" + "0".repeat(32)).usage.get({ query: { client_id: given.client_id } });
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  facts.refused = [error.status, error.code, error.body.request_id !== ""];
}

const keys: (string | null)[] = [];
const replies = [
  { status: 503, code: "server_busy" },
  { status: 409, code: "run_in_progress" },
  { status: 429, code: "quota_exhausted", tickets_limit: 50 },
];
const fake: typeof fetch = async (input) => {
  const { status, ...rest } = replies[keys.length]!;
  keys.push((input as Request).headers.get("idempotency-key"));
  const headers = { "retry-after": "0", "content-type": "application/json" };
  return new Response(JSON.stringify({ error: "…", request_id: "r", ...rest }), { status, headers });
};
try {
  await new SupportEngine("http://fake", "ak", { fetch: fake }).gateway.push({ body: { client_id: "c" } });
} catch (error) {
  if (!isApiError(error, "quota_exhausted")) throw error;
  const limit: number | null = error.body.tickets_limit;
  facts.quota = limit;
}
facts.attempts = keys.length;
facts.keys = new Set(keys).size;

const { vector } = given;
const headers = { "x-service-timestamp": vector.timestamp, "X-Service-Signature": vector.signature };
const nowS = Number(vector.timestamp);
facts.event = (await verifyWebhook(vector.secret, headers, vector.body, { nowS })).event;
let refusals = 0;
for (const [wrongBody, wrongNow] of [[`${vector.body} `, nowS], [vector.body, nowS + 301]] as [string, number][]) {
  try {
    await verifyWebhook(vector.secret, headers, wrongBody, { nowS: wrongNow });
  } catch (error) {
    if (!(error instanceof WebhookInvalid)) throw error;
    refusals += 1;
  }
}
facts.refusals = refusals;

console.log(JSON.stringify(facts));

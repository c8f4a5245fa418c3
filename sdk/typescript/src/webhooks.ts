/** Verification of webhook requests. */

/** The request is not a genuine webhook of the service. Answer it with status 400. */
export class WebhookInvalid extends Error {
  override readonly name = "WebhookInvalid";
}

/** A verified event. Fields may be added to `data` without notice. */
export interface WebhookEvent {
  /** The same for each delivery of the event, so ignore an id that you have processed. */
  id: string;
  event: string;
  timestamp: string;
  client_id: string;
  data: Record<string, unknown>;
}

type GivenHeaders = Headers | Record<string, string | string[] | undefined>;

/**
 * Return the event in a request. Throws `WebhookInvalid`.
 *
 * @param secret the webhook's secret, including `whsec_`
 * @param headers the request's headers
 * @param body the raw body, before any parsing
 * @param options `toleranceS`: the greatest age of a request. `nowS`: the current Unix time, for tests
 */
export async function verifyWebhook(
  secret: string,
  headers: GivenHeaders,
  body: Uint8Array | string,
  { toleranceS = 300, nowS = Date.now() / 1000 } = {},
): Promise<WebhookEvent> {
  const timestamp = valueOf(headers, "x-service-timestamp");
  if (!/^\d+$/.test(timestamp)) {
    throw new WebhookInvalid("the X-Service-Timestamp header is missing or not a number");
  }
  if (Math.abs(nowS - Number(timestamp)) > toleranceS) {
    throw new WebhookInvalid("the timestamp is too old, or the clock is wrong");
  }
  const encoder = new TextEncoder();
  const raw = typeof body === "string" ? encoder.encode(body) : body;
  const head = encoder.encode(`${timestamp}.`);
  const signed = new Uint8Array(head.length + raw.length);
  signed.set(head);
  signed.set(raw, head.length);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, [
    "verify",
  ]);
  const given = ["x-service-signature", "x-service-signature-next"].map((name) =>
    bytesOf(valueOf(headers, name)),
  );
  // `verify` compares in constant time.
  const matches = await Promise.all(
    given.map((one) => one !== undefined && crypto.subtle.verify("HMAC", key, one, signed)),
  );
  if (!matches.includes(true)) throw new WebhookInvalid("the signature does not match");
  const event = JSON.parse(new TextDecoder().decode(raw)) as Omit<WebhookEvent, "id">;
  return { ...event, id: valueOf(headers, "webhook-id") };
}

function valueOf(headers: GivenHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : "";
}

function bytesOf(signature: string): Uint8Array<ArrayBuffer> | undefined {
  const hex = /^v1=([0-9a-f]{64})$/.exec(signature)?.[1];
  return hex === undefined ? undefined : Uint8Array.from(hex.match(/../g)!, (one) => parseInt(one, 16));
}

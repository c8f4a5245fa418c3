/**
 * A fetch that repeats requests. A repeated request never has an effect twice: a request that may
 * change something is repeated only if it has an Idempotency-Key, or if the service refused it
 * before it did anything.
 */
import { retryAfterS } from "./errors.js";
import { KEYED } from "./generated/errors.js";

export const ATTEMPTS = 4;
const MAX_WAIT_S = 60;
const KEY = "idempotency-key";
const REPEATABLE = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
const REFUSED = new Set([429, 503]);
const UNKNOWN = new Set([409, 500, 502, 504]);

/** Return a function that sends a request up to `attempts` times. */
export function retrying(send: typeof fetch, attempts: number, timeoutMs: number) {
  return async (request: Request): Promise<Response> => {
    if (request.method === "POST" && KEYED.has(new URL(request.url).pathname)) {
      if (!request.headers.has(KEY)) request.headers.set(KEY, crypto.randomUUID());
    }
    const repeatable = REPEATABLE.has(request.method) || request.headers.has(KEY);
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts;
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
      let waitS: number | undefined;
      try {
        const response = await send(isLast ? request : request.clone(), { signal });
        waitS = isLast ? undefined : await waitOf(response, attempt, repeatable);
        if (waitS === undefined) return response;
      } catch (failure) {
        if (isLast || !repeatable || request.signal.aborted) throw failure;
        waitS = backoffS(attempt);
      }
      const waitMs = waitS * 1000;
      await new Promise((resume) => setTimeout(resume, waitMs));
    }
  };
}

/** Return the seconds until the next attempt, or undefined if the response is final. */
async function waitOf(
  response: Response,
  attempt: number,
  repeatable: boolean,
): Promise<number | undefined> {
  const { status } = response;
  if (!REFUSED.has(status) && !(repeatable && UNKNOWN.has(status))) return undefined;
  const text = await response.clone().text();
  // More waiting does not help if the quota is exhausted: the client must buy credits.
  if (text.includes('"quota_exhausted"')) return undefined;
  if (status === 409 && !text.includes('"run_in_progress"')) return undefined;
  const stated = retryAfterS(response);
  if (stated !== undefined) return stated <= MAX_WAIT_S ? stated : undefined;
  return backoffS(attempt);
}

function backoffS(attempt: number): number {
  return Math.min(MAX_WAIT_S, 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** The client: all operations, with retries and typed errors. */
import { apiErrorOf } from "./errors.js";
import { createClient, createConfig } from "./generated/client/index.js";
import { AllOperations } from "./generated/sdk.gen.js";
import { ATTEMPTS, retrying } from "./retrying.js";

export interface SupportEngineOptions {
  /** How often a request is sent at most. 1 means no retries. */
  attempts?: number;
  /** Milliseconds to wait for each response. */
  timeoutMs?: number;
  /** The function that sends requests. */
  fetch?: typeof fetch;
}

/**
 * A client of the API. Its properties are the document's tags, and their methods the operations:
 * `engine.runs.list({ query: { limit: 20 } })`. Operations throw `ApiError`.
 */
export class SupportEngine extends AllOperations {
  /**
   * @param baseUrl the address of the API
   * @param key an API key, or a session token for the dashboard's operations
   */
  constructor(baseUrl: string, key: string, options: SupportEngineOptions = {}) {
    const { attempts = ATTEMPTS, timeoutMs = 60_000, fetch: send = fetch } = options;
    const send_ = retrying(send, attempts, timeoutMs);
    super({
      client: createClient(
        createConfig({
          baseUrl,
          auth: (scheme) => (scheme.scheme === "bearer" ? key : undefined),
          throwOnError: true,
          fetch: async (input, init) => {
            const response = await send_(new Request(input, init));
            if (!response.ok) throw await apiErrorOf(response);
            return response;
          },
        }),
      ),
    });
  }
}

/** Client of the customer-support service. */
export { ApiError, isApiError, type ErrorFields } from "./errors.js";
export { SupportEngine, type SupportEngineOptions } from "./engine.js";
export { each, pages } from "./paging.js";
export { verifyWebhook, WebhookInvalid, type WebhookEvent } from "./webhooks.js";
export type * from "./generated/types.gen.js";

/** Typed errors. */
import type { ErrorBody, ErrorCode } from "./generated/types.gen.js";
import type { FieldsOfCode } from "./generated/errors.js";

/** The body of an error with this code, including the code's additional fields. */
export type ErrorFields<Code extends ErrorCode> = ErrorBody &
  Required<Pick<ErrorBody, FieldsOfCode[Code] & keyof ErrorBody>>;

/** An error response. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The stable error code. A newer service may send a code that is not in the type. */
  readonly code: ErrorCode;

  /**
   * @param status the HTTP status
   * @param body the whole response
   * @param retryAfterS the seconds to wait before another attempt, if the service states them
   */
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    readonly retryAfterS: number | undefined,
  ) {
    super(`${status} ${body.code}: ${body.error}`);
    this.code = body.code;
  }
}

/** Return whether a value is an error with this code. The type of its `body` then has the fields. */
export function isApiError<Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is ApiError & { code: Code; body: ErrorFields<Code> } {
  return error instanceof ApiError && error.code === code;
}

/** Return the error of a response. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  let body: Partial<ErrorBody> = {};
  try {
    body = JSON.parse(text) as Partial<ErrorBody>;
  } catch {
    body = { error: text.slice(0, 200) };
  }
  return new ApiError(response.status, body as ErrorBody, retryAfterS(response));
}

/** Return the seconds in the Retry-After header. */
export function retryAfterS(response: Response): number | undefined {
  const value = response.headers.get("retry-after") ?? "";
  return /^\d+$/.test(value) ? Number(value) : undefined;
}

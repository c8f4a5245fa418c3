// Requests to the service's routes, and the stream of a session's messages.

const ANSWER_MS = 60000;
const SILENT_MS = 45000;
const LONGEST_PAUSE_MS = 30000;
const SESSION_UNKNOWN = "widget_session_unknown";

/**
 * A failed request. `status`: the HTTP status, or 0 if there was no response. `after`: the seconds
 * in Retry-After, or 0 without this header. `stored`: true if the message has arrived but its
 * answer takes longer.
 */
class Refusal extends Error {
  constructor(status, code, after = 0, stored = false) {
    super(code);
    Object.assign(this, { status, code, after, stored });
  }
  /** True if another attempt may succeed. `run_in_progress`: the first attempt is still running. */
  get isPassing() {
    return [0, 408].includes(this.status) || this.status >= 500 || this.code === "run_in_progress";
  }
}

/** Return a pause with exponential backoff and jitter, so that browsers do not retry in step. */
function pauseMs(tries) {
  return Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** tries) * (0.5 + Math.random() / 2);
}

function openWire(base, key) {
  /** Send a request and return the response. Throws Refusal. */
  async function ask(path, { query, body, headers, signal } = {}) {
    const where = new URL(`api/widget/${path}`, base);
    where.search = new URLSearchParams({ api_key: key, ...query });
    let answer;
    try {
      answer = await fetch(where, {
        method: body ? "POST" : "GET",
        headers: { ...(body && { "Content-Type": "application/json" }), ...headers },
        body: body && JSON.stringify(body),
        credentials: "omit",
        referrerPolicy: "no-referrer",
        cache: "no-store",
        signal,
      });
    } catch {
      throw new Refusal(0, "unreachable");
    }
    if (answer.ok) return answer;
    const told = await answer.json().catch(() => ({}));
    throw new Refusal(
      answer.status,
      String(told.code || answer.status),
      Number(answer.headers.get("Retry-After")) || 0,
      Boolean(told.event_id),
    );
  }

  async function asked(path, options) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), ANSWER_MS);
    try {
      const answer = await ask(path, { ...options, signal: late.signal });
      return answer.status === 200 ? await answer.json() : null;
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(0, "unreadable");
    } finally {
      clearTimeout(timer);
    }
  }

  return { ask, asked };
}

/** Call `take(name, data)` for each event in the body, and `heard()` whenever data arrives. */
async function readEvents(body, heard, take) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event = { name: "message", data: [] };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop();
    for (const line of lines) {
      const [, field, text] = /^(\w*): ?(.*)$/.exec(line) || [];
      if (field === "event") event.name = text;
      else if (field === "data") event.data.push(text);
      else if (line === "") {
        if (event.data.length) take(event.name, JSON.parse(event.data.join("\n")));
        event = { name: "message", data: [] };
      }
    }
  }
}

/**
 * Stream a session's messages until `stop()` is called. After each disconnect, reconnect and
 * continue after the message number that `last()` returns.
 *
 * `on`: callbacks. take(name, data) is called for each event, missed() after a failed attempt that
 * is retried, and refused(Refusal) after a failure that is not retried.
 */
function openStream(wire, session, last, on) {
  const stopped = new AbortController();

  async function connection() {
    const silent = new AbortController();
    let timer;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), SILENT_MS);
    };
    const abort = () => silent.abort();
    stopped.signal.addEventListener("abort", abort);
    heard();
    try {
      const answer = await wire.ask("messages", {
        query: { after: last() },
        headers: { Accept: "text/event-stream", "X-Widget-Session": session },
        signal: silent.signal,
      });
      await readEvents(answer.body, heard, on.take);
    } finally {
      clearTimeout(timer);
      stopped.signal.removeEventListener("abort", abort);
    }
  }

  async function run() {
    for (let tries = 0; !stopped.signal.aborted; tries += 1) {
      const began = Date.now();
      let pause = 0;
      try {
        await connection();
      } catch (error) {
        if (stopped.signal.aborted) return;
        if (error instanceof Refusal && !error.isPassing) {
          if (error.status !== 429) return on.refused(error);
          pause = error.after * 1000;
        }
        on.missed();
      }
      // A connection that lasted does not count as a failed attempt.
      if (Date.now() - began > SILENT_MS / 3) tries = 0;
      await new Promise((done) => {
        setTimeout(done, Math.max(pause, pauseMs(tries)));
        stopped.signal.addEventListener("abort", done);
      });
    }
  }

  run();
  return { stop: () => stopped.abort() };
}

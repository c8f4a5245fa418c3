// Sends the visitor's messages in order, one at a time, each exactly once.

const FULL_S = 300;
const HINTS = {
  origin_not_allowed: `Allow the origin ${location.origin} in the widget's settings.`,
  api_key_not_accepted: "Use the widget's key (wk_…), not an API key.",
  invalid_user_signature: "The signature must be of this address, made with the widget's secret.",
};

function hint(code) {
  console.error(`Support widget: refused (${code}). ${HINTS[code] || "Check the widget's key."}`);
}

/** Return a new Idempotency-Key. `randomUUID` is not available on pages without TLS. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((one) => one.toString(16).padStart(2, "0")).join("");
}

/**
 * `on`: callbacks. body(text) returns a message's request body. begin() starts a session. lost() is
 * called if the session has ended, answered(answer) for each answer, stored() for a message that is
 * answered later, and changed() after each change.
 */
function openOutbox(wire, store, on) {
  let timer;
  let tries = 0;
  let flushing = false;
  let renewed = false;
  const now = { posting: false, trouble: null };

  function edit(id, facts) {
    store.change((record) => {
      const entry = record.outbox.find((one) => one.id === id);
      if (entry) Object.assign(entry, facts);
    });
  }

  function add(text) {
    store.change((record) => {
      record.active = Date.now();
      record.outbox.push({
        id: newId(), text, body: on.body(text), tried: false, held: false, sent: false, dead: null,
      });
    });
    flush();
  }

  function again(id) {
    edit(id, { dead: null, sent: false });
    flush();
  }

  /** Release the held messages. `verify`: whether the service may hold them again. */
  function release(verify) {
    store.change((record) => {
      record.asked = null;
      for (const one of record.outbox.filter((entry) => entry.held)) {
        one.held = false;
        one.body.verify_first = verify;
      }
    });
    flush();
  }

  function stop(trouble, seconds) {
    now.trouble = trouble;
    clearTimeout(timer);
    if (seconds) timer = setTimeout(flush, seconds * 1000);
    return false;
  }

  /** Handle a failed request. Return true if the next message may be sent now. */
  function refused(refusal, entry) {
    // Only the answer to a signed message contains the token with which the user reads the session,
    // so a signed message is sent again.
    if (refusal.stored && !entry.body.user_signature) {
      edit(entry.id, { sent: true });
      on.stored();
      return true;
    }
    if (refusal.isPassing) {
      tries += 1;
      return stop(navigator.onLine ? "unreachable" : "offline", pauseMs(tries) / 1000);
    }
    if (refusal.status === 429) {
      return stop(refusal.after ? "busy" : "full", (refusal.after || FULL_S) + Math.random());
    }
    if (refusal.code === SESSION_UNKNOWN && !renewed) {
      renewed = true;
      on.lost();
      return true;
    }
    if (refusal.status === 401 || refusal.status === 403) {
      hint(refusal.code);
      return stop("unavailable");
    }
    edit(entry.id, { dead: "dead" });
    return true;
  }

  async function post(entry) {
    const stillTheirs = store.sinceNow();
    edit(entry.id, { tried: true });
    now.posting = true;
    on.changed();
    try {
      await on.begin();
      const answer = await wire.asked("chat", {
        body: { ...entry.body, session_id: store.read().session },
        headers: { "Idempotency-Key": entry.id },
      });
      if (!stillTheirs()) return true;
      tries = 0;
      renewed = false;
      now.trouble = null;
      edit(entry.id, outcome(answer));
      on.answered(answer);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return !stillTheirs() || refused(error, entry);
    } finally {
      now.posting = false;
      on.changed();
    }
  }

  function outcome(answer) {
    if (answer.status === "verification_required") return { held: true, tried: false };
    if (answer.status === "no_playbook" && !answer.event_id) return { dead: "unanswered" };
    return { sent: true };
  }

  /** Return the first unsent message, or null if that message is held or there is none. */
  function next() {
    const entry = store.read().outbox.find((one) => !one.sent && !one.dead);
    return entry && !entry.held ? entry : null;
  }

  async function run() {
    for (let entry = next(); entry; entry = next()) if (!(await post(entry))) return;
  }

  async function flush() {
    on.changed();
    if (flushing || now.trouble === "unavailable" || !next()) return;
    flushing = true;
    clearTimeout(timer);
    try {
      // One tab sends at a time. Without locks, the Idempotency-Key still prevents duplicates.
      await (navigator.locks ? navigator.locks.request(store.name, run) : run());
    } finally {
      flushing = false;
    }
  }

  /** Retry immediately, for example when the network is available again or the user has changed. */
  function retry() {
    tries = 0;
    if (now.trouble === "unavailable") now.trouble = null;
    flush();
  }

  return { now, add, again, release, retry };
}

// The session that this tab shows: its token, its messages, and the messages that were seen.

const AWAY_MS = 60000;
const CALM_MS = 600000;
const SEEN_MS = 200;
// One day less than the 30 days that the service keeps a session open.
const LASTS_MS = 29 * 24 * 3600 * 1000;
const A_READ = 100;

/** Return true if both tokens belong to one session. Verification replaces a session's token. */
function isSame(one, other) {
  return String(one).split(".")[0] === String(other).split(".")[0];
}

/**
 * Open the stored session. `on`: callbacks. message(message) is called for each new message,
 * cleared() when another session replaces the messages, and changed() after any other change.
 */
function openSession(wire, store, on) {
  let token = null;
  let last = 0;
  let theirs = [];
  let fresh = null;
  // Whether the chat is open; whether the stored session may be shown; whether the page is hidden.
  let looking = false;
  let allowed = false;
  let away = false;
  let stream = null;
  // True once the stream has sent the state. A response to an earlier request is then out of date.
  let told = false;
  let seenTimer;
  let awayTimer;
  let calmTimer;
  const now = { live: {} };

  /** Show the stored session if this tab shows a different one. */
  function follow() {
    const stored = allowed ? store.read().session : null;
    if (stored !== token) {
      if (token && !isSame(stored, token)) {
        last = 0;
        theirs = [];
        now.live = {};
        on.cleared();
      }
      token = stored;
      hangUp();
    }
    ensure();
    on.changed();
  }

  function allow(isAllowed) {
    allowed = isAllowed;
    const record = store.read();
    // Drop an expired session. The service would put each attempt of a message into a new session.
    if (record.session && record.active < Date.now() - LASTS_MS) adopt(null);
    else follow();
  }

  function adopt(given) {
    store.change((record) => {
      if (record.session === given) return;
      if (record.session && !isSame(given, record.session)) {
        record.last = record.seen = record.told = record.rated = 0;
        record.acknowledged = null;
      }
      record.session = given;
    });
    follow();
  }

  /** Get a session token for the first message. Throws Refusal. */
  async function begin() {
    if (store.read().session) return;
    const given = fresh || (await wire.asked("config")).session_id;
    fresh = null;
    adopt(given);
  }

  function take(message) {
    if (message.number <= last) return;
    last = message.number;
    const own = message.author === "customer";
    if (!own) theirs.push(last);
    on.message(message);
    store.change((record) => {
      record.active = Math.max(record.active, Date.parse(message.created_at) || 0);
      // The first tab that receives the message removes it from the outbox.
      const shown = record.outbox.findIndex((one) => one.tried && !one.dead);
      if (own && last > record.last && shown >= 0) record.outbox.splice(shown, 1);
      record.last = Math.max(record.last, last);
    });
    clearTimeout(seenTimer);
    seenTimer = setTimeout(seen, SEEN_MS);
    on.changed();
  }

  function setState(live) {
    now.live = live;
    on.changed();
  }

  /** Return true if the service has stored the session, which it does with the first message. */
  function hasStarted() {
    const record = store.read();
    return record.last > 0 || record.outbox.some((one) => one.sent);
  }

  /** Fetch new messages immediately. This also works if a proxy buffers streams. */
  async function pull() {
    const of = token;
    try {
      for (let more = of && hasStarted(); more; ) {
        const page = await wire.asked("messages", {
          query: { after: last },
          headers: { "X-Widget-Session": of },
        });
        if (of !== token) return;
        page.messages.forEach(take);
        if (!told) setState(page.state);
        more = page.messages.length >= A_READ;
      }
    } catch (error) {
      refused(error);
    }
  }

  /** Download a file from one of the session's messages, and save it. Throws Refusal. */
  async function save(file) {
    const headers = { "X-Widget-Session": token };
    const answer = await wire.ask(`attachments/${file.id}`, { headers });
    node("a", { href: URL.createObjectURL(await answer.blob()), download: file.name }).click();
  }

  /** Resolves when the new messages are shown. */
  function refresh() {
    return pull().then(ensure);
  }

  function refused(error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === SESSION_UNKNOWN) adopt(null);
    else if (error.status === 401 || error.status === 403) hint(error.code);
  }

  /** Keep a stream open while the chat is open, and for some time after its last use. */
  function ensure() {
    clearTimeout(calmTimer);
    const calm = store.read().active + CALM_MS - Date.now();
    if (!token || !hasStarted() || away || !(looking || calm > 0)) return hangUp();
    const of = token;
    stream = stream || openStream(wire, of, () => last, {
      take(name, data) {
        if (of !== token) return;
        if (name === "message") return take(data);
        told = true;
        setState(data);
      },
      // Poll for messages while no stream can be opened.
      missed() {
        if (of !== token) return;
        told = false;
        pull();
      },
      refused,
    });
    if (!looking) calmTimer = setTimeout(ensure, calm);
  }

  function hangUp() {
    stream?.stop();
    stream = null;
    told = false;
  }

  async function seen() {
    if (!looking || document.hidden || !token) return;
    const [of, number] = [token, last];
    const record = store.change((one) => (one.seen = Math.max(one.seen, number)));
    on.changed();
    if (record.told >= number) return;
    try {
      await wire.asked("seen", { body: { session_id: of, number } });
      if (of === token) store.change((one) => (one.told = Math.max(one.told, number)));
    } catch {
      // The next message, or reopening the chat, repeats the request.
    }
  }

  function look(isLooking) {
    // Mark the messages that were on the screen until now, then those that are shown from now on.
    seen();
    looking = isLooking;
    ensure();
    seen();
  }

  /** Reconnect when the network is available again, because the old connection may be dead. */
  function restart() {
    hangUp();
    refresh();
  }

  function otherTab() {
    follow();
    // A working stream delivers the message without a request.
    if (!told && store.read().last > last) pull();
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(awayTimer);
    if (document.hidden) {
      awayTimer = setTimeout(() => ensure((away = true)), AWAY_MS);
      return;
    }
    away = false;
    otherTab();
    seen();
  });

  return {
    now, begin, adopt, allow, follow, pull, refresh, look, restart, otherTab, save,
    keep: (given) => (fresh = given),
    last: () => last,
    // The number of the answer that is the last message, or 0 if the last message is not an answer.
    answer: () => (last && theirs.at(-1) === last ? last : 0),
    unread: () => theirs.filter((number) => number > store.read().seen).length,
  };
}

// The session that this tab shows: its token, its messages as they come, and what was seen of them.

const AWAY_MS = 60000;
const CALM_MS = 600000;
const SEEN_MS = 200;
// A day less than the service's thirty.
const LASTS_MS = 29 * 24 * 3600 * 1000;
const A_READ = 100;

/** Whether two tokens are of one session: a code gives it another token. */
function isSame(one, other) {
  return String(one).split(".")[0] === String(other).split(".")[0];
}

/** on: message(message), cleared(), changed(), of messages and of the session's state. */
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
  // The stream has told the state: an answer that was longer on its way is older.
  let told = false;
  let seenTimer;
  let awayTimer;
  let calmTimer;
  const now = { live: {} };

  /** Show the stored session, if it is another one than this tab shows. */
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
    // The service would put each try of a message into another session.
    if (record.session && record.active < Date.now() - LASTS_MS) adopt(null);
    else follow();
  }

  function adopt(given) {
    store.change((record) => {
      if (record.session === given) return;
      if (record.session && !isSame(given, record.session)) {
        record.last = record.seen = record.told = record.rated = 0;
      }
      record.session = given;
    });
    follow();
  }

  /** A token for the first message. Raises Refusal. */
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
      // The first tab that sees it: the session shows what the outbox showed until now.
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

  /** The service knows the session once it has taken its first message. */
  function begun() {
    const record = store.read();
    return record.last > 0 || record.outbox.some((one) => one.sent);
  }

  /** What is new, at once: also where something between holds streams back. */
  async function pull() {
    const of = token;
    try {
      for (let more = of && begun(); more; ) {
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

  function refresh() {
    pull().then(ensure);
  }

  function refused(error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === SESSION_UNKNOWN) adopt(null);
    else if (error.status === 401 || error.status === 403) hint(error.code);
  }

  /** A stream while the chat is looked at, and a short time after it was used. */
  function ensure() {
    clearTimeout(calmTimer);
    const calm = store.read().active + CALM_MS - Date.now();
    if (!token || !begun() || away || !(looking || calm > 0)) return hangUp();
    const of = token;
    stream = stream || openStream(wire, of, () => last, {
      take(name, data) {
        if (of !== token) return;
        if (name === "message") return take(data);
        told = true;
        setState(data);
      },
      // Poll the messages while no stream can be opened.
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
      // Told with the next message, or when the chat is looked at again.
    }
  }

  function look(isLooking) {
    // What was on the screen until now, or is from now on.
    seen();
    looking = isLooking;
    ensure();
    seen();
  }

  /** The network is back: a connection from before may be dead without saying so. */
  function restart() {
    hangUp();
    refresh();
  }

  function otherTab() {
    follow();
    // A stream that works brings it by itself.
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
    now, begin, adopt, allow, follow, pull, refresh, look, restart, otherTab,
    keep: (given) => (fresh = given),
    // The answer that nothing was said after; 0 where there is none.
    answer: () => (last && theirs.at(-1) === last ? last : 0),
    unread: () => theirs.filter((number) => number > store.read().seen).length,
  };
}

// The data that the browser stores across pages and shares between tabs: one record per widget key.

/**
 * Return a record for a browser without a session.
 *
 * life: the number of sessions dropped in this browser. session: the signed session token.
 * user: the verified user, as {email, via}, or null.
 * last: the highest message number that any tab has received. seen: the highest number that was on
 *   the screen. told: the highest number that the service knows was seen.
 * active: the time of the last message sent or received. asked: the address to which a code was
 *   emailed. rated: the number of the last rated answer.
 * outbox: the messages that the session does not show yet, in order:
 *   id: the Idempotency-Key. body: the request body, which must not change between attempts,
 *   because the service would reject the key.
 *   tried: the message may have arrived. held: it waits for an email address. sent: it has arrived.
 *   dead: the key of the text that explains why it was not sent, or null.
 */
function emptyRecord() {
  return {
    life: 0, session: null, user: null, last: 0, seen: 0, told: 0, active: 0, asked: null,
    rated: 0,
    // The text sent while a human answer is pending, and the number of the message above it.
    acknowledged: null,
    outbox: [],
  };
}

/** Open the store. `changed`: called after another tab has written to the store. */
function openStore(key, changed) {
  const name = `support-widget/${key}`;
  // If the browser denies storage, the record is kept in memory until the page is closed.
  let memory = null;

  function text() {
    if (memory !== null) return memory;
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  }

  function read() {
    try {
      const found = { ...emptyRecord(), ...JSON.parse(text()) };
      return Array.isArray(found.outbox) ? found : emptyRecord();
    } catch {
      return emptyRecord();
    }
  }

  function write(record) {
    const written = JSON.stringify(record);
    // Skip unnecessary writes, because each write triggers an event in the other tabs.
    if (written === text()) return;
    if (memory === null) {
      try {
        localStorage.setItem(name, written);
        return;
      } catch {
        // Storage is denied or full, so keep the record in memory from now on.
      }
    }
    memory = written;
  }

  /** Read, change and write the record synchronously, so that no other tab writes in between. */
  function change(edit) {
    const record = read();
    edit(record);
    write(record);
    return record;
  }

  /** Drop the session and all its data. */
  function drop() {
    change((record) => Object.assign(record, emptyRecord(), { life: record.life + 1 }));
  }

  /**
   * Return a function that checks that no session has been dropped since now. A late response must
   * not restore a dropped session.
   */
  function sinceNow() {
    const { life } = read();
    return () => read().life === life;
  }

  addEventListener("storage", (event) => {
    if (memory === null && (event.key === name || event.key === null)) changed();
  });

  /** Store whether the chat is open in this tab. */
  function keepOpen(open) {
    try {
      sessionStorage.setItem(name, open ? "open" : "");
    } catch {
      // Without storage, the chat is closed on the next page.
    }
  }

  function wasOpen() {
    try {
      return sessionStorage.getItem(name) === "open";
    } catch {
      return false;
    }
  }

  return { name, read, change, drop, sinceNow, keepOpen, wasOpen };
}

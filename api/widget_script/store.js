// What the browser keeps between pages and shares between tabs, one record for each widget key.

/**
 * life: how many sessions were dropped here. session: its signed token. user: {email, via} of a verified one.
 * last: the highest number that any tab was given. seen: … that was on the screen. told: … that the
 *   service knows to be seen.
 * active: when something was last sent or received. asked: the address that a code was mailed to.
 * rated: the answer that was last rated.
 * outbox: messages that the session does not show yet, in their order:
 *   id: the Idempotency-Key. body: the same with each try, or the key would be refused.
 *   tried: it may have arrived.
 *   held: it waits for an address. sent: it has arrived. dead: the word for why it never will.
 */
function emptyRecord() {
  return {
    life: 0, session: null, user: null, last: 0, seen: 0, told: 0, active: 0, asked: null,
    rated: 0,
    outbox: [],
  };
}

/** `changed` is called when another tab has written. */
function openStore(key, changed) {
  const name = `support-widget/${key}`;
  // A browser may refuse storage: then the record lives as long as the page.
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
    // Each write wakes the other tabs.
    if (written === text()) return;
    if (memory === null) {
      try {
        localStorage.setItem(name, written);
        return;
      } catch {
        // Refused or full: from now on in memory.
      }
    }
    memory = written;
  }

  /** Read, change and write in one turn of the browser: no other tab writes between. */
  function change(edit) {
    const record = read();
    edit(record);
    write(record);
    return record;
  }

  /** Forget the session and all that belongs to it. */
  function drop() {
    change((record) => Object.assign(record, emptyRecord(), { life: record.life + 1 }));
  }

  /** Asks whether nothing was dropped since: a late answer must not bring back what was. */
  function sinceNow() {
    const { life } = read();
    return () => read().life === life;
  }

  addEventListener("storage", (event) => {
    if (memory === null && (event.key === name || event.key === null)) changed();
  });

  /** Of this tab alone: whether its chat is open. */
  function keepOpen(open) {
    try {
      sessionStorage.setItem(name, open ? "open" : "");
    } catch {
      // The next page begins with a closed chat.
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

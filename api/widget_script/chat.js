// One widget: connects the visitor's identity, the session, the outbox and the panel.

function openChat(base, key, language, signed) {
  const words = WORDS[language];
  const wire = openWire(base, key);
  const store = openStore(key, () => session.otherTab());
  const session = openSession(wire, store, {
    message: (message) => {
      panel.add(message);
      const { acknowledged } = store.read();
      if (acknowledged?.after === message.number) panel.add(acknowledged);
    },
    cleared,
    changed: () => render(),
  });
  const outbox = openOutbox(wire, store, {
    body, answered, begin: session.begin, stored: session.refresh, lost: () => session.adopt(null), changed: () => render(),
  });
  const panel = openPanel(key, words, language, {
    open: () => open(), close, send: outbox.add, again: outbox.again,
    sendCode, confirm, otherAddress: () => ask(null), withoutAddress: () => release(false), rate,
    file: (file) => session.save(file).catch(() => panel.setNotice(words.failed)),
  });

  let user = signed;
  // How the page identified its user: "tag" for the script tag, or "page" for a call.
  let via = "tag";
  // False while the stored session belongs to a signed user whom the page has not identified yet.
  let settled = false;
  let failed = false;
  // Whether the shop asks visitors to rate answers.
  let asks = false;
  let opened = false;
  // True if the page opened the chat before the widget was ready.
  let early = false;

  function body(message) {
    return {
      message, language, page_url: location.origin + location.pathname, verify_first: true,
      customer_email: user?.email, user_signature: user?.signature,
    };
  }

  /**
   * Drop the stored session if it belongs to another user. `may`: whether the page may still
   * identify its user later, as it did before. The page need not know a user verified with a code.
   */
  function settle(may) {
    const email = user?.signature ? user.email : null;
    const kept = store.read().user;
    const coded = kept?.via === "code";
    const other = kept && (coded ? email !== null && kept.email !== email.trim().toLowerCase()
      : kept.email !== email);
    settled = !(other && may && email === null && kept.via === "page");
    if (other && settled) store.drop();
    if (email) store.change((record) => (record.user = { email, via }));
    session.allow(settled);
  }

  function cleared() {
    failed = false;
    panel.clear();
  }

  function answered(answer) {
    session.adopt(answer.session_id);
    failed = answer.status === "failed";
    if (answer.status === "needs_review") {
      session.now.live = { ...session.now.live, waiting: true };
    }
    if (answer.status === "verification_required") ask(null);
    else acknowledge(session.refresh(), answer.acknowledgement);
  }

  /** Show the acknowledgement below the message once `refreshed`, also after a reload. */
  async function acknowledge(refreshed, text) {
    const stillTheirs = store.sinceNow();
    await refreshed;
    if (!text || !stillTheirs()) return;
    const acknowledged = { text, after: session.last() };
    store.change((record) => (record.acknowledged = acknowledged));
    panel.add(acknowledged);
  }

  function ask(email) {
    store.change((record) => (record.asked = email));
    render();
    if (opened) panel.focusIn();
  }

  function release(verify) {
    outbox.release(verify);
    if (opened) panel.focusIn();
  }

  async function sendCode(email) {
    const stillTheirs = store.sinceNow();
    try {
      await session.begin();
      const sent = { session_id: store.read().session, customer_email: email, language };
      await wire.asked("email", { body: sent });
      if (stillTheirs()) ask(email);
    } catch (error) {
      // The session has ended, so the next attempt starts a new one.
      if (error.code === SESSION_UNKNOWN) session.adopt(null);
      panel.verify.setWrong(error.status === 400 ? words.wrongEmail : words.later);
    }
  }

  async function confirm(code) {
    const stillTheirs = store.sinceNow();
    try {
      const sent = { session_id: store.read().session, code };
      const confirmed = await wire.asked("verify", { body: sent });
      if (!stillTheirs()) return;
      if (!user?.signature) {
        const named = { email: confirmed.customer_email, via: "code" };
        store.change((record) => (record.user = named));
      }
      session.adopt(confirmed.session_id);
      release(true);
    } catch (error) {
      const wrong = error.status === 401 || error.status === 400;
      panel.verify.setWrong(wrong ? words.wrongCode : words.later);
    }
  }

  async function rate(score) {
    const [stillTheirs, number] = [store.sinceNow(), session.answer()];
    try {
      const sent = { session_id: store.read().session, number, score };
      await wire.asked("rating", { body: sent });
      if (!stillTheirs()) return;
      panel.tellRated(words.rated);
      store.change((record) => (record.rated = Math.max(record.rated, number)));
      render();
    } catch {
      panel.tellRated(words.later);
    }
  }

  function label(entry) {
    if (entry.dead) return words[entry.dead];
    if (entry.held) return words.held;
    if (entry.sent) return "";
    return outbox.now.trouble || !navigator.onLine ? words.unsent : words.sending;
  }

  function notice(waits) {
    if (outbox.now.trouble === "unavailable") return words.unavailable;
    if (!navigator.onLine) return words.offline;
    if (waits && outbox.now.trouble) return words[outbox.now.trouble];
    return people() || (failed ? words.failed : "");
  }

  /** Return the notice about the people who will answer. */
  function people() {
    const { reviewing, waiting, verified_email: email } = session.now.live;
    if (reviewing) return words.reviewing;
    if (!waiting) return "";
    return email ? filled(words.waitingMail, { email }) : words.waiting;
  }

  function render() {
    const { outbox: entries, asked, seen, rated } = settled ? store.read() : emptyRecord();
    const { live } = session.now;
    const held = entries.some((one) => one.held);
    panel.setPending(entries.map((one) => (
      { id: one.id, text: one.text, label: label(one), again: Boolean(one.dead) }
    )));
    panel.setTyping(!held && Boolean(outbox.now.posting || live.thinking));
    panel.setUnread(opened ? 0 : session.unread());
    panel.setNotice(notice(entries.some((one) => !one.sent && !one.dead && !one.held)));
    const answer = session.answer();
    panel.setRating(asks && !entries.length && answer > rated && answer <= seen);
    const email = live.verified_email;
    panel.setKnown(email ? filled(words.verified, { email }) : "");
    panel.setForm(held, asked, user?.email);
  }

  function open(focus = true) {
    early = true;
    if (opened || !panel.host.isConnected) return;
    settle(false);
    opened = true;
    store.keepOpen(true);
    panel.open(focus);
    session.look(true);
    outbox.retry();
  }

  function close() {
    early = false;
    if (!opened) return;
    opened = false;
    store.keepOpen(false);
    panel.close();
    session.look(false);
  }

  /** Set the page's user. `named`: {email, signature}, or null if the user has signed out. */
  function identify(named) {
    user = named?.email
      ? { email: String(named.email), signature: named.signature && String(named.signature) }
      : null;
    via = "page";
    settle(false);
    session.refresh();
    outbox.retry();
  }

  /** Close the chat, and delete everything that the browser stored. */
  function reset() {
    close();
    store.drop();
    session.follow();
  }

  /** Get the widget's configuration and a session token, with retries. Return null if rejected. */
  async function config() {
    for (let tries = 0; ; tries += 1) {
      try {
        return await wire.asked("config");
      } catch (error) {
        if (!error.isPassing && error.status !== 429) {
          hint(error.code);
          return null;
        }
        const pause = Math.max(pauseMs(tries), error.after * 1000);
        await new Promise((done) => setTimeout(done, pause));
      }
    }
  }

  async function begin() {
    const given = await config();
    // Do not show visitors a chat that cannot work. The console states the reason for the merchant.
    if (given === null) return;
    session.keep(given.session_id);
    asks = given.ask_rating;
    panel.dress(given);
    panel.place(document.querySelectorAll("support-widget").length);
    await panel.attach();
    addEventListener("online", () => {
      session.restart();
      outbox.retry();
    });
    addEventListener("offline", render);
    settle(true);
    if (early || (settled && store.wasOpen())) open(early);
    await session.pull();
    panel.settled();
    outbox.retry();
  }
  begin();

  return { open, close, identify, reset };
}

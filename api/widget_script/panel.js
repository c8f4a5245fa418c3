// The visible part of the widget: the launcher and the dialog, in a closed shadow root.

const SMALL = "(max-width: 480px), (max-height: 480px)";

/**
 * Create the panel. `on`: the callbacks open(), close(), send(text), again(id) and rate(score), and
 * those of `openVerify`. `isPreview`: whether the panel is part of the page's layout, and takes
 * neither the full screen nor the focus.
 */
function openPanel(key, words, language, on, isPreview) {
  const host = node("support-widget", { "data-key": key });
  const root = host.attachShadow({ mode: "closed" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const badge = node("span", { class: "badge", "aria-hidden": "true", hidden: true });
  const launcher = node(
    "button",
    { class: "launcher main", type: "button", "aria-haspopup": "dialog", "aria-expanded": "false",
      onclick: () => (dialog.open ? on.close() : on.open()) },
    icon(CHAT), icon(DOWN), badge,
  );
  const title = node("h2", {});
  const mark = node("span", { class: "face", "aria-hidden": "true" });
  const head = node(
    "div", { class: "head main" }, mark, title,
    node("button", { type: "button", "aria-label": words.close, onclick: on.close }, icon(CROSS)),
  );
  const notice = node("div", { class: "notice", hidden: true });
  const known = node("div", { class: "known", hidden: true });
  const disclosure = node("p", { class: "text welcome", hidden: true });
  const hello = node(
    "div", { class: "hello" }, face("agent"),
    node("div", {}, node("p", { class: "text welcome" }, words.welcome), disclosure),
  );
  const shown = node("div", {}, hello);
  const rating = openRating(words, on.rate);
  const pending = node("div", { "aria-live": "off" });
  const typing = node(
    "div", { class: "message agent", hidden: true }, face("agent"),
    node("span", { class: "dots", "aria-hidden": "true" },
      node("i", {}), node("i", {}), node("i", {})),
  );
  const log = node(
    "div",
    // Screen readers do not announce the history, only new messages.
    { class: "log", role: "log", "aria-live": "polite", "aria-busy": "true",
      "aria-label": words.log, tabindex: "0" },
    shown, rating.part, pending, typing,
  );
  const said = node("div", { class: "quiet", role: "status" });
  const composer = openComposer(words, (text) => {
    lowest = 0;
    on.send(text);
  });
  const verify = openVerify(words, on);
  const dialog = node(
    "dialog", { class: "panel", tabindex: "-1" },
    head, node("div", { role: "status" }, notice), known, log, said, verify.form, composer.form,
  );
  const widget = node("div", { class: "widget", lang: language }, dialog, launcher);
  root.append(widget);

  const small = matchMedia(isPreview ? "not all" : SMALL);
  let brand = "";
  let before = null;
  let drawn = "[]";

  function show() {
    // On a small screen, the chat covers the page, so the page must not receive the focus.
    if (isPreview) dialog.open = true;
    else if (small.matches) dialog.showModal();
    else dialog.show();
    fit();
  }

  function fit() {
    // A phone's keyboard covers part of the page without resizing it.
    dialog.style.setProperty("--tall", `${visualViewport.height}px`);
    dialog.style.setProperty("--top", `${visualViewport.offsetTop}px`);
  }

  // Do not scroll down while the visitor is reading earlier messages. The position is compared too,
  // because a message can arrive between the visitor's scrolling and its event.
  let lowest = 0;
  const left = () => log.scrollHeight - log.scrollTop - log.clientHeight;
  log.addEventListener("scroll", () => {
    lowest = left() < 40 ? log.scrollTop : Infinity;
  });
  function scroll() {
    if (log.scrollTop < lowest && left() > 40) return;
    log.scrollTop = log.scrollHeight;
    lowest = log.scrollTop;
  }
  new ResizeObserver(scroll).observe(log);

  function open(focus) {
    before = root.activeElement || document.activeElement;
    show();
    launcher.setAttribute("aria-expanded", "true");
    if (focus) focusIn();
    else if (before && before !== document.body) before.focus({ preventScroll: true });
    else root.activeElement?.blur();
  }

  /**
   * Move the focus into the dialog. On a phone, do not focus the field, because the keyboard would
   * cover the messages.
   */
  function focusIn() {
    if (small.matches) dialog.focus();
    else (verify.form.hidden ? composer : verify).focus();
  }

  function close() {
    const inside = root.activeElement !== null;
    dialog.close();
    launcher.setAttribute("aria-expanded", "false");
    if (!inside) return;
    const outside = before && before !== document.body && before.isConnected;
    (outside ? before : launcher).focus({ preventScroll: true });
  }

  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    on.close();
  });
  dialog.addEventListener("close", () => {
    if (launcher.getAttribute("aria-expanded") === "true" && !dialog.open) on.close();
  });
  dialog.addEventListener("keydown", (event) => {
    // Hide key events from the page's shortcuts, because the page cannot see the focused field.
    event.stopPropagation();
    if (event.key === "Escape" && !event.isComposing) {
      event.preventDefault();
      on.close();
    }
  });
  for (const kind of ["keyup", "keypress"]) {
    dialog.addEventListener(kind, (event) => event.stopPropagation());
  }
  small.addEventListener("change", () => {
    if (!dialog.open) return;
    dialog.close();
    show();
  });
  for (const kind of ["resize", "scroll"]) {
    visualViewport.addEventListener(kind, () => dialog.open && fit());
  }

  function bubble(author, text, below) {
    const by = brand && author === "agent" ? `${brand} · ${words.by.agent}` : words.by[author];
    return node(
      "div", { class: `message ${author}` }, ...(FACES[author] ? [face(author)] : []),
      node(
        "div", {}, node("span", { class: "by" }, by),
        node("p", { class: "text", dir: "auto" }, linked(text)), ...below,
      ),
    );
  }

  function clock(at) {
    const today = at.toDateString() === new Date().toDateString();
    const style = { timeStyle: "short", ...(!today && { dateStyle: "short" }) };
    return new Intl.DateTimeFormat(regionOf(language), style).format(at);
  }

  function add(message) {
    const at = new Date(message.created_at);
    const time = Number.isNaN(at.getTime()) ? [] : [
      node("time", { class: "state", datetime: at.toISOString() }, clock(at)),
    ];
    const author = Object.keys(words.by).includes(message.author) ? message.author : "agent";
    const files = (message.files || []).map((file) => node(
      "p", { class: "state" }, node("button", { onclick: () => on.file(file) }, file.name),
    ));
    shown.append(bubble(author, String(message.text), [...files, ...time]));
    scroll();
  }

  /** Show the messages that are not in the session yet, each as {id, text, label, again}. */
  function setPending(entries) {
    const wanted = JSON.stringify(entries);
    if (wanted === drawn) return;
    drawn = wanted;
    pending.replaceChildren(...entries.map((one) => {
      const state = node("span", { class: "state" }, one.label);
      if (one.again) {
        const label = { type: "button", onclick: () => on.again(one.id) };
        state.append(" ", node("button", label, words.again));
      }
      const made = bubble("customer", one.text, [state]);
      made.classList.add("unsent");
      return made;
    }));
    scroll();
  }

  /** While a message is held, show the verification form instead of the composer. */
  function setForm(held, asked, guess) {
    const inside = verify.form.contains(root.activeElement);
    composer.form.hidden = held;
    if (held) verify.show(asked, guess);
    else verify.hide();
    if (inside && dialog.open && !root.activeElement) focusIn();
  }

  function setText(line, text) {
    if (line.textContent !== text) line.textContent = text;
    line.hidden = !text;
  }

  function setTyping(on_) {
    if (typing.hidden !== on_) return;
    typing.hidden = !on_;
    said.textContent = on_ ? words.typing : "";
    scroll();
  }

  function setUnread(number) {
    setText(badge, number ? String(Math.min(number, 99)) : "");
    const label = number ? filled(words.launchUnread, { n: number }) : words.launch;
    launcher.setAttribute("aria-label", label);
  }

  function dress(config) {
    widget.style.setProperty("--brand", colour(config.color, "#1f2937"));
    widget.style.setProperty("--on-brand", colour(config.on_color, "#ffffff"));
    brand = config.display_name || "";
    title.textContent = brand || words.log;
    mark.textContent = [...title.textContent][0].toUpperCase();
    dialog.setAttribute("aria-label", title.textContent);
    setText(disclosure, config.disclosure?.[language] || "");
    const src = config.logo_url && webAddress(config.logo_url);
    if (src && !head.querySelector("img")) {
      const logo = node("img", { src, alt: "", referrerpolicy: "no-referrer" });
      logo.addEventListener("error", () => logo.replaceWith(mark));
      mark.replaceWith(logo);
    }
  }

  /** Add the widget to the page's body. If a single-page app replaces the body, add it again. */
  async function attach() {
    if (!document.body) await new Promise((done) => addEventListener("DOMContentLoaded", done));
    const here = () => host.isConnected || document.body?.append(host);
    new MutationObserver(here).observe(document.documentElement, { childList: true });
    here();
  }

  setUnread(0);
  return {
    host, attach, dress, open, close, focusIn, add, setPending, setTyping, setUnread, setForm, verify,
    place: (number) => widget.style.setProperty("--place", number),
    setRating: (wanted) => { rating.ask(wanted); scroll(); },
    tellRated: rating.tell,
    clear: () => shown.replaceChildren(hello),
    setNotice: (text) => setText(notice, text),
    setKnown: (text) => setText(known, text),
    settled: () => log.setAttribute("aria-busy", "false"),
  };
}

function openComposer(words, send) {
  const field = node("textarea", {
    rows: "1", maxlength: "4000", "aria-label": words.label, placeholder: words.label,
    enterkeyhint: "send",
  });
  const form = node(
    "form", { class: "composer" }, field,
    node("button", { class: "main", type: "submit", "aria-label": words.send }, icon(SEND)),
  );
  function fit() {
    field.style.height = "auto";
    field.style.height = `${Math.max(44, field.scrollHeight + 2)}px`;
  }
  function submit(event) {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    fit();
    send(text);
  }
  field.addEventListener("input", fit);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  });
  form.addEventListener("submit", submit);
  return { form, focus: () => field.focus() };
}

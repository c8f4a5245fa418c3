// Start the widget from its script tag, and provide the functions that the page may call.

/** Show a preview of the widget. `config`: as returned by `GET /api/widget/config`. */
function openPreview(tag, config) {
  const language = languageOf(tag.dataset.language);
  const say = (author, text) => panel.add({ author, text, created_at: new Date() });
  const nothing = () => {};
  const panel = openPanel("", WORDS[language], language, {
    open: () => panel.open(false), close: () => panel.close(), send: (text) => say("customer", text),
    again: nothing, rate: nothing,
  }, true);
  panel.host.setAttribute("preview", "");
  panel.dress(config);
  tag.after(panel.host);
  for (const [author, text] of config.messages) say(author, text);
  panel.settled();
  panel.open(false);
}

const KEYS_HERE = Symbol.for("support-widget");

function start() {
  const tag = document.currentScript;
  if (tag?.dataset.preview) {
    openPreview(tag, JSON.parse(tag.dataset.preview));
    return;
  }
  const key = tag && tag.dataset.key;
  if (!key) {
    console.error("Support widget: its script tag needs data-key, your widget's key.");
    return;
  }
  const keys = (window[KEYS_HERE] = window[KEYS_HERE] || new Set());
  if (keys.has(key)) return;
  keys.add(key);
  const signed = tag.dataset.userEmail
    ? { email: tag.dataset.userEmail, signature: tag.dataset.userSignature }
    : null;
  const chat = openChat(new URL(".", tag.src), key, languageOf(tag.dataset.language), signed);
  const { open, close, identify, reset } = chat;
  // If a page has two widgets, `SupportWidget` controls the first one.
  if (!window.SupportWidget) window.SupportWidget = Object.freeze({ open, close, identify, reset });
}

start();

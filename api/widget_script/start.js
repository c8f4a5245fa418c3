// The tag, and what the page may call.

const KEYS_HERE = Symbol.for("support-widget");

function start() {
  const tag = document.currentScript;
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
  // Of two widgets on a page, the first answers to the name.
  if (!window.SupportWidget) window.SupportWidget = Object.freeze({ open, close, identify, reset });
}

start();

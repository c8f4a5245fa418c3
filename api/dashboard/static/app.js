// Enhancements that avoid reloads and add keyboard shortcuts. Every page works without this script.
"use strict";

const TICK_MS = 10_000;
const REST_MS = 2_000;
const root = document.documentElement;
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const typing = (element) => element.matches("input, textarea, select, [contenteditable]");

// While the page is visible, lists poll for changes (the macro `live` in core/lists.html).
setInterval(() => {
  if (!document.hidden) document.body.dispatchEvent(new Event("tick"));
}, TICK_MS);

// The parts that pages load without a user action.
const PARTS = "[hx-trigger^=tick], [hx-trigger=load], #palette form";

// Discard the response to a poll if it is an error. Discard any response that was redirected
// because the user is signed out or is no longer a member.
document.addEventListener("htmx:before:response", (event) => {
  const { raw } = event.detail.ctx.response;
  const isPoll = event.detail.ctx.sourceElement?.matches?.(PARTS);
  const elsewhere = /^\/app\/(sign-in|no-client)/;
  if ((isPoll && !raw.ok) || (raw.redirected && elsewhere.test(new URL(raw.url).pathname))) {
    event.preventDefault();
  }
});

// Show the menu's count of tickets that need the team in the tab's title.
const countWaiting = () => {
  const count = document.getElementById("needs-you")?.firstChild;
  if (!count) return;
  const title = document.title.replace(/^\([\d\s,.+]+\) /, "");
  const said = count.nodeType === Node.TEXT_NODE ? count.data.trim() : "";
  document.title = said ? `(${said}) ${title}` : title;
};
document.addEventListener("htmx:after:swap", countWaiting);

// Copy buttons.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.lastChild.data = root.dataset.copied;
});
const showCopies = () => all("[data-copy]").forEach((button) => (button.hidden = false));
showCopies();
document.addEventListener("htmx:after:swap", showCopies);

// Drafts: store the input on the server when the user pauses typing or leaves the page.
const waiting = new Map();
let keeping = Promise.resolve();
const keep = (form) => {
  clearTimeout(waiting.get(form));
  waiting.delete(form);
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && !name.startsWith("secret:")) fields.append(name, value);
  }
  fields.set("_form", new URL(form.action).pathname);
  const sent = fetch("/app/drafts", { method: "POST", body: fields, keepalive: true });
  keeping = Promise.all([keeping, sent.catch(() => {})]);
  return keeping;
};
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-draft]");
  if (!form) return;
  clearTimeout(waiting.get(form));
  waiting.set(form, setTimeout(keep, REST_MS, form));
});
document.addEventListener("submit", (event) => {
  clearTimeout(waiting.get(event.target));
  waiting.delete(event.target);
});
addEventListener("pagehide", () => [...waiting.keys()].forEach(keep));

// The server prepends the text of an undone reply to the draft, and reloads the page with an attached
// file, so store the current input first. Before a file, the form is stored even without input,
// because it may contain the agent's draft.
document.addEventListener("submit", async (event) => {
  const { inserts } = event.target.dataset;
  if (!inserts && !event.target.querySelector("[data-key=undo]")) return;
  event.preventDefault();
  if (inserts) keep(document.getElementById(inserts));
  else [...waiting.keys()].forEach(keep);
  await keeping;
  event.target.submit();
});

// Insert a template at the cursor, or at the end of a text that never had the focus. A "/" at the
// start of a line moves the focus to the search. Enter inserts the first result, unless the list
// belongs to an earlier search. Escape moves the focus back and inserts the "/".
document.addEventListener("focusin", (event) => {
  if (event.target.matches("[data-macros]")) event.target.dataset.placed = "";
});
const insertAtCursor = (field, text) => {
  const end = field.value.length;
  if (!("placed" in field.dataset)) field.setSelectionRange(end, end);
  const gap = !("placed" in field.dataset) && field.value.trim() ? "\n\n" : "";
  field.setRangeText(gap + text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
};
const fieldOf = (form) => document.getElementById(form.dataset.insertsInto).querySelector("[data-macros]");
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.insertsInto) return;
  event.preventDefault();
  const asked = form.elements.macro;
  const found = form.querySelector("#macros-found");
  const isCurrent = found.dataset.search === asked.value && document.activeElement === asked;
  const { text } = event.submitter?.dataset ?? {};
  const first = isCurrent ? found.querySelector("[data-text]")?.dataset.text : undefined;
  if (text ?? first) insertAtCursor(fieldOf(form), text ?? first);
});
document.addEventListener("keydown", (event) => {
  const { macros } = event.target.dataset ?? {};
  const asked = macros && event.key === "/" && document.getElementById(macros);
  if (!asked || !/(^|\n)$/.test(event.target.value.slice(0, event.target.selectionStart))) return;
  event.preventDefault();
  asked.closest("details").open = true;
  asked.select();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.id === "macro") insertAtCursor(fieldOf(event.target.form), "/");
});

// A color picker shows the code in its text field, and replaces it.
all("input[type=color]").forEach((picker) => {
  const code = document.getElementById(picker.dataset.code);
  const show = () => (picker.value = /^#[\da-f]{6}$/i.test(code.value) ? code.value : picker.defaultValue);
  code.addEventListener("input", show);
  picker.addEventListener("input", () => (code.value = picker.value));
  picker.hidden = false;
  show();
});

// The first input in a review's form claims the review. Opening the review does not claim it.
document.addEventListener("input", (event) => {
  const typed = event.target.closest("form[data-claims]");
  const claim = typed && document.getElementById(typed.dataset.claims);
  if (!claim) return;
  delete typed.dataset.claims;
  const body = new URLSearchParams(new FormData(claim));
  fetch(claim.action, { method: "POST", body, redirect: "manual" }).catch(() => {});
});

// The copilot's panel beside the page.
const panel = document.getElementById("panel");
let opener = null;
const toggleCopilot = () => {
  panel.hidden = !panel.hidden;
  if (panel.hidden) return opener?.focus();
  opener = document.activeElement;
  const asked = panel.querySelector("textarea");
  if (asked) asked.focus();
  else panel.querySelector(".copilot-box").dispatchEvent(new Event("open-copilot"));
};
panel?.querySelector("[data-close]").addEventListener("click", toggleCopilot);
document.addEventListener("htmx:after:swap", () => {
  if (panel && !panel.hidden) panel.querySelector("textarea")?.focus();
});
document.addEventListener("click", (event) => {
  if (!panel || event.ctrlKey || event.metaKey || !event.target.closest("[data-copilot]")) return;
  event.preventDefault();
  toggleCopilot();
});

// Show the copilot's answer while it is generated. The last event is the page that replaces it.
const swapCopilot = (form, text) =>
  htmx.swap({
    sourceElement: form,
    target: form.closest(".copilot-box"),
    text,
    select: ".body > .problem, #copilot",
    swap: "innerHTML ignoreTitle:true",
  });
const askCopilot = async (form, live) => {
  const answer = await fetch(form.getAttribute("action"), {
    method: "POST",
    body: new URLSearchParams(new FormData(form)),
    headers: { Accept: "text/event-stream" },
  });
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await answer.text();
    return text.includes('id="copilot"') ? swapCopilot(form, text) : location.assign(answer.url);
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let kept = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const events = (kept + part.value).split("\n\n");
    kept = events.pop();
    for (const [name, data] of events.map((event) => event.split("\ndata: "))) {
      if (name === "event: delta") live.textContent += JSON.parse(data).text;
      if (name === "event: page") return swapCopilot(form, JSON.parse(data).html);
    }
  }
  throw new Error("the answer has no end");
};
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-stream]");
  if (!form) return;
  event.preventDefault();
  if (form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  const live = form.parentElement.querySelector("[data-live]");
  live.textContent = "";
  live.hidden = false;
  askCopilot(form, live).catch(() => {
    live.textContent = form.dataset.failed;
    form.ariaBusy = "false";
  });
});

// The command palette: the server returns the lines, and the arrow keys select one. If no line is
// selected, Enter opens the search page.
const palette = document.getElementById("palette");
const lines = () => all("[role=option]", palette);
const chosen = () => lines().find((line) => line.ariaSelected === "true");
const choose = (line) => {
  lines().forEach((one) => (one.ariaSelected = String(one === line)));
  const asked = palette.querySelector("[role=combobox]");
  if (!line) return asked.removeAttribute("aria-activedescendant");
  asked.setAttribute("aria-activedescendant", line.id);
  line.scrollIntoView({ block: "nearest" });
};
const togglePalette = () => {
  if (palette.open) return palette.close();
  palette.showModal();
  palette.querySelector("[role=combobox]").select();
  palette.querySelector("form").dispatchEvent(new Event("open-palette"));
};
palette?.addEventListener("input", () => choose(null));
palette?.addEventListener("keydown", (event) => {
  const found = lines();
  const line = chosen();
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by && found.length) {
    const from = line ? found.indexOf(line) : by < 0 ? 0 : -1;
    choose(found.at((from + by) % found.length));
  } else if (event.key === "Enter" && line && !event.isComposing) line.click();
  else return;
  event.preventDefault();
});
document.addEventListener("htmx:after:swap", () => {
  if (palette?.open && !chosen()) choose(lines()[0]);
});

// Keyboard shortcuts. A shortcut for a button only focuses the button; Enter presses it.
const KEYS = { approve: "a", claim: "c", decide: "d", reject: "x", refresh: "f" };
const keyOf = (element) => KEYS[element.dataset.key] ?? element.dataset.key[0];
const keyed = (key) => all("[data-key]").find((element) => keyOf(element) === key);
const ROWS = "main tbody tr, main .rows > li";
const isShown = (row) => row.querySelector("a") && row.offsetParent;
// On a ticket's page, J and K move in the list beside it.
const rows = () => {
  const beside = all(".pane li").filter(isShown);
  return beside.length ? beside : all(ROWS).filter(isShown);
};
let afterG = false;

const move = (by) => {
  const links = rows().map((row) => row.querySelector("a"));
  const focused = links.indexOf(document.activeElement);
  const here = focused < 0 ? links.findIndex((link) => link.ariaCurrent) : focused;
  links[Math.max(0, Math.min(links.length - 1, here < 0 ? 0 : here + by))]?.focus();
};
const help = document.getElementById("keys");
const showHelp = () => {
  const list = help.querySelector("[data-page-keys]");
  list.replaceChildren(
    ...all("main [data-key]").map((element) => {
      const line = document.createElement("li");
      const key = document.createElement("kbd");
      key.textContent = keyOf(element).toUpperCase();
      // The button's own hint is not part of its label.
      const label = [...element.childNodes].filter((node) => node.nodeName !== "KBD");
      line.append(key, ` ${label.map((node) => node.textContent).join("").trim()}`);
      if (element.matches("button")) line.append(" ", help.querySelector("[data-enter]").cloneNode(true));
      return line;
    }),
  );
  help.showModal();
};
all("[data-help]").forEach((button) => {
  button.hidden = false;
  button.addEventListener("click", showHelp);
});
const act = (key) => {
  if (key === "j") return move(1);
  if (key === "k") return move(-1);
  if (key === "/") return document.getElementById("find")?.focus();
  if (key === "?") return showHelp();
  if (key === "g") return (afterG = true);
  const element = keyed(key);
  if (!element) return false;
  if (element.matches("a")) element.click();
  else if (element.matches("summary")) {
    element.parentElement.open = true;
    element.parentElement.querySelector("textarea")?.focus();
  } else element.focus();
  return true;
};

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && palette) {
    event.preventDefault();
    return togglePalette();
  }
  if (event.ctrlKey && event.key === "." && panel) {
    event.preventDefault();
    return toggleCopilot();
  }
  if (event.ctrlKey && event.key === "Enter" && event.target.form) {
    const { presses } = event.target.dataset;
    if (presses) return document.getElementById(presses).click();
    // A form that moves money is sent by its button: the user confirms what the button says.
    if ("confirms" in event.target.form.dataset) return event.target.form.querySelector("[data-key=send]").focus();
    return event.target.form.requestSubmit();
  }
  if (event.key === "Escape" && panel && !panel.hidden) return toggleCopilot();
  const off = !("keys" in root.dataset) || event.ctrlKey || event.metaKey || event.altKey;
  if (off || typing(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key === "Shift") return;
  const key = event.key.toLowerCase();
  if (afterG) {
    afterG = false;
    const link = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    if (link) link.click();
  } else if (act(key) === false) return;
  event.preventDefault();
});

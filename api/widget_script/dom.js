// DOM elements. Untrusted text becomes text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";
// SVG paths from Lucide (ISC license).
const CHAT = "M7.9 20A9 9 0 1 0 4 16.1L2 22Z";
const CROSS = "M18 6 6 18M6 6l12 12";
const DOWN = "m6 9 6 6 6-6";
const SEND = "m5 12 7-7 7 7M12 19V5";
const FACES = {
  agent: "M12 8V4H8M6 8h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2M2 14h2M20 14h2M15 13v2M9 13v2",
  human: "M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2M8 7a4 4 0 1 0 8 0 4 4 0 1 0-8 0",
};
const LINK = /https?:\/\/[^\s<>"']+/gi;

/**
 * Return an element. `facts`: attributes, and listeners whose names start with `on`. The `style`
 * attribute is never set, because a page's Content-Security-Policy may forbid it.
 */
function node(tag, facts, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(facts || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

function icon(drawn) {
  const image = document.createElementNS(SVG, "svg");
  image.setAttribute("viewBox", "0 0 24 24");
  image.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", drawn);
  image.append(path);
  return image;
}

/** Return the picture of an author, which is shown beside the name. */
function face(author) {
  return node("span", { class: `face ${author}`, "aria-hidden": "true" }, icon(FACES[author]));
}

/** Return the URL if it uses http or https and contains no credentials, otherwise null. */
function webAddress(text) {
  try {
    const url = new URL(text);
    const web = url.protocol === "https:" || url.protocol === "http:";
    return web && !url.username && !url.password ? url.href : null;
  } catch {
    return null;
  }
}

/** Return plain text as nodes, with its URLs as links. */
function linked(text) {
  const parts = document.createDocumentFragment();
  let done = 0;
  for (const found of text.matchAll(LINK)) {
    // Trailing punctuation belongs to the sentence, not to the URL.
    let end = found[0].length;
    while (".,;:!?)]}»’".includes(found[0][end - 1])) end -= 1;
    const shown = found[0].slice(0, end);
    const href = webAddress(shown);
    if (href === null) continue;
    parts.append(
      text.slice(done, found.index),
      node("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }, shown),
    );
    done = found.index + end;
  }
  parts.append(text.slice(done));
  return parts;
}

function colour(given, otherwise) {
  return /^#[0-9a-f]{6}$/i.test(given) ? given : otherwise;
}

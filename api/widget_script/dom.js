// Elements. What others wrote becomes text nodes, and never markup.

const SVG = "http://www.w3.org/2000/svg";
const CHAT = "M4 5h16v11H9l-5 4z";
const CROSS = "M6 6l12 12M18 6L6 18";
const ARROW = "M4 12h15M13 6l6 6-6 6";
const LINK = /https?:\/\/[^\s<>"']+/gi;

/** `facts`: attributes; `on…` listeners. A page's policy may forbid `style`: none is set. */
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

/** The address, where it is one of the web and shows the host that it leads to. */
function webAddress(text) {
  try {
    const url = new URL(text);
    const web = url.protocol === "https:" || url.protocol === "http:";
    return web && !url.username && !url.password ? url.href : null;
  } catch {
    return null;
  }
}

/** Plain text as nodes, its web addresses as links. */
function linked(text) {
  const parts = document.createDocumentFragment();
  let done = 0;
  for (const found of text.matchAll(LINK)) {
    // The sentence's punctuation belongs to no address.
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

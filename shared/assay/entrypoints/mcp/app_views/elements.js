// Elements of the page. Text from outside becomes text nodes only, cut to a length and isolated in its direction.

const MOST_TEXT = 600;
const SVG = "http://www.w3.org/2000/svg";

function cut(text, most = MOST_TEXT) {
  const whole = String(text);
  if (whole.length <= most) return whole;
  const splitsPair = (whole.charCodeAt(most - 1) & 0xfc00) === 0xd800;
  return `${whole.slice(0, splitsPair ? most - 1 : most)}…`;
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false)
      node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
}

// An element with attributes; children are elements, or strings that become text.
const el = (tag, attributes = {}, ...children) => fill(window.document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(window.document.createElementNS(SVG, tag), attributes, children);

// Text from outside, in its own direction of writing.
const quoted = (text, most) => el("bdi", { dir: "auto", class: "outside" }, cut(text, most));

// A value such as not_checked, in words.
const words = (value) => cut(String(value).replaceAll("_", " "), 80);
const mark = (value, kind) => el("span", { class: `mark ${kind}` }, words(value));

function parseLink(address) {
  let url;
  try {
    url = new URL(String(address));
  } catch {
    return null;
  }
  return ["http:", "https:"].includes(url.protocol) && !url.username && !url.password ? url.href : null;
}

// A link that the host opens; the text alone where the address is none of the web.
function link(address, text = address) {
  const href = address ? parseLink(address) : null;
  if (!href) return quoted(text);
  const anchor = el("a", { href, rel: "noopener noreferrer", target: "_blank" }, quoted(text));
  anchor.addEventListener("click", (event) => {
    event.preventDefault();
    request("ui/open-link", { url: href }).catch((refusal) =>
      say(`The link was not opened: ${cut(refusal.message, 200)}`),
    );
  });
  return anchor;
}

const doiLink = (doi) =>
  link(`https://doi.org/${encodeURI(String(doi)).replaceAll("?", "%3F").replaceAll("#", "%23")}`, doi);

function say(text) {
  const state = window.document.getElementById("state");
  if (state.textContent !== text) state.textContent = text;
}

function entitle(text) {
  window.document.getElementById("title").replaceChildren(quoted(text, 200));
  window.document.title = cut(text, 200);
}

// A table with headings; on narrow screens each row becomes a block, so the roles are stated.
function table(caption, headings, rows, attributes = {}) {
  const head = headings.map((text) => el("th", { scope: "col", role: "columnheader" }, text));
  const body = rows.map(({ cells, ...more }) =>
    el(
      "tr",
      { role: "row", ...more },
      cells.map((cell, place) =>
        el("td", { role: "cell", "data-label": headings[place] }, el("div", { class: "cell" }, cell)),
      ),
    ),
  );
  return el(
    "table",
    { role: "table", ...attributes },
    el("caption", {}, caption),
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, head)),
    el("tbody", { role: "rowgroup" }, body),
  );
}

const list = (items) =>
  el(
    "ul",
    {},
    items.map((item) => el("li", {}, item)),
  );

function section(title, items, isOpen = false) {
  if (!items?.length) return null;
  return el(
    "details",
    { class: "section", open: isOpen },
    el("summary", {}, `${title} (${items.length})`),
    list(items),
  );
}

function button(text, press) {
  const node = el("button", { type: "button" }, text);
  node.addEventListener("click", press);
  return node;
}

function progress(value, label) {
  return el(
    "p",
    { class: "progress" },
    el("progress", { max: 100, value: Math.max(0, Math.min(100, Number(value) || 0)), "aria-label": label }),
  );
}

const facts = (pairs) =>
  el(
    "dl",
    {},
    pairs
      .filter(([, value]) => value !== undefined && value !== null && value !== "")
      .map(([name, value]) =>
        el("div", {}, el("dt", {}, name), el("dd", {}, value instanceof Node ? value : cut(value))),
      ),
  );

const draw = (...parts) =>
  window.document.getElementById("view").replaceChildren(...parts.flat(Infinity).filter(Boolean));

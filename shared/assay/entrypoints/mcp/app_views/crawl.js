// A crawl: how far it is, and its pages as a tree by their addresses.

const STATUS_TOOL = "cinder_get_crawl_status";
const PAGES = 100; // per call
const MOST_LEVELS = 12; // of the tree; what is deeper stands on the last level
const MOST_PAGES = 5_000;

const crawl = { answer: null, pages: [], stop: null, isLoading: false };
const isRunning = () => ["queued", "running"].includes(crawl.answer.status);

// The host and the parts of the path of a page.
function partsOf(address) {
  try {
    const url = new URL(String(address));
    const parts = url.pathname.split("/").filter(Boolean);
    const last = parts.splice(MOST_LEVELS - 2).join("/") + url.search;
    return [url.host, ...parts, ...(last ? [last] : [])];
  } catch {
    return ["other addresses", String(address)];
  }
}

function buildTree(pages) {
  const root = { below: new Map(), pages: [] };
  for (const page of pages) {
    let node = root;
    for (const part of partsOf(page.url)) {
      if (!node.below.has(part)) node.below.set(part, { below: new Map(), pages: [] });
      node = node.below.get(part);
    }
    node.pages.push(page);
  }
  return root;
}

const countPages = (node) =>
  node.pages.length + [...node.below.values()].reduce((sum, child) => sum + countPages(child), 0);
const isBad = (page) => Boolean(page.error) || !(page.statusCode >= 200 && page.statusCode < 400);

const drawPage = (page) =>
  el(
    "span",
    { class: "page" },
    link(page.url, page.title || page.url),
    " ",
    mark(page.statusCode ? `HTTP ${Number(page.statusCode)}` : "no response", isBad(page) ? "bad" : "fine"),
    page.error ? [" ", quoted(page.error, 300)] : "",
    page.contentLength ? ` ${Number(page.contentLength)} characters` : "",
    page.nearDuplicateOf ? [" ", mark("nearly the same text as", "doubt"), " ", link(page.nearDuplicateOf)] : "",
    page.finalUrl ? [" leads to ", link(page.finalUrl)] : "",
  );

function drawBranch(name, node, path, open) {
  const pages = node.pages.map(drawPage);
  if (!node.below.size)
    return el(
      "li",
      {},
      quoted(name, 120),
      " ",
      pages.map((page, place) => (place ? [el("br"), page] : page)),
    );
  const key = JSON.stringify([...path, name]);
  const children = [...node.below]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([part, child]) => drawBranch(part, child, [...path, name], open));
  return el(
    "li",
    {},
    el(
      "details",
      { open: open.has(key) ? open.get(key) : path.length < 2, "data-key": key },
      el("summary", {}, quoted(name, 120), ` (${countPages(node)})`),
      pages.length ? list(pages) : "",
      el("ul", {}, children),
    ),
  );
}

function drawTree() {
  const open = new Map(
    [...window.document.querySelectorAll(".tree details")].map((node) => [node.dataset.key, node.open]),
  );
  const branches = [...buildTree(crawl.pages).below].map(([name, node]) => drawBranch(name, node, [], open));
  return el(
    "section",
    { class: "tree", "aria-labelledby": "pages" },
    el("h2", { id: "pages" }, `Pages (${crawl.pages.length})`),
    el("ul", {}, branches),
  );
}

function redraw() {
  const { answer } = crawl;
  say(`The crawl is ${words(answer.status)}${answer.progress === undefined ? "" : `, ${Number(answer.progress)} %`}.`);
  const canLoad = answer.hasMore && !isRunning() && crawl.pages.length < MOST_PAGES;
  const more = canLoad && canCallTools() ? button("Show more pages", loadMore) : null;
  if (more) more.disabled = crawl.isLoading;
  const focused = window.document.activeElement?.closest?.("[data-key]")?.dataset.key;
  draw(
    isRunning() ? progress(answer.progress, "Progress of the crawl") : null,
    facts([
      ["Start page", link(answer.url)],
      ["Found", Number(answer.pagesFound)],
      ["Crawled", Number(answer.pagesCrawled)],
      ["At most", answer.maxPages],
      ["Started", answer.createdAt],
      ["Ended", answer.completedAt],
      ["Deleted", answer.expiresAt],
    ]),
    answer.error ? el("p", { class: "bad" }, "Error: ", quoted(answer.error)) : null,
    section(
      "Notes",
      answer.notes?.map((note) => quoted(note)),
      true,
    ),
    crawl.pages.length ? drawTree() : null,
    more,
    canLoad && !canCallTools()
      ? el("p", { class: "quiet" }, "There are more pages; ask the assistant for them.")
      : null,
  );
  if (focused) window.document.querySelector(`[data-key="${CSS.escape(focused)}"] > summary`)?.focus();
}

async function update() {
  const offset = crawl.pages.length;
  const answer = await callTool(STATUS_TOOL, { id: crawl.answer.crawlId, offset, limit: PAGES });
  if (crawl.pages.length === offset) crawl.pages.push(...(answer.pages ?? []));
  crawl.answer = answer;
  redraw();
  return isRunning() && crawl.pages.length < MOST_PAGES;
}

async function loadMore() {
  crawl.isLoading = true;
  redraw();
  try {
    await update();
  } catch (failure) {
    say(`The pages were not loaded: ${cut(failure.message)}`);
  }
  crawl.isLoading = false;
  redraw();
}

startView({
  show(answer, args) {
    crawl.stop?.();
    const isFromStart = !args.offset;
    Object.assign(crawl, { answer, pages: isFromStart ? [...(answer.pages ?? [])] : [], isLoading: false });
    entitle(`Crawl of ${answer.url ?? "a site"}`);
    if (answer.linked) return draw(el("p", {}, quoted(answer.summary, 20_000)));
    redraw();
    // The answer of the call that started the crawl has no pages, and a later part of them lacks the first.
    if (isRunning()) crawl.stop = follow(update);
    else if ((!isFromStart || !answer.pages) && canCallTools()) loadMore();
  },
  fail(reason) {
    say("There is no crawl to show.");
    draw(el("p", {}, quoted(reason.message, 4_000)));
  },
});

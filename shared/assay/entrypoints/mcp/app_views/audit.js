// The references of audit_bibliography and audit_document, each with its evidence.

const CAVEAT =
  "Flags are evidence with its source, for a person to judge. Nothing found does not mean that a work does not exist, " +
  "and a reference without flags is not proven correct. Quoted text comes from outside and is data.";
const HEADINGS = ["No.", "Reference", "Exists", "Retraction", "Title", "Link", "Claim", "Flags"];
const MOST_ROWS = 200; // drawn at once

const state = { answer: null, head: null, flag: "", shown: MOST_ROWS, size: undefined, stop: null, isLoading: false };
const isManuscript = () => Boolean(state.answer.auditId);
const entriesOf = (answer) => answer.references ?? answer.entries ?? [];

function buildRow(each) {
  const flags = each.flags ?? [];
  return {
    "data-index": Number(each.index),
    cells: [
      String(Number(each.index)),
      describeReference(each),
      describeExistence(each),
      marked(each.retractionCheck),
      marked(each.titleMatch),
      describeLink(each),
      describeClaim(each),
      flags.length
        ? el(
            "span",
            {},
            flags.map((flag) => mark(flag, flag === "unchecked" ? "plain" : kindOf(flag) === "bad" ? "bad" : "doubt")),
          )
        : "no flags",
    ],
  };
}

function buildFilter(entries) {
  const flags = [...new Set(entries.flatMap((each) => each.flags ?? []))].sort();
  const choice = el(
    "select",
    { id: "filter" },
    el("option", { value: "" }, "all"),
    el("option", { value: "any" }, "with flags"),
    flags.map((flag) => el("option", { value: flag }, words(flag))),
  );
  choice.value = state.flag;
  choice.addEventListener("change", () => {
    state.flag = choice.value;
    state.shown = MOST_ROWS;
    redraw();
    window.document.getElementById("filter").focus();
  });
  return el("label", {}, "Show ", choice);
}

function buildPager() {
  const { page, pageCount } = state.answer;
  if (!(pageCount > 1)) return null;
  const turn = (text, to) => {
    const node = button(text, () => loadPage(to));
    node.disabled = to < 1 || to > pageCount || !canCallTools() || state.isLoading;
    return node;
  };
  const note = canCallTools() ? "" : " Ask the assistant for another page.";
  return el(
    "nav",
    { "aria-label": "Pages of references" },
    turn("Previous page", page - 1),
    el("span", {}, `Page ${page} of ${pageCount}.${note}`),
    turn("Next page", page + 1),
  );
}

const askFor = (more) =>
  callTool("audit_document", { audit_id: state.answer.auditId, page_size: state.size, wait_seconds: 0, ...more });

async function loadPage(page) {
  state.isLoading = true;
  redraw();
  try {
    state.answer = await askFor({ page });
    state.shown = MOST_ROWS;
  } catch (failure) {
    say(`The page was not loaded: ${cut(failure.message)}`);
  }
  state.isLoading = false;
  redraw();
}

const counts = (values) =>
  Object.entries(values ?? {})
    .map(([name, count]) => `${Number(count)} ${words(name)}`)
    .join(", ") || "none";

function buildFacts() {
  const s = state.answer.summary;
  if (!s) return null;
  if (!isManuscript()) {
    const names = {
      total: "checked",
      ok: "without flags",
      retracted: "retracted",
      deadLink: "dead links",
      notFound: "not found",
      mischaracterized: "mischaracterized",
      titleMismatch: "other title",
      fieldMismatch: "a field differs",
      unchecked: "unchecked",
      retractionUnchecked: "not checked for retraction",
      claimCheckSkippedCount: "claims not compared",
    };
    return facts(Object.entries(names).map(([key, name]) => [name, Number(s[key] ?? 0)]));
  }
  return facts([
    ["References", `${s.references}, ${s.audited} audited`],
    ["Flagged", counts(s.flags)],
    ["Proposed corrections", s.corrections],
    ["Citations in the text", `${s.citations}, ${s.unlisted} of works that are not listed`],
    ["Listed but not cited", s.uncited?.length],
    ["Claims", `${counts(s.claims)}; ${s.claimsLeft} not checked`],
    ["Quotations", `${counts(s.quotations)}; ${s.quotationsLeft} not looked up`],
    ["Links in the text", counts(s.links)],
    ["Retracted works one step away", s.retractedNeighbours],
  ]);
}

// The findings on the whole manuscript, which only the first page has.
function buildSections() {
  const first = state.head ?? state.answer;
  const spot = (each) => (each.paragraph ? ` (paragraph ${Number(each.paragraph)})` : "");
  return [
    section(
      "Notes",
      [state.answer.skippedNote, state.answer.warning, ...(state.answer.notes ?? []), ...(state.answer.unread ?? [])]
        .filter(Boolean)
        .map((note) => quoted(note)),
      true,
    ),
    section(
      "Cited but not listed",
      first.unlisted?.map((each) =>
        el("span", {}, quoted((each.labels ?? []).join(", ")), spot(each), ": ", quoted(each.sentence)),
      ),
    ),
    section(
      "Duplicates",
      first.duplicates?.map((each) => `References ${each.references.map(Number).join(", ")}: ${words(each.kind)}`),
    ),
    section(
      "Quotations",
      first.quotations?.map((each) =>
        el(
          "span",
          {},
          "“",
          quoted(each.quotation),
          "”",
          spot(each),
          " ",
          marked(each.outcome),
          each.passage ? [" source: “", quoted(each.passage), "”"] : "",
          each.reason ? [" ", quoted(each.reason)] : "",
        ),
      ),
    ),
    section(
      "Links that are not live",
      first.links?.map((each) =>
        el(
          "span",
          {},
          link(each.url),
          " ",
          marked(each.outcome),
          each.archivedUrl ? [" archived at ", link(each.archivedUrl)] : "",
        ),
      ),
    ),
    section(
      "Retracted works that cited works cite",
      first.retractedNeighbours?.map((each) =>
        el("span", {}, link(each.url, each.title), `, cited by references ${each.citedBy.map(Number).join(", ")}`),
      ),
    ),
    section(
      "What was sent to look things up",
      first.sent?.map((each) =>
        el(
          "span",
          {},
          `${cut(each.service, 80)}: ${Number(each.count)} requests. `,
          quoted((each.texts ?? []).slice(0, 40).join("; "), 2_000),
        ),
      ),
    ),
  ];
}

function redraw() {
  const { answer } = state;
  const entries = entriesOf(answer);
  const chosen = entries.filter(
    (each) => state.flag === "" || (state.flag === "any" ? each.flags?.length : each.flags?.includes(state.flag)),
  );
  const rows = chosen.slice(0, state.shown).map(buildRow);
  const caption = `${rows.length} of ${entries.length} references${answer.pageCount > 1 ? " of this page" : ""}`;
  const rest =
    chosen.length > state.shown ? button("Show more references", () => ((state.shown += MOST_ROWS), redraw())) : null;
  const isRunning = ["queued", "running"].includes(answer.status);
  if (!state.isLoading)
    say(
      isManuscript()
        ? `The audit is ${words(answer.status)}, ${Number(answer.progress)} %.`
        : `${Number(answer.entryCount)} entries were checked.`,
    );
  draw(
    el("p", { class: "quiet" }, CAVEAT),
    isRunning ? progress(answer.progress, "Progress of the audit") : null,
    buildFacts(),
    entries.length ? el("nav", { "aria-label": "Filter" }, buildFilter(entries)) : null,
    entries.length ? table(caption, HEADINGS, rows, { class: "references" }) : null,
    rest,
    buildPager(),
    ...buildSections(),
  );
}

async function update() {
  const openRows = [...window.document.querySelectorAll("tr[data-index]:has(details[open])")].map(
    (row) => row.dataset.index,
  );
  const page = state.answer.page;
  const answer = await askFor({ page });
  if (state.answer.page !== page) return true; // the person turned the page meanwhile
  if (page === 1) state.head = answer;
  state.answer = answer;
  redraw();
  for (const index of openRows)
    window.document.querySelector(`tr[data-index="${index}"] details`)?.setAttribute("open", "");
  return ["queued", "running"].includes(answer.status);
}

startView({
  show(answer, args) {
    state.stop?.();
    Object.assign(state, { answer, head: answer, flag: "", shown: MOST_ROWS, size: args.page_size, isLoading: false });
    if (answer.title) entitle(`Audit of ${answer.title}`);
    if (answer.linked || (!answer.summary && !entriesOf(answer).length)) {
      say("The answer is not shown here.");
      return draw(
        el("p", {}, quoted(answer.summary ?? answer.report ?? "There are no references in this answer.", 20_000)),
      );
    }
    redraw();
    if (isManuscript() && ["queued", "running"].includes(answer.status)) state.stop = follow(update);
  },
  fail(reason) {
    say("There is no report.");
    draw(el("p", {}, quoted(reason.message, 4_000)));
  },
});

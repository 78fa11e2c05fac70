// The references of audit_bibliography and audit_document, each with its evidence.

const CAVEAT =
  "Flags are evidence with its source, for a person to judge. Nothing found does not mean that a work does not exist, " +
  "and a reference without flags is not proven correct. Quoted text comes from outside and is data.";
const HEADINGS = ["No.", "Reference", "Exists", "Retraction", "Title", "Link", "Claim", "Flags"];
const KINDS = {
  retracted: "bad", dead_link: "bad", dead: "bad", soft_404: "bad", not_found: "bad", mischaracterized: "bad", contradiction: "bad",
  mismatch: "bad", flagged: "doubt", not_addressed: "doubt", clear: "fine", live: "fine", match: "fine", addressed: "fine", entailment: "fine",
};
const MOST_ROWS = 200; // drawn at once

const state = { answer: null, head: null, flag: "", shown: MOST_ROWS, size: undefined, stop: null, isLoading: false };
const kindOf = (value) => (Object.hasOwn(KINDS, value) ? KINDS[value] : "plain");
const marked = (value) => (value === undefined || value === null ? el("span", { class: "quiet" }, "–") : mark(value, kindOf(value)));
const isManuscript = () => Boolean(state.answer.auditId);
const entriesOf = (answer) => answer.references ?? answer.entries ?? [];

function describeExistence({ exists }) {
  if (exists === undefined || exists === null) return mark("not known", "plain");
  return exists ? mark("on record", "fine") : mark("not found", "bad");
}

function describeLink(each) {
  if (!each.linkOutcome) return marked(undefined);
  return el("span", {}, mark(each.linkOutcome, kindOf(each.linkOutcome)), each.httpStatus ? ` HTTP ${Number(each.httpStatus)}` : "");
}

// The model's relation where there is one, otherwise how far the words of the claim are covered.
const outcomeOf = (each) => (each.claimRelation && each.claimRelation !== "neutral" ? each.claimRelation : each.claimSupport);

function describeClaim(each) {
  const outcomes = [each, ...(each.citedIn ?? [])].map(outcomeOf).filter(Boolean);
  return outcomes.length ? el("span", {}, [...new Set(outcomes)].map(marked)) : marked(undefined);
}

const describeField = (each) =>
  el("span", {}, `${words(each.field)}, ${words(each.outcome)}: cited “`, quoted(each.cited), "”", each.recorded ? [", on record “", quoted(each.recorded), "”"] : "",
    each.source ? [" (", quoted(each.source, 80), ")"] : "", each.reason ? [". ", quoted(each.reason)] : "");

const describeVersion = (each) =>
  el("span", {}, each.kind === "preprint" ? "There is a preprint: " : "There is a published version: ", each.doi ? doiLink(each.doi) : quoted(each.reference ?? ""),
    ` (${cut(each.source, 80)}, retraction check: ${words(each.retractionCheck)}).`);

function describeComparison(each) {
  if (!each.claim && !each.sentence) return null;
  const tier = each.claimTier ? `; tier ${cut(each.claimTier, 20)}` : "";
  const probability = each.claimProbability === undefined ? "" : `, probability ${Number(each.claimProbability)}`;
  const place = each.paragraph ? `Paragraph ${Number(each.paragraph)}: ` : "Claim: ";
  return el(
    "div", {}, place, quoted(each.sentence ?? each.claim), " ",
    outcomeOf(each) ? mark(`${outcomeOf(each)}${tier}${probability}`, kindOf(outcomeOf(each))) : "",
    each.contrastSignal ? mark("a sentence may say the opposite", "doubt") : "",
    each.claimCheckSkippedReason ? [" ", quoted(each.claimCheckSkippedReason)] : "", each.claimFetchError ? [" ", quoted(each.claimFetchError)] : "",
    (each.claimEvidence ?? []).slice(0, 20).map((text) => el("blockquote", {}, quoted(text))),
    each.claimSourceUrl ? el("div", {}, "Compared with ", link(each.claimSourceUrl)) : "",
  );
}

function listFindings(each) {
  const notice = each.retractionStatus;
  return [
    each.reason ? quoted(each.reason, 2_000) : null,
    notice ? el("span", {}, `${words(notice.kind)} on record`, notice.date ? `, ${cut(notice.date, 40)}` : "", notice.source ? `, by ${words(notice.source)}` : "",
      notice.noticeDoi ? [": ", doiLink(notice.noticeDoi)] : "") : null,
    each.retractionCheckReason ? el("span", {}, `Retraction not checked: ${words(each.retractionCheckReason)}.`) : null,
    each.hidden ? "Readers of the document do not see this reference." : null,
    ...(each.fields ?? []).map(describeField),
    ...(each.versions ?? []).map(describeVersion),
    ...(each.notes ?? []).map((note) => quoted(note)),
    each.archivedUrl ? el("span", {}, "Archived copy: ", link(each.archivedUrl)) : null,
    describeComparison(each),
    ...(each.citedIn ?? []).map(describeComparison),
    each.correction ? el("div", {}, "Proposed correction: ", quoted((each.correction.changes ?? []).join("; ")), el("pre", {}, quoted(each.correction.diff ?? "", 6_000))) : null,
  ].filter(Boolean);
}

function describeReference(each) {
  const name = each.title || each.printed || each.doi || each.url || "a reference without a title";
  const findings = listFindings(each);
  return [
    link(each.doi ? null : each.url, name),
    each.doi ? el("div", {}, doiLink(each.doi)) : "",
    findings.length ? el("details", {}, el("summary", {}, "Evidence"), list(findings)) : "",
  ];
}

function buildRow(each) {
  const flags = each.flags ?? [];
  return {
    "data-index": Number(each.index),
    cells: [String(Number(each.index)), describeReference(each), describeExistence(each), marked(each.retractionCheck), marked(each.titleMatch), describeLink(each),
      describeClaim(each), flags.length ? el("span", {}, flags.map((flag) => mark(flag, flag === "unchecked" ? "plain" : kindOf(flag) === "bad" ? "bad" : "doubt"))) : "no flags"],
  };
}

function buildFilter(entries) {
  const flags = [...new Set(entries.flatMap((each) => each.flags ?? []))].sort();
  const choice = el("select", { id: "filter" }, el("option", { value: "" }, "all"), el("option", { value: "any" }, "with flags"), flags.map((flag) => el("option", { value: flag }, words(flag))));
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
  return el("nav", { "aria-label": "Pages of references" }, turn("Previous page", page - 1), el("span", {}, `Page ${page} of ${pageCount}.${note}`), turn("Next page", page + 1));
}

const askFor = (more) => callTool("audit_document", { audit_id: state.answer.auditId, page_size: state.size, wait_seconds: 0, ...more });

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

const counts = (values) => Object.entries(values ?? {}).map(([name, count]) => `${Number(count)} ${words(name)}`).join(", ") || "none";

function buildFacts() {
  const s = state.answer.summary;
  if (!s) return null;
  if (!isManuscript()) {
    const names = { total: "checked", ok: "without flags", retracted: "retracted", deadLink: "dead links", notFound: "not found", mischaracterized: "mischaracterized",
      titleMismatch: "other title", fieldMismatch: "a field differs", unchecked: "unchecked", retractionUnchecked: "not checked for retraction", claimCheckSkippedCount: "claims not compared" };
    return facts(Object.entries(names).map(([key, name]) => [name, Number(s[key] ?? 0)]));
  }
  return facts([["References", `${s.references}, ${s.audited} audited`], ["Flagged", counts(s.flags)], ["Proposed corrections", s.corrections],
    ["Citations in the text", `${s.citations}, ${s.unlisted} of works that are not listed`], ["Listed but not cited", s.uncited?.length], ["Claims", `${counts(s.claims)}; ${s.claimsLeft} not checked`],
    ["Quotations", `${counts(s.quotations)}; ${s.quotationsLeft} not looked up`], ["Links in the text", counts(s.links)], ["Retracted works one step away", s.retractedNeighbours]]);
}

// The findings on the whole manuscript, which only the first page has.
function buildSections() {
  const first = state.head ?? state.answer;
  const spot = (each) => (each.paragraph ? ` (paragraph ${Number(each.paragraph)})` : "");
  return [
    section("Notes", [state.answer.skippedNote, state.answer.warning, ...(state.answer.notes ?? []), ...(state.answer.unread ?? [])].filter(Boolean).map((note) => quoted(note)), true),
    section("Cited but not listed", first.unlisted?.map((each) => el("span", {}, quoted((each.labels ?? []).join(", ")), spot(each), ": ", quoted(each.sentence)))),
    section("Duplicates", first.duplicates?.map((each) => `References ${each.references.map(Number).join(", ")}: ${words(each.kind)}`)),
    section("Quotations", first.quotations?.map((each) => el("span", {}, "“", quoted(each.quotation), "”", spot(each), " ", marked(each.outcome), each.passage ? [" source: “", quoted(each.passage), "”"] : "", each.reason ? [" ", quoted(each.reason)] : ""))),
    section("Links that are not live", first.links?.map((each) => el("span", {}, link(each.url), " ", marked(each.outcome), each.archivedUrl ? [" archived at ", link(each.archivedUrl)] : ""))),
    section("Retracted works that cited works cite", first.retractedNeighbours?.map((each) => el("span", {}, link(each.url, each.title), `, cited by references ${each.citedBy.map(Number).join(", ")}`))),
    section("What was sent to look things up", first.sent?.map((each) => el("span", {}, `${cut(each.service, 80)}: ${Number(each.count)} requests. `, quoted((each.texts ?? []).slice(0, 40).join("; "), 2_000)))),
  ];
}

function redraw() {
  const { answer } = state;
  const entries = entriesOf(answer);
  const chosen = entries.filter((each) => state.flag === "" || (state.flag === "any" ? each.flags?.length : each.flags?.includes(state.flag)));
  const rows = chosen.slice(0, state.shown).map(buildRow);
  const caption = `${rows.length} of ${entries.length} references${answer.pageCount > 1 ? " of this page" : ""}`;
  const rest = chosen.length > state.shown ? button("Show more references", () => ((state.shown += MOST_ROWS), redraw())) : null;
  const isRunning = ["queued", "running"].includes(answer.status);
  if (!state.isLoading) say(isManuscript() ? `The audit is ${words(answer.status)}, ${Number(answer.progress)} %.` : `${Number(answer.entryCount)} entries were checked.`);
  draw(
    el("p", { class: "quiet" }, CAVEAT), isRunning ? progress(answer.progress, "Progress of the audit") : null, buildFacts(),
    entries.length ? el("nav", { "aria-label": "Filter" }, buildFilter(entries)) : null,
    entries.length ? table(caption, HEADINGS, rows, { class: "references" }) : null,
    rest, buildPager(), ...buildSections(),
  );
}

async function update() {
  const openRows = [...window.document.querySelectorAll("tr[data-index]:has(details[open])")].map((row) => row.dataset.index);
  const page = state.answer.page;
  const answer = await askFor({ page });
  if (state.answer.page !== page) return true; // the person turned the page meanwhile
  if (page === 1) state.head = answer;
  state.answer = answer;
  redraw();
  for (const index of openRows) window.document.querySelector(`tr[data-index="${index}"] details`)?.setAttribute("open", "");
  return ["queued", "running"].includes(answer.status);
}

startView({
  show(answer, args) {
    state.stop?.();
    Object.assign(state, { answer, head: answer, flag: "", shown: MOST_ROWS, size: args.page_size, isLoading: false });
    if (answer.title) entitle(`Audit of ${answer.title}`);
    if (answer.linked || (!answer.summary && !entriesOf(answer).length)) {
      say("The answer is not shown here.");
      return draw(el("p", {}, quoted(answer.summary ?? answer.report ?? "There are no references in this answer.", 20_000)));
    }
    redraw();
    if (isManuscript() && ["queued", "running"].includes(answer.status)) state.stop = follow(update);
  },
  fail(reason) {
    say("There is no report.");
    draw(el("p", {}, quoted(reason.message, 4_000)));
  },
});

// A research session: steps, the sources they met, and the claims that were compared with these, as a graph and as tables.

const MOST_SOURCES = 60; // in the graph
const MOST_CLAIMS = 40;
const MOST_ROWS = 200; // drawn at once
const WIDTH = 960;
const NODE = { width: 250, height: 40, gap: 12 };
const COLUMNS = { step: 10, source: 355, claim: 700 };
const DEAD = ["dead", "soft_404"];
const KINDS = { entailment: "fine", addressed: "fine", contradiction: "bad", not_addressed: "bad", partially_addressed: "doubt" };

const research = { answer: null, sources: [], shown: MOST_ROWS, isBusy: false };
const outcomeOf = (claim) => (claim.relation && claim.relation !== "neutral" ? claim.relation : claim.support);
const kindOf = (outcome) => (Object.hasOwn(KINDS, outcome) ? KINDS[outcome] : "plain");
const nameOf = (source) => source.title || source.url;
const stepOf = (source) => source.foundInStep ?? source.metAfterStep;

// What a reader has to know of a source before they rely on it: [words, kind].
function listMarks(source) {
  const marks = [];
  if (source.retractionCheck === "retracted") marks.push(["retracted", "bad"]);
  if (source.retractionCheck === "flagged") marks.push(["a notice is on record", "doubt"]);
  if (DEAD.includes(source.linkOutcome)) marks.push([source.linkOutcome === "dead" ? "dead link" : "no such page", "bad"]);
  else if (source.linkOutcome && source.linkOutcome !== "live") marks.push([source.linkOutcome, "doubt"]);
  return marks;
}

// The claims of all sources, each once, with the sources that were compared with it.
function gatherClaims(sources) {
  const claims = new Map();
  for (const source of sources) {
    for (const each of source.claims ?? []) {
      if (!claims.has(each.claim)) claims.set(each.claim, []);
      claims.get(each.claim).push({ source, ...each });
    }
  }
  return [...claims].map(([text, compared]) => ({ text, compared }));
}

// Sources with marks or claims first, as many as a graph can show, in the order of the session.
function chooseSources(sources) {
  const matters = (source) => (source.claims?.length ? 0 : listMarks(source).length ? 1 : 2);
  const chosen = new Set([...sources].sort((a, b) => matters(a) - matters(b)).slice(0, MOST_SOURCES));
  return sources.filter((source) => chosen.has(source));
}

const place = (index, column) => ({ x: COLUMNS[column], y: 34 + index * (NODE.height + NODE.gap) });

function drawNode({ x, y }, text, detail, kind, press) {
  const box = svg(
    "svg", { x, y, width: NODE.width, height: NODE.height, class: "node" },
    svg("rect", { width: NODE.width, height: NODE.height, rx: 6, class: kind }), svg("title", {}, cut(`${text}${detail ? ` – ${detail}` : ""}`, 300)),
    svg("text", { x: 8, y: detail ? 17 : 25 }, cut(text, 42)), detail ? svg("text", { x: 8, y: 33, class: "detail" }, cut(detail, 46)) : "",
  );
  if (press) box.addEventListener("click", press);
  return box;
}

function drawEdge(from, to, kind, label) {
  const [x1, y1, x2, y2] = [from.x + NODE.width, from.y + NODE.height / 2, to.x, to.y + NODE.height / 2];
  const middle = (x1 + x2) / 2;
  const line = svg("path", { d: `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`, class: kind }, svg("title", {}, label));
  return svg("g", {}, line, svg("text", { x: middle, y: (y1 + y2) / 2 - 3, "text-anchor": "middle", class: "label" }, label));
}

function showRow(id) {
  const row = window.document.getElementById(id);
  row?.scrollIntoView({ block: "center" });
  row?.focus({ preventScroll: true });
}

function drawGraph(steps, claims) {
  const sources = chooseSources(research.sources);
  const shownClaims = claims.slice(0, MOST_CLAIMS);
  const numbers = new Set(sources.map(stepOf));
  const shownSteps = steps.filter((step, at) => numbers.has(step.stepNumber) && steps.findIndex((other) => other.stepNumber === step.stepNumber) === at);
  const at = { step: new Map(shownSteps.map((step, index) => [step.stepNumber, place(index, "step")])), source: new Map(sources.map((source, index) => [source, place(index, "source")])) };
  const edges = [];
  for (const [source, to] of at.source) {
    const from = at.step.get(stepOf(source));
    if (from) edges.push(source.foundInStep ? drawEdge(from, to, "", "found") : drawEdge(from, to, "byTime", "met after"));
  }
  shownClaims.forEach(({ compared }, index) => {
    for (const each of compared) {
      const from = at.source.get(each.source);
      if (from) edges.push(drawEdge(from, place(index, "claim"), kindOf(outcomeOf(each)), words(outcomeOf(each))));
    }
  });
  const nodes = [
    ...shownSteps.map((step) => drawNode(at.step.get(step.stepNumber), `${step.stepNumber}. ${step.oneLiner}`, "", "")),
    ...sources.map((source) => drawNode(at.source.get(source), nameOf(source), listMarks(source).map(([text]) => words(text)).join(", "), listMarks(source).some(([, kind]) => kind === "bad") ? "bad" : "",
      () => showRow(`source-${research.sources.indexOf(source)}`))),
    ...shownClaims.map(({ text }, index) => drawNode(place(index, "claim"), text, "", "", () => showRow(`claim-${index}`))),
  ];
  const heads = [["step", "Steps"], ["source", "Sources"], ["claim", "Claims"]].filter(([column]) => column !== "claim" || claims.length);
  const height = place(Math.max(shownSteps.length, sources.length, shownClaims.length), "step").y;
  const label = `Graph of ${shownSteps.length} steps, ${sources.length} sources and ${shownClaims.length} claims. The tables below say the same.`;
  const left = research.sources.length - sources.length + claims.length - shownClaims.length;
  return [
    el("div", { class: "graph", tabindex: "0", role: "region", "aria-label": "Source graph" },
      svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label }, heads.map(([column, text]) => svg("text", { x: COLUMNS[column], y: 20, class: "head" }, text)), edges, nodes)),
    el("p", { class: "quiet" }, "Solid: found by the step. Dashed: met while the step was the latest. ", left ? `The graph leaves out ${left} sources and claims, which the tables have.` : ""),
  ];
}

function describeStep(source) {
  if (source.foundInStep) return `found in step ${Number(source.foundInStep)}`;
  return source.metAfterStep ? `met after step ${Number(source.metAfterStep)}` : "not recorded";
}

function describeClaims(source) {
  const counts = new Map();
  for (const each of source.claims ?? []) counts.set(outcomeOf(each), (counts.get(outcomeOf(each)) ?? 0) + 1);
  return counts.size ? el("span", {}, [...counts].map(([outcome, count]) => mark(`${count} ${outcome}`, kindOf(outcome)))) : "none compared";
}

function tabulateSources() {
  const headings = ["No.", "Source", "Step", "Link", "Retraction", "Claims"];
  const rows = research.sources.slice(0, research.shown).map((source, index) => ({
    id: `source-${index}`,
    tabindex: "-1",
    cells: [
      String(index + 1),
      [link(source.url, nameOf(source)), source.doi ? el("div", {}, doiLink(source.doi)) : "", el("div", { class: "quiet" }, quoted([source.author, source.date, source.relevance && words(source.relevance)].filter(Boolean).join(" · "), 200)),
        source.archivedUrl ? el("div", {}, "Archived copy: ", link(source.archivedUrl)) : ""],
      describeStep(source),
      source.linkOutcome ? [mark(source.linkOutcome, source.linkOutcome === "live" ? "fine" : DEAD.includes(source.linkOutcome) ? "bad" : "doubt"), source.httpStatus ? ` HTTP ${Number(source.httpStatus)}` : ""] : "not checked",
      source.retractionCheck ? mark(source.retractionCheck, { clear: "fine", retracted: "bad", flagged: "doubt" }[source.retractionCheck] ?? "plain") : "not checked",
      describeClaims(source),
    ],
  }));
  return table(`${rows.length} of ${research.sources.length} sources`, headings, rows, { class: "sources" });
}

function tabulateClaims(claims) {
  if (!claims.length) return null;
  const rows = claims.slice(0, MOST_ROWS).map(({ text, compared }, index) => ({
    id: `claim-${index}`,
    tabindex: "-1",
    cells: [
      quoted(text),
      list(compared.map((each) => el("div", {}, mark(outcomeOf(each), kindOf(outcomeOf(each))), each.tier ? `tier ${cut(each.tier, 20)}, ` : "", link(each.source.url, nameOf(each.source)),
        (each.evidence ?? []).slice(0, 5).map((evidence) => el("blockquote", {}, quoted(evidence)))))),
    ],
  }));
  return table(`${rows.length} of ${claims.length} claims, as far as sources were compared with them`, ["Claim", "Sources"], rows, { class: "claims" });
}

const listSteps = (steps) =>
  section("Steps", steps.map((step) => el("span", { class: "step" }, `${Number(step.stepNumber)}. `, quoted(step.oneLiner, 200), step.branchId ? [" [branch: ", quoted(step.branchId, 80), "]"] : "",
    step.confidence ? ` (confidence: ${words(step.confidence)})` : "", `, ${research.sources.filter((source) => stepOf(source) === step.stepNumber).length} sources`)), true);

// Do something that takes long, with the buttons disabled.
async function work(doing, act) {
  research.isBusy = true;
  redraw();
  say(doing);
  let refusal = "";
  try {
    await act();
  } catch (failure) {
    refusal = cut(failure.message);
  }
  research.isBusy = false;
  redraw();
  if (refusal) say(`That did not work: ${refusal}`);
}

async function loadAll() {
  const { document: whole } = await callTool("research_export", { sessionId: research.answer.sessionId, format: "json" });
  research.sources = whole.sources ?? [];
}

async function checkSources() {
  await callTool("audit_bibliography", { sessionId: research.answer.sessionId, detail: "brief" });
  await loadAll();
}

function buildActions() {
  if (!canCallTools()) return null;
  const actions = [];
  if (/^The latest \d+ of \d+ sources/.test(research.answer.warning ?? "") && research.sources.length <= 100) actions.push(button("Load all sources", () => work("Loading the sources.", loadAll)));
  if (research.sources.some((source) => !source.retractionCheck)) actions.push(button("Check links and retractions", () => work("Checking the sources; this takes up to two minutes.", checkSources)));
  if (research.shown < research.sources.length) actions.push(button("Show more sources", () => ((research.shown += MOST_ROWS), redraw())));
  actions.forEach((node) => (node.disabled = research.isBusy));
  return actions.length ? el("nav", { "aria-label": "Sources" }, actions) : null;
}

function redraw() {
  const { answer } = research;
  const steps = answer.stepIndex ?? answer.steps ?? [];
  const claims = gatherClaims(research.sources);
  say(`The research ${answer.isComplete ? "has ended" : "goes on"}: ${steps.length} steps, ${research.sources.length} sources.`);
  draw(
    el("p", { class: "quiet" }, "Marks are evidence for a person to judge. A source without marks is not proven sound, and one that was not checked is not clear."),
    answer.summary ? el("p", {}, quoted(answer.summary, 3_000)) : null, answer.warning ? el("p", { class: "doubt" }, quoted(answer.warning)) : null,
    buildActions(), research.sources.length ? drawGraph(steps, claims) : el("p", {}, "No source has been recorded yet."),
    research.sources.length ? tabulateSources() : null, tabulateClaims(claims), listSteps(steps), section("Open questions", answer.gaps?.map((gap) => quoted(gap.description))),
  );
}

function describeOneStep(step) {
  return [
    el("p", {}, quoted(step.description, 4_000)),
    facts([["Reasoning", step.reasoning && quoted(step.reasoning, 4_000)], ["Confidence", step.confidence && words(step.confidence)], ["Recorded", step.timestamp], ["Superseded by step", step.supersededBy]]),
    section("Ruled out", step.rejectedApproaches?.map((text) => quoted(text)), true),
  ];
}

startView({
  show(answer) {
    Object.assign(research, { answer, sources: answer.sources ?? [], shown: MOST_ROWS, isBusy: false });
    entitle(answer.researchGoal || "Research session");
    if (answer.linked) return draw(el("p", {}, quoted(answer.summary, 20_000)));
    if (answer.step) {
      say(`Step ${Number(answer.step.stepNumber)} of ${Number(answer.stepCount)}.`);
      return draw(describeOneStep(answer.step), ...(answer.otherSteps ?? []).map(describeOneStep));
    }
    redraw();
  },
  fail(reason) {
    say("There is no session to show.");
    draw(el("p", {}, quoted(reason.message, 4_000)));
  },
});

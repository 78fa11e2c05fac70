// The graph of a research session: steps, the sources they met, and the claims that were compared with these.

const MOST_SOURCES = 60; // in the graph
const MOST_CLAIMS = 40;
const WIDTH = 960;
const NODE = { width: 250, height: 40, gap: 12 };
const COLUMNS = { step: 10, source: 355, claim: 700 };
const KINDS = {
  entailment: "fine",
  addressed: "fine",
  contradiction: "bad",
  not_addressed: "doubt",
  partially_addressed: "doubt",
};

const outcomeOf = (claim) => (claim.relation && claim.relation !== "neutral" ? claim.relation : claim.support);
const kindOf = (outcome) => (Object.hasOwn(KINDS, outcome) ? KINDS[outcome] : "plain");
const nameOf = (source) => source.title || source.url;
const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const stepOf = (source) => source.foundInStep ?? source.metAfterStep;

// What a reader has to know of a source before they rely on it: [words, kind].
function listMarks(source) {
  const marks = [];
  if (source.retractionCheck === "retracted") marks.push(["retracted", "bad"]);
  if (source.retractionCheck === "flagged") marks.push(["a notice is on record", "doubt"]);
  if (source.linkOutcome === "dead") marks.push(["dead link", "bad"]);
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
    "svg",
    { x, y, width: NODE.width, height: NODE.height, class: "node" },
    svg("rect", { width: NODE.width, height: NODE.height, rx: 6, class: kind }),
    svg("title", {}, cut(`${text}${detail ? ` – ${detail}` : ""}`, 300)),
    svg("text", { x: 8, y: detail ? 17 : 25 }, cut(text, 34)),
    detail ? svg("text", { x: 8, y: 33, class: "detail" }, cut(detail, 44)) : "",
  );
  if (press) box.addEventListener("click", press);
  return box;
}

function drawEdge(from, to, kind, label) {
  const [x1, y1, x2, y2] = [from.x + NODE.width, from.y + NODE.height / 2, to.x, to.y + NODE.height / 2];
  const middle = (x1 + x2) / 2;
  const line = svg(
    "path",
    { d: `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}`, class: kind },
    svg("title", {}, label),
  );
  return svg("g", {}, line, svg("text", { x: x2 - 6, y: y2 - 4, "text-anchor": "end", class: "label" }, label));
}

function showRow(id) {
  const row = window.document.getElementById(id);
  row?.scrollIntoView({ block: "center" });
  row?.focus({ preventScroll: true });
}

function drawGraph(steps, all, claims) {
  const sources = chooseSources(all);
  const shownClaims = claims.slice(0, MOST_CLAIMS);
  const numbers = new Set(sources.map(stepOf));
  const shownSteps = steps.filter(
    (step, at) =>
      numbers.has(step.stepNumber) && steps.findIndex((other) => other.stepNumber === step.stepNumber) === at,
  );
  const at = {
    step: new Map(shownSteps.map((step, index) => [step.stepNumber, place(index, "step")])),
    source: new Map(sources.map((source, index) => [source, place(index, "source")])),
  };
  const edges = [];
  for (const [source, to] of at.source) {
    const from = at.step.get(stepOf(source));
    if (from)
      edges.push(source.foundInStep ? drawEdge(from, to, "", "found") : drawEdge(from, to, "byTime", "met after"));
  }
  shownClaims.forEach(({ compared }, index) => {
    for (const each of compared) {
      const from = at.source.get(each.source);
      if (from) edges.push(drawEdge(from, place(index, "claim"), kindOf(outcomeOf(each)), words(outcomeOf(each))));
    }
  });
  const nodes = [
    ...shownSteps.map((step) => drawNode(at.step.get(step.stepNumber), `${step.stepNumber}. ${step.oneLiner}`, "", "")),
    ...sources.map((source) =>
      drawNode(
        at.source.get(source),
        nameOf(source),
        listMarks(source)
          .map(([text]) => words(text))
          .join(", "),
        listMarks(source).some(([, kind]) => kind === "bad") ? "bad" : "",
        () => showRow(`source-${all.indexOf(source)}`),
      ),
    ),
    ...shownClaims.map(({ text }, index) =>
      drawNode(place(index, "claim"), text, "", "", () => showRow(`claim-${index}`)),
    ),
  ];
  const heads = [
    ["step", "Steps"],
    ["source", "Sources"],
    ["claim", "Claims"],
  ].filter(([column]) => column !== "claim" || claims.length);
  const height = place(Math.max(shownSteps.length, sources.length, shownClaims.length), "step").y;
  const label = `Graph of ${count(shownSteps.length, "step")}, ${count(sources.length, "source")} and ${count(shownClaims.length, "claim")}. The tables below say the same.`;
  const left = all.length - sources.length + claims.length - shownClaims.length;
  return [
    el(
      "div",
      { class: "graph", tabindex: "0", role: "region", "aria-label": "Source graph" },
      svg(
        "svg",
        { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label },
        heads.map(([column, text]) => svg("text", { x: COLUMNS[column], y: 20, class: "head" }, text)),
        edges,
        nodes,
      ),
    ),
    el(
      "p",
      { class: "quiet" },
      "Solid: found by the step. Dashed: met while the step was the latest. ",
      left ? `The graph leaves out ${left} sources and claims, which the tables have.` : "",
    ),
  ];
}

// A research session: its source graph, and the same as tables.

const MOST_ROWS = 200; // drawn at once

const research = { answer: null, sources: [], shown: MOST_ROWS, isBusy: false };

function describeStep(source) {
  if (source.foundInStep) return `found in step ${Number(source.foundInStep)}`;
  return source.metAfterStep ? `met after step ${Number(source.metAfterStep)}` : "not recorded";
}

function describeClaims(source) {
  const counts = new Map();
  for (const each of source.claims ?? []) counts.set(outcomeOf(each), (counts.get(outcomeOf(each)) ?? 0) + 1);
  return counts.size
    ? el(
        "span",
        {},
        [...counts].map(([outcome, times]) => mark(`${times} ${outcome}`, kindOf(outcome))),
      )
    : "none compared";
}

function tabulateSources() {
  const headings = ["No.", "Source", "Step", "Link", "Retraction", "Claims"];
  const rows = research.sources.slice(0, research.shown).map((source, index) => ({
    id: `source-${index}`,
    tabindex: "-1",
    cells: [
      String(index + 1),
      [
        link(source.url, nameOf(source)),
        source.doi ? el("div", {}, doiLink(source.doi)) : "",
        el(
          "div",
          { class: "quiet" },
          quoted(
            [source.author, source.date, source.relevance && words(source.relevance)].filter(Boolean).join(" · "),
            200,
          ),
        ),
        source.archivedUrl ? el("div", {}, "Archived copy: ", link(source.archivedUrl)) : "",
      ],
      describeStep(source),
      source.linkOutcome
        ? [
            mark(
              source.linkOutcome,
              source.linkOutcome === "live" ? "fine" : source.linkOutcome === "dead" ? "bad" : "doubt",
            ),
            source.httpStatus ? ` HTTP ${Number(source.httpStatus)}` : "",
          ]
        : "not checked",
      source.retractionCheck
        ? mark(
            source.retractionCheck,
            { clear: "fine", retracted: "bad", flagged: "doubt" }[source.retractionCheck] ?? "plain",
          )
        : "not checked",
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
      list(
        compared.map((each) =>
          el(
            "div",
            {},
            mark(outcomeOf(each), kindOf(outcomeOf(each))),
            each.tier ? `tier ${cut(each.tier, 20)}, ` : "",
            link(each.source.url, nameOf(each.source)),
            (each.evidence ?? []).slice(0, 5).map((evidence) => el("blockquote", {}, quoted(evidence))),
          ),
        ),
      ),
    ],
  }));
  return table(
    `${rows.length} of ${claims.length} claims, as far as sources were compared with them`,
    ["Claim", "Sources"],
    rows,
    { class: "claims" },
  );
}

const listSteps = (steps) =>
  section(
    "Steps",
    steps.map((step) =>
      el(
        "span",
        { class: "step" },
        `${Number(step.stepNumber)}. `,
        quoted(step.oneLiner, 200),
        step.branchId ? [" [branch: ", quoted(step.branchId, 80), "]"] : "",
        step.confidence ? ` (confidence: ${words(step.confidence)})` : "",
        `, ${count(research.sources.filter((source) => stepOf(source) === step.stepNumber).length, "source")}`,
      ),
    ),
    true,
  );

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
  const { document: whole } = await callTool("research_export", {
    sessionId: research.answer.sessionId,
    format: "json",
  });
  research.sources = whole.sources ?? [];
}

async function checkSources() {
  await callTool("audit_bibliography", { sessionId: research.answer.sessionId, detail: "brief" });
  await loadAll();
}

function buildActions() {
  if (!canCallTools()) return null;
  const actions = [];
  if (/^The latest \d+ of \d+ sources/.test(research.answer.warning ?? "") && research.sources.length <= 100)
    actions.push(button("Load all sources", () => work("Loading the sources.", loadAll)));
  if (research.sources.some((source) => !source.retractionCheck))
    actions.push(
      button("Check links and retractions", () =>
        work("Checking the sources; this takes up to two minutes.", checkSources),
      ),
    );
  if (research.shown < research.sources.length)
    actions.push(button("Show more sources", () => ((research.shown += MOST_ROWS), redraw())));
  actions.forEach((node) => (node.disabled = research.isBusy));
  return actions.length ? el("nav", { "aria-label": "Sources" }, actions) : null;
}

function redraw() {
  const { answer } = research;
  const steps = answer.stepIndex ?? answer.steps ?? [];
  const claims = gatherClaims(research.sources);
  say(
    `The research ${answer.isComplete ? "has ended" : "goes on"}: ${count(steps.length, "step")}, ${count(research.sources.length, "source")}.`,
  );
  draw(
    el(
      "p",
      { class: "quiet" },
      "Marks are evidence for a person to judge. A source without marks is not proven sound, and one that was not checked is not clear.",
    ),
    answer.summary ? el("p", {}, quoted(answer.summary, 3_000)) : null,
    answer.warning ? el("p", { class: "doubt" }, quoted(answer.warning)) : null,
    buildActions(),
    research.sources.length
      ? drawGraph(steps, research.sources, claims)
      : el("p", {}, "No source has been recorded yet."),
    research.sources.length ? tabulateSources() : null,
    tabulateClaims(claims),
    listSteps(steps),
    section(
      "Open questions",
      answer.gaps?.map((gap) => quoted(gap.description)),
    ),
  );
}

function describeOneStep(step) {
  return [
    el("p", {}, quoted(step.description, 4_000)),
    facts([
      ["Reasoning", step.reasoning && quoted(step.reasoning, 4_000)],
      ["Confidence", step.confidence && words(step.confidence)],
      ["Recorded", step.timestamp],
      ["Superseded by step", step.supersededBy],
    ]),
    section(
      "Ruled out",
      step.rejectedApproaches?.map((text) => quoted(text)),
      true,
    ),
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

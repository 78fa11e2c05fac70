// The evidence on one reference, in the words of the report.

const KINDS = {
  retracted: "bad",
  dead_link: "bad",
  dead: "bad",
  soft_404: "doubt",
  not_found: "bad",
  mischaracterized: "bad",
  contradiction: "bad",
  mismatch: "bad",
  flagged: "doubt",
  not_addressed: "doubt",
  clear: "fine",
  live: "fine",
  match: "fine",
  addressed: "fine",
  entailment: "fine",
};

const kindOf = (value) => (Object.hasOwn(KINDS, value) ? KINDS[value] : "plain");
const marked = (value) =>
  value === undefined || value === null ? el("span", { class: "quiet" }, "–") : mark(value, kindOf(value));

function describeExistence({ exists }) {
  if (exists === undefined || exists === null) return mark("not known", "plain");
  return exists ? mark("on record", "fine") : mark("not found", "bad");
}

function describeLink(each) {
  if (!each.linkOutcome) return marked(undefined);
  return el(
    "span",
    {},
    mark(each.linkOutcome, kindOf(each.linkOutcome)),
    each.httpStatus ? ` HTTP ${Number(each.httpStatus)}` : "",
  );
}

// The model's relation where there is one, otherwise how far the words of the claim are covered.
const outcomeOf = (each) =>
  each.claimRelation && each.claimRelation !== "neutral" ? each.claimRelation : each.claimSupport;

function describeClaim(each) {
  const outcomes = [each, ...(each.citedIn ?? [])].map(outcomeOf).filter(Boolean);
  return outcomes.length ? el("span", {}, [...new Set(outcomes)].map(marked)) : marked(undefined);
}

const describeField = (each) =>
  el(
    "span",
    {},
    `${words(each.field)}, ${words(each.outcome)}: cited “`,
    quoted(each.cited),
    "”",
    each.recorded ? [", on record “", quoted(each.recorded), "”"] : "",
    each.source ? [" (", quoted(each.source, 80), ")"] : "",
    each.reason ? [". ", quoted(each.reason)] : "",
  );

const describeVersion = (each) =>
  el(
    "span",
    {},
    each.kind === "preprint" ? "There is a preprint: " : "There is a published version: ",
    each.doi ? doiLink(each.doi) : quoted(each.reference ?? ""),
    ` (${cut(each.source, 80)}, retraction check: ${words(each.retractionCheck)}).`,
  );

function describeComparison(each) {
  if (!each.claim && !each.sentence) return null;
  const tier = each.claimTier ? `; tier ${cut(each.claimTier, 20)}` : "";
  const probability = each.claimProbability === undefined ? "" : `, probability ${Number(each.claimProbability)}`;
  const place = each.paragraph ? `Paragraph ${Number(each.paragraph)}: ` : "Claim: ";
  return el(
    "div",
    {},
    place,
    quoted(each.sentence ?? each.claim),
    " ",
    outcomeOf(each) ? mark(`${outcomeOf(each)}${tier}${probability}`, kindOf(outcomeOf(each))) : "",
    each.contrastSignal ? mark("a sentence may say the opposite", "doubt") : "",
    each.claimCheckSkippedReason ? [" ", quoted(each.claimCheckSkippedReason)] : "",
    each.claimFetchError ? [" ", quoted(each.claimFetchError)] : "",
    (each.claimEvidence ?? []).slice(0, 20).map((text) => el("blockquote", {}, quoted(text))),
    each.claimSourceUrl ? el("div", {}, "Compared with ", link(each.claimSourceUrl)) : "",
  );
}

function listFindings(each) {
  const notice = each.retractionStatus;
  return [
    each.reason ? quoted(each.reason, 2_000) : null,
    notice
      ? el(
          "span",
          {},
          `${words(notice.kind)} on record`,
          notice.date ? `, ${cut(notice.date, 40)}` : "",
          notice.source ? `, by ${words(notice.source)}` : "",
          notice.noticeDoi ? [": ", doiLink(notice.noticeDoi)] : "",
        )
      : null,
    each.retractionCheckReason ? el("span", {}, `Retraction not checked: ${words(each.retractionCheckReason)}.`) : null,
    each.hidden ? "Readers of the document do not see this reference." : null,
    ...(each.fields ?? []).map(describeField),
    ...(each.versions ?? []).map(describeVersion),
    ...(each.notes ?? []).map((note) => quoted(note)),
    each.archivedUrl ? el("span", {}, "Archived copy: ", link(each.archivedUrl)) : null,
    describeComparison(each),
    ...(each.citedIn ?? []).map(describeComparison),
    each.correction
      ? el(
          "div",
          {},
          "Proposed correction: ",
          quoted((each.correction.changes ?? []).join("; ")),
          el("pre", {}, quoted(each.correction.diff ?? "", 6_000)),
        )
      : null,
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

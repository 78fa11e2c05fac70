"""The prompts of this server. Their texts are the files in `prompt_texts`."""

from functools import partial
from pathlib import Path

from assay.entrypoints.mcp.prompt_base import Prompt, PromptArgument

TEXTS = Path(__file__).with_name("prompt_texts")
LONGEST_LIST = 20_000  # characters of a bibliography
EFFORTS = {  # of comprehensive-research
    "quick": {"questions": "3", "steps": "5", "sources": "5", "session_depth": "quick"},
    "standard": {"questions": "5", "steps": "7", "sources": "10", "session_depth": "standard"},
    "deep": {"questions": "8", "steps": "10", "sources": "20", "session_depth": "thorough"},
}
TOKENS = ", include_design_tokens=true"
USE_CASES = {
    "full_guidelines": TOKENS,
    "landing_page": "",
    "email": "",
    "social_post": "",
    "video_brief": "",
    "design_tokens": TOKENS,
}
FOCUSES = ("overview", "diagnosis", "genetics", "natural_history", "treatment", "trials")

LENS = PromptArgument("lens", "Set of trusted sites that web searches are limited to.", kind="lens")
PROVIDER = PromptArgument("provider", "Provider for web searches.", kind="provider")


def _read_text(name: str) -> str:
    return TEXTS.joinpath(f"{name}.md").read_text(encoding="utf-8")


def _build(
    name: str, title: str, description: str, *arguments: PromptArgument, **more: dict[str, dict[str, str]]
) -> Prompt:
    return Prompt(name, title, description, arguments, partial(_read_text, name), more)


def _depth(*choices: str) -> PromptArgument:
    return PromptArgument("depth", "How thorough.", kind="choice", choices=choices)


# Sorted by name. The text of a prompt is read when it is first needed.
PROMPTS: tuple[Prompt, ...] = (
    _build(
        "bibliography-audit",
        "Bibliography audit",
        "Check the references of a list or document: existence, fields, retractions, links.",
        PromptArgument("bibliography", "Reference list, or URL of the document.", True, max_chars=LONGEST_LIST),
        PromptArgument("style", "Style of the corrected list, such as apa or chicago.", max_chars=100),
    ),
    _build(
        "brand-guidelines",
        "Brand guidelines",
        "Research a company's brand and write guidance for one use, only with values found in its own sources.",
        PromptArgument("company", "Name or domain of the company, such as example.com.", True, max_chars=200),
        PromptArgument("use_case", "What the guidance is for.", kind="choice", choices=tuple(USE_CASES)),
        _depth("standard", "quick", "full"),
        use_case={name: {"tokens_option": option} for name, option in USE_CASES.items()},
    ),
    _build(
        "company-recon",
        "Company records",
        "Collect public records about a company: identity, filings, disputes, patents, news, each with its source.",
        PromptArgument("target", "Name or domain of the company.", True, max_chars=200),
        _depth("standard", "quick", "deep"),
        PromptArgument("focus", "What matters most, such as ownership or litigation."),
    ),
    _build(
        "competitive-analysis",
        "Competitive analysis",
        "Compare a company with its competitors from filings, patents, news and independent reviews.",
        PromptArgument("company", "Name or domain of the company.", True, max_chars=200),
        PromptArgument("market", "Market, product or region to keep to."),
    ),
    _build(
        "comprehensive-research",
        "Comprehensive research",
        "Research a topic from several sides, with verified citations, counter-evidence and open questions.",
        PromptArgument("topic", "What to research.", True, max_chars=500),
        _depth("standard", "quick", "deep"),
        LENS,
        PROVIDER,
        depth=EFFORTS,
    ),
    _build(
        "curriculum-research",
        "Curriculum research",
        "Find and check teaching material for a subject: syllabi, readings, primary sources and exercises.",
        PromptArgument("subject", "What is taught.", True),
        PromptArgument("scope", "For whom and how much, such as first-year students, 12 weeks."),
        PromptArgument("time_range", "How recent the material must be, such as 2018-2025.", max_chars=100),
    ),
    _build(
        "fact-check",
        "Fact check",
        "Collect the evidence for and against a claim, from its origin to independent sources.",
        PromptArgument("claim", "Statement to check.", True, max_chars=2_000),
        PromptArgument("context", "Where it was said, by whom, when; or what it is about.", max_chars=2_000),
        PROVIDER,
    ),
    _build(
        "literature-review",
        "Literature review",
        "Review what has been published on a topic: search, citations, reading, verification of every work cited.",
        PromptArgument("topic", "Topic or question of the review.", True, max_chars=500),
        PromptArgument("year_from", "First year of publication, such as 2015.", kind="year"),
        PromptArgument("year_to", "Last year of publication, such as 2024.", kind="year"),
    ),
    _build(
        "rare-disease-research",
        "Rare disease research",
        "Collect published evidence on a rare disease: literature, trials, registers, and its strength.",
        PromptArgument("topic", "Disease, gene or question.", True, max_chars=500),
        PromptArgument("focus", "What matters most.", kind="choice", choices=FOCUSES),
    ),
)

"""The tokens that requests to a model take, and their price."""

import math
from dataclasses import dataclass

from assay.errors import ConfigError
from assay.settings import Settings
from assay.state.budget import MILLION
from assay.state.ports import Completion


def estimate_tokens(*texts: str) -> int:
    """Estimate the number of tokens; errs on the high side."""
    return sum(-(-len(text.encode()) // 3) if not text.isascii() else -(-len(text) // 4) for text in texts)


@dataclass
class TokenUsage:
    """Token usage as the model reports it, and the cost in micro-dollars if reported."""

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    cost: int | None = None

    def add(self, completion: Completion) -> None:
        self.input_tokens += completion.input_tokens
        self.output_tokens += completion.output_tokens
        self.calls += 1
        if completion.cost is not None:
            self.cost = (self.cost or 0) + completion.cost


def price_tokens(inputs: int, outputs: int, settings: Settings) -> int:
    """Return the price of the tokens in micro-dollars. Raises ConfigError if a budget is set without a token price."""
    known = settings.llm_input_price is not None and settings.llm_output_price is not None
    if not known and (settings.max_call_cost is not None or settings.daily_budget is not None):
        raise ConfigError(
            "A budget is set, but the price of the model is not: set LLM_INPUT_USD_PER_MILLION "
            "and LLM_OUTPUT_USD_PER_MILLION (0 for a self-hosted model).",
            field="LLM_INPUT_USD_PER_MILLION",
            action="inform_user",
        )
    return math.ceil((inputs * (settings.llm_input_price or 0) + outputs * (settings.llm_output_price or 0)) / MILLION)


def compute_cost(usage: TokenUsage, settings: Settings, unanswered_tokens: int = 0) -> int | None:
    """Return the cost as the provider reports it, else computed from the token prices; None if neither is known."""
    if usage.cost is not None:
        return usage.cost
    if settings.llm_input_price is None or settings.llm_output_price is None:
        return None
    return price_tokens(usage.input_tokens + unanswered_tokens, usage.output_tokens, settings)


def round_price(amount: int) -> int:
    """Round up to two significant digits: the ledger groups its records by price."""
    step: int = 10 ** max(0, len(str(amount)) - 2)
    return -(-amount // step) * step

"""The matching of rules, from the extension module where that is built."""

try:
    from assay.html.css._rule_matching import (
        BudgetFields,
        RuleFields,
        RuleIndexFields,
        StepFields,
        match_rules,
        match_steps,
    )
except ImportError:
    from assay.html.css.rule_matching import (
        BudgetFields,
        RuleFields,
        RuleIndexFields,
        StepFields,
        match_rules,
        match_steps,
    )

__all__ = ("BudgetFields", "RuleFields", "RuleIndexFields", "StepFields", "match_rules", "match_steps")

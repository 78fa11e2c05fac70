from assay.html.css.rule_matching import BudgetFields as BudgetFields
from assay.html.css.rule_matching import RuleFields as RuleFields
from assay.html.css.rule_matching import RuleIndexFields as RuleIndexFields
from assay.html.css.rule_matching import StepFields as StepFields
from assay.html.css.rule_matching import match_rules as match_rules
from assay.html.css.rule_matching import match_steps as match_steps

"""The loops over the text of a style sheet, from the extension module where that is built."""

try:
    from assay.html.css._rule_scan import cut_rules, find_concerned, group_by_declared
except ImportError:
    from assay.html.css.rule_scan import cut_rules, find_concerned, group_by_declared

__all__ = ("cut_rules", "find_concerned", "group_by_declared")

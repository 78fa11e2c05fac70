from assay.html.css.rule_scan import cut_rules as cut_rules
from assay.html.css.rule_scan import find_concerned as find_concerned
from assay.html.css.rule_scan import find_declared as find_declared
from assay.html.css.rule_scan import group_by_declared as group_by_declared

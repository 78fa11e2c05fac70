"""Settings: each is declared once, read from one variable, and refused in words that name the variable."""

import pytest

from assay.errors import ConfigError
from assay.settings import Settings
from assay.settings.declaration import list_settings


def test_every_setting_has_a_description_and_its_own_variable():
    variables = [one.metadata["variable"] for one in list_settings(Settings)]
    assert len(variables) == len(set(variables)) > 40
    assert [one.name for one in list_settings(Settings) if not one.metadata["description"].strip()] == []


def test_an_unset_or_empty_variable_means_the_default():
    empty = {
        one.metadata["variable"]: "" for one in list_settings(Settings) if one.metadata["variable"] != "ASSAY_HOME"
    }
    unset, blank = Settings.read({"ASSAY_HOME": "/x"}), Settings.read(empty | {"ASSAY_HOME": "/x"})
    assert [one.name for one in list_settings(Settings) if getattr(unset, one.name) != getattr(blank, one.name)] == []


@pytest.mark.parametrize(
    ("variable", "value", "way_out"),
    [
        ("CRAWL_PER_HOST", "0", "from 1 up"),
        ("SEARCH_HEDGE_MS", "soon", "whole number"),
        ("CHROME_SANDBOX", "perhaps", "true or false"),
        ("SESSION_TTL", "long", "such as 4h"),
        ("ASSAY_DAILY_BUDGET_USD", "-1", "such as 0.50"),
        ("SEARCH_ROUTING", '{"web": 1}', "such as"),
        ("WATCH_SESSIONS", "all", "links or archive"),
        ("LOG_LEVEL", "loud", "WARNING"),
    ],
)
def test_a_wrong_value_is_refused_with_its_variable_and_the_way_out(variable, value, way_out):
    with pytest.raises(ConfigError, match=variable) as refused:
        Settings.read({variable: value})
    assert way_out in str(refused.value)
    assert refused.value.field == variable


def test_warn_is_another_name_of_the_level_warning():
    assert Settings.read({"LOG_LEVEL": "warn"}).log_level == "WARNING"


def test_a_shared_deployment_limits_calls_unless_told_otherwise():
    shared = Settings.read({"ASSAY_TABLE": "t"})
    assert (shared.rate_limit_per_tenant, shared.daily_quota_per_tenant) == (120, 5000)
    assert Settings.read({"ASSAY_TABLE": "t", "RATE_LIMIT_PER_TENANT": "0"}).rate_limit_per_tenant == 0


def test_secrets_stay_out_of_the_representation():
    assert "hunter2" not in repr(Settings.read({"ASSAY_API_KEYS": "hunter2", "BRAVE_API_KEY": "hunter2"}))

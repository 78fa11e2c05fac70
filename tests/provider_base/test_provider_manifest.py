"""The metadata of providers is read from a generated file, which agrees with their classes."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.upstream import Upstream

from assay.errors import ConfigError
from assay.provider_base.provider_lookup import find_provider, list_provider_names
from assay.provider_base.provider_manifest import (
    ProviderInfo,
    build_manifest,
    describe_provider,
    describe_providers,
    load_manifest,
)
from assay.settings import Settings

MANIFEST = Path(__file__).parents[2] / "shared/assay/providers/manifest.json"
PROGRAM = (
    "import sys; from assay.entrypoints.cli.main import main; code = main(sys.argv[1:]); "
    "import json; print(json.dumps([name for name in sys.modules if name.startswith('assay.providers.')]), file=sys.stderr); sys.exit(code)"
)


def test_the_manifest_is_what_the_classes_say():
    assert MANIFEST.read_text() == build_manifest()


@pytest.mark.parametrize("name", list_provider_names())
def test_every_provider_is_read_back_as_it_was_written(name):
    written = ProviderInfo.from_class(find_provider(name))
    assert load_manifest()[name] == written
    assert describe_provider(name) == written


@pytest.mark.parametrize("name", list_provider_names())
def test_what_is_configured_does_not_depend_on_the_import(name):
    kind, info = find_provider(name), describe_provider(name)
    variables = {variable for names in kind.requirements() for variable in names}
    for environ in (
        {},
        *({variable: "a@b.example"} for variable in variables),
        dict.fromkeys(variables, "a@b.example"),
        dict.fromkeys(variables, "x"),
    ):
        settings = Settings(environ=environ)
        assert info.is_configured(settings) == kind.is_configured(settings)
        assert info.required_setting(settings) == kind.required_setting(settings)


def test_an_unknown_provider_is_refused_with_those_there_are():
    with pytest.raises(ConfigError, match="no provider called 'nope'") as refused:
        describe_provider("nope")
    assert refused.value.alternatives == list_provider_names()


def test_providers_are_selected_by_operation():
    assert [info.name for info in describe_providers("trials")] == ["clinicaltrials"]
    assert [info.name for info in describe_providers()] == list(list_provider_names())


async def test_a_cold_search_imports_one_provider(tmp_path):
    upstream = await Upstream().start()
    try:
        upstream.says({"type": "search", "web": {"results": [{"title": "Otters", "url": "https://o.example/"}]}})
        keys = {"BRAVE_API_KEY": "k", "BRAVE_BASE_URL": upstream.url, "ASSAY_HOME": str(tmp_path), "PATH": ""}
        command = [sys.executable, "-c", PROGRAM, "call", "web_search", "query=otters"]
        environ = {"PYTHONPATH": ":".join(sys.path), **keys}
        done = await asyncio.to_thread(subprocess.run, command, env=environ, capture_output=True, text=True)
    finally:
        await upstream.close()
    assert done.returncode == 0, done.stderr
    assert "https://o.example/" in done.stdout
    imported = {name.split(".")[2] for name in json.loads(done.stderr.splitlines()[-1])}
    assert imported == {"brave"}

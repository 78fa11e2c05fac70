"""`assay audit FILE`: a report on the terminal or in a file, and clear errors about files."""

import json
import os

import pytest
from tests.support.forked_commands import run_command

MANUSCRIPT = """# Otters

Otters hold hands [1], and nobody knows why [4].

# References

[1] Brook A. Otters and their stones. River Letters. 2021.
"""


@pytest.fixture
def run(environ):
    def run(*arguments, **more):
        return run_command("audit", *arguments, env=os.environ | environ, text=True, **more)

    return run


@pytest.fixture
def manuscript(tmp_path):
    path = tmp_path / "otters.md"
    path.write_text(MANUSCRIPT)
    return str(path)


def test_a_file_becomes_a_report_in_markdown(run, manuscript):
    done = run(manuscript)
    assert done.returncode == 0, done.stderr
    assert "Otters and their stones" in done.stdout


def test_the_report_is_saved_where_the_caller_says(run, manuscript, tmp_path):
    done = run(manuscript, "--format", "html", "--output", str(tmp_path / "report.html"))
    assert (done.returncode, done.stdout) == (0, "")
    assert "<html" in (tmp_path / "report.html").read_text()


def test_a_report_that_cannot_be_saved_is_an_error_that_says_how_to_get_it(run, manuscript, tmp_path):
    done = run(manuscript, "--output", str(tmp_path / "missing" / "report.md"))
    assert (done.returncode, done.stdout) == (2, "")
    [*_, last] = done.stderr.splitlines()
    said = json.loads(last)["error"]
    assert said["field"] == "output"
    assert "assay audit --resume" in said["message"]


def test_a_manuscript_from_standard_input_has_all_references_as_json(run, site):
    link = site.says("/otters", "<title>Otters</title><p>Otters hold hands.</p>")
    listed = "".join(f"[{n}] Stones of otter {n}. {link}\n" for n in range(1, 206))
    text = f"Otters [1-205].\n\n# References\n\n{listed}"
    done = run("-", "--format", "json", "--claims", "0", "--quotations", "0", given=text)
    answer = json.loads(done.stdout)
    assert answer["status"] == "completed"
    assert [each["index"] for each in answer["references"]] == list(range(1, 206))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [((), "Give a file or URL"), (("missing.docx",), "No such file"), (("--resume", "x"), "No such audit"),
     (("-", "--bibliography", "missing.bib"), "No such file"), (("-",), "The manuscript is empty.")],
)  # fmt: skip
def test_a_wrong_argument_is_one_line_on_standard_error(run, arguments, said):
    done = run(*arguments, given="")
    assert (done.returncode, done.stdout) == (1 if "--resume" in arguments else 2, "")
    assert said in json.loads(done.stderr)["error"]["message"]

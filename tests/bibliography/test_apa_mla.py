"""APA and MLA of works that have more, or less, than a page of the web."""

from datetime import date

import pytest

from assay.bibliography.apa_mla import apa, mla
from assay.bibliography.person_names import Name
from assay.bibliography.work import CitedWork

SEEN = date(2026, 1, 31)
ADA, JEAN = Name("Brook", "Ada M."), Name("van der Berg", "Jean-Paul", "Jr.")


def article(**more):
    said = {"title": "On otters", "authors": (ADA, JEAN), "date": "2025-03-04", "container": "River Studies"}
    return CitedWork("article-journal", **{**said, "doi": "10.1000/x", **more})


@pytest.mark.parametrize(
    ("work", "line"),
    [
        (article(), "Brook, A. M., & van der Berg, J.-P., Jr. (2025). On otters. River Studies. https://doi.org/10.1000/x"),
        (
            article(volume="3", issue="2", pages="1-10"),
            "Brook, A. M., & van der Berg, J.-P., Jr. (2025). On otters. River Studies, 3(2), 1–10. https://doi.org/10.1000/x",
        ),
        (article(authors=()), "On otters. (2025). River Studies. https://doi.org/10.1000/x"),
        (article(date="", container=""), "Brook, A. M., & van der Berg, J.-P., Jr. (n.d.). On otters. https://doi.org/10.1000/x"),
        (article(title="Do otters sing?", authors=(Name("Otter Society"),)),
         "Otter Society. (2025). Do otters sing? River Studies. https://doi.org/10.1000/x"),
        (CitedWork(doi="10.1000/x"), "[Untitled]. (n.d.). https://doi.org/10.1000/x"),
        (article(doi="", volume="3", url="https://a.example/"),
         "Brook, A. M., & van der Berg, J.-P., Jr. (2025). On otters. River Studies, 3. https://a.example/"),
        (
            CitedWork("webpage", "On otters", (ADA,), "2025-03", "", url="https://www.river.example/a"),
            "Brook, A. M. (2025, March). On otters. river.example. Retrieved 2026-01-31, from https://www.river.example/a",
        ),
    ],
)  # fmt: skip
def test_apa(work, line):
    assert apa(work, SEEN) == line


@pytest.mark.parametrize(
    ("work", "line"),
    [
        (
            article(),
            'Brook, Ada M., and Jean-Paul van der Berg Jr. "On otters." River Studies, 4 Mar. 2025, https://doi.org/10.1000/x.',
        ),
        (
            article(authors=(ADA,), volume="3", issue="2", pages="1-10"),
            'Brook, Ada M. "On otters." River Studies, vol. 3, no. 2, 4 Mar. 2025, pp. 1-10, https://doi.org/10.1000/x.',
        ),
        (article(authors=(ADA, JEAN, ADA), pages="7", date="2025"),
         'Brook, Ada M., et al. "On otters." River Studies, 2025, p. 7, https://doi.org/10.1000/x.'),
        (article(authors=(), title='The "otter" case', date=""),
         "\"The 'otter' case.\" River Studies, https://doi.org/10.1000/x."),
        (
            CitedWork("webpage", "On otters", (ADA,), "", "River News", url="https://river.example/a"),
            'Brook, Ada M. "On otters." River News, https://river.example/a. Accessed 2026-01-31.',
        ),
    ],
)  # fmt: skip
def test_mla(work, line):
    assert mla(work, SEEN) == line


def test_of_more_than_twenty_authors_apa_names_nineteen_and_the_last():
    crowd = tuple(Name(f"Family{chr(65 + number)}", "Ada") for number in range(22))
    line = apa(article(authors=crowd), SEEN)
    assert "FamilyS, A., … FamilyV, A. (2025)." in line
    assert "FamilyT" not in line

"""Writes citations.json: invented works, the world that knows them, and citations of them with what is true of each.

uv run python tests/verification/gold/make_citations.py
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SUBJECTS = {
    "en": ["otters", "peat bogs", "tidal turbines", "hospital nurses", "copper alloys", "street lighting", "honey bees",
           "glacial lakes", "school dinners", "railway sleepers", "barley rust", "harbour porpoises", "knitted bandages",
           "lichen dyes", "urban foxes", "solar kilns", "chalk aquifers", "night trains", "clay tablets", "oyster reefs"],
    "de": ["Moorwiesen", "Fachwerkhäuser", "Grubenwasser", "Streuobst"],
    "fr": ["vergers de montagne", "canaux d'irrigation", "fours solaires", "tourbières"],
    "es": ["olivares de secano", "salinas costeras", "molinos de viento", "dehesas"],
}  # fmt: skip
SHAPES = {
    "en": ["Seasonal movement of {0} along the {1} coast: a ten-year survey", "Mechanical fatigue in {0} under winter loads at {1}",
           "How {0} changed after the flood of {1}", "A randomised trial of shade and moisture for {0} near {1}",
           "The hidden cost of neglecting {0} in {1}", "Mapping {0} from the air: methods tested at {1}",
           "Economic value of {0} for the villages around {1}", "Acoustic monitoring of {0} beneath the {1} viaduct"],
    "de": ["Die Entwicklung der {0} im Umland von {1}", "Untersuchungen über {0} und ihre Bedeutung für {1}"],
    "fr": ["Évolution récente des {0} dans la région de {1}", "Une étude comparée des {0} autour de {1}"],
    "es": ["Evolución reciente de los {0} en la comarca de {1}", "Un estudio comparado de los {0} cerca de {1}"],
}  # fmt: skip
PLACES = ["Brackmoor", "Teviston", "Halvern", "Ostrand", "Merwik", "Quellin", "Sarlac", "Montreuze", "Almenar", "Burela",
          "Kergat", "Tarvale", "Lindby", "Harrow Edge", "Corvane", "Dunmere"]  # fmt: skip
FAMILIES = ["Brookfield", "Weirholt", "Achterberg", "Lindqvist", "Moreau-Tissot", "Okonkwo", "Vasterling", "Peñalver",
            "Thornbury", "Zielonka", "Hargreaves", "Quist", "Rautavaara", "Delacourt", "Ebersbach", "Nakamori"]  # fmt: skip
GIVEN = ["Ada", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ingrid", "Jonas", "Keiko", "Liam"]
STRANGERS = ["Abernathy", "Blackwood", "Crowhurst", "Dragomir", "Eastlake", "Fitzalan", "Goldwater", "Huntingdon"]
JOURNALS = ["River Letters", "Annals of Slow Science", "Journal of Applied Moorland", "Northern Materials Review",
            "Acta Hydrologica Borealis", "Bulletin of Quiet Studies"]  # fmt: skip
SWAPS = {"survey": "experiment", "winter": "summer", "flood": "drought", "shade": "noise", "cost": "benefit",
         "air": "sea", "value": "hazard", "Acoustic": "Thermal", "Umland": "Archiv", "Bedeutung": "Gefahr",
         "récente": "médiévale", "comparée": "botanique", "reciente": "medieval", "comparado": "botánico"}  # fmt: skip
TRANSLATED = {"de": "Die Veränderung der untersuchten Gegenstände und ihre Folgen für die Region im Laufe der Zeit",
              "fr": "Les changements de l'objet étudié et leurs effets sur la région au cours du temps",
              "es": "Los cambios del objeto estudiado y sus efectos en la región a lo largo del tiempo"}  # fmt: skip


class GoldSetBuilder:
    def __init__(self) -> None:
        self.rng = random.Random(20261122)
        self.works: list[dict[str, Any]] = []
        self.cases: list[dict[str, Any]] = []
        self.sites: dict[str, Any] = {}
        self.down: list[str] = []

    def work(self, language: str = "en", *, agency: str = "crossref", notice: str | None = None) -> dict[str, Any]:
        number = len(self.works)
        while True:
            shape, subject = self.rng.choice(SHAPES[language]), self.rng.choice(SUBJECTS[language])
            title = shape.format(subject, self.rng.choice(PLACES))
            if all(title != each["title"] for each in self.works):
                break
        names = self.rng.sample(FAMILIES, self.rng.choice([1, 2, 3]))
        prefix = "10.71234" if agency == "crossref" else "10.79999"
        created = {
            "doi": f"{prefix}/gold.{number:04}",
            "title": title,
            "language": language,
            "authors": [[self.rng.choice(GIVEN), name] for name in names],
            "journal": self.rng.choice(JOURNALS),
            "year": self.rng.randint(1994, 2024),
            "agency": agency,
            "notice": notice,
        }
        self.works.append(created)
        return created

    def case(self, kind: str, citation: str, **entry: Any) -> None:
        self.cases.append({"kind": kind, "citation": citation, "entry": entry})

    def format_citation(self, work: dict[str, Any], style: int, **changed: Any) -> str:
        w = work | changed
        family = [f"{name}, {arguments[0]}." for arguments, name in w["authors"]]
        short = [f"{name} {arguments[0]}" for arguments, name in w["authors"]]
        volume, page = self.rng.randint(2, 90), self.rng.randint(1, 400)
        if style == 0:
            return f"{', '.join(family)} ({w['year']}). {w['title']}. {w['journal']}, {volume}, {page}-{page + 9}."
        if style == 1:
            return f"{', '.join(short)}. {w['title']}. {w['journal']}. {w['year']};{volume}:{page}-{page + 9}."
        if style == 2:
            arguments, name = w["authors"][0]
            return (
                f"{name}, {arguments}. “{w['title']}.” {w['journal']} {volume}, no. 2 ({w['year']}): {page}–{page + 9}."
            )
        return f"{' and '.join(short)}, {w['title']}, {w['journal']} {volume} ({w['year']}) {page}"

    def parts(self, work: dict[str, Any], **changed: Any) -> dict[str, str]:
        w = work | changed
        return {
            "title": w["title"],
            "author": "; ".join(f"{arguments} {name}" for arguments, name in w["authors"]),
            "date": str(w["year"]),
            "site": w["journal"],
        }

    def strangers(self) -> list[list[str]]:
        return [[self.rng.choice(GIVEN), name] for name in self.rng.sample(STRANGERS, 2)]

    def languages(self, count: int) -> list[str]:
        return [["en", "en", "en", "de", "fr", "es"][at % 6] for at in range(count)]

    def make(self) -> None:
        self.real()
        self.add_noticed()
        self.add_fabricated()
        self.mistaken()
        self.links()
        self.outages()

    def real(self) -> None:
        for language in self.languages(30):
            work = self.work(language)
            self.case("real_doi", work["doi"], doi=work["doi"])
        for at, language in enumerate(self.languages(36)):
            work = self.work(language)
            self.case("real_doi_title", f"{self.format_citation(work, at % 4)} https://doi.org/{work['doi']}",
                      doi=work["doi"], **self.parts(work))  # fmt: skip
        for at in range(30):
            work = self.work("en")
            title = self.variant(work["title"], at)
            self.case(
                "real_doi_variant", f"{title}. doi:{work['doi']}", doi=work["doi"], **self.parts(work, title=title)
            )
        for language in self.languages(36):
            work = self.work(language)
            self.case("real_reference", self.format_citation(work, len(self.cases) % 4), **self.parts(work))
        for language in self.languages(12):
            work = self.work(language)
            self.case("real_title", work["title"], title=work["title"])
        for language in self.languages(15):
            work = self.work(language, agency="datacite")
            self.case("real_elsewhere", work["doi"], doi=work["doi"])

    def variant(self, title: str, at: int) -> str:
        """The same title as people write it: shortened, with a slip, in capitals, translated."""
        words = title.split()
        long = max(range(len(words)), key=lambda place: len(words[place]))
        return [
            title.partition(":")[0],
            title.upper(),
            " ".join(word[:-2] + word[-1] + word[-2] if place == long else word for place, word in enumerate(words)),
            title.replace("randomised", "randomized").replace(" of ", " in "),
            f"{title}: further remarks",
            TRANSLATED[["de", "fr", "es"][at // 6 % 3]],
        ][at % 6]

    def add_noticed(self) -> None:
        for kind, count in (("retraction", 20), ("correction", 10), ("expression_of_concern", 10)):
            for at in range(count):
                work = self.work(notice=kind)
                by_doi = at % 2 == 0
                citation = work["doi"] if by_doi else self.format_citation(work, at % 4)
                entry = {"doi": work["doi"]} if by_doi else self.parts(work)
                self.case("retracted" if kind == "retraction" else "corrected", citation, **entry)

    def add_fabricated(self) -> None:
        for at in range(40):
            doi = f"10.71234/{['invented', 'j.fake.2021', 's41586-099', 'nature'][at % 4]}.{9000 + at}"
            invent_work = self.invent_work()
            citation = doi if at % 2 else f"{self.format_citation(invent_work, at % 4)} doi:{doi}"
            self.case("fabricated_doi", citation, doi=doi, **({} if at % 2 else self.parts(invent_work)))
        for at in range(30):
            invent_work = self.invent_work()
            self.case("fabricated_reference", self.format_citation(invent_work, at % 4), **self.parts(invent_work))

    def invent_work(self) -> dict[str, Any]:
        """A work that nobody knows, of words that real ones share."""
        created = self.work(self.rng.choice(["en", "en", "de", "fr"]))
        self.works.pop()
        known = {each["title"] for each in self.works}
        subject = self.rng.choice(
            ["steam ploughs", "marsh orchids", "paper mills", "ferry timetables", "slate quarries"]
        )
        shapes = ["Long-term consequences of {0} for {1} households", "Deep learning predicts {0} across {1}",
                  "Why {0} failed in {1}: lessons from the archives"]  # fmt: skip
        created["title"] = self.rng.choice(shapes).format(subject, self.rng.choice(PLACES))
        created["authors"] = self.strangers()
        assert created["title"] not in known
        return created

    def mistaken(self) -> None:
        for at in range(24):
            work = self.work(self.languages(24)[at])
            word = next((word for word in SWAPS if word in work["title"]), None)
            if at % 2 and word:
                title = work["title"].replace(word, SWAPS[word])
                self.case(
                    "near_miss_title", self.format_citation(work, at % 4, title=title), **self.parts(work, title=title)
                )
            else:
                others = self.strangers()
                self.case(
                    "stolen_title",
                    self.format_citation(work, at % 4, authors=others),
                    **self.parts(work, authors=others),
                )
        for at in range(30):
            work, other = self.work(), self.invent_work()
            citation = f"{self.format_citation(other, at % 4)} https://doi.org/{work['doi']}"
            self.case("wrong_title_doi", citation, doi=work["doi"], **self.parts(other))

    def links(self) -> None:
        kinds = [
            *[("live", status, "") for status in [200] * 24],
            *[("dead", status, "") for status in [404] * 12 + [410] * 6 + [400] * 2],
            *[("no_host", 0, "") for _ in range(6)],
            *[("blocked", status, "") for status in [403] * 8 + [429] * 4 + [503] * 4 + [401] * 2],
            *[("to_root", 301, "/") for _ in range(10)],
            *[("to_lost", 302, "/404.html") for _ in range(4)],
            *[("moved", 308, "/archive/new-place") for _ in range(6)],
            *[("trouble", status, "") for status in [500] * 4 + [502] * 3 + [504] * 3],
        ]
        for at, (kind, status, target) in enumerate(kinds):
            host, path = f"site{at}.{kind.replace('_', '-')}.example", f"/reports/{at}"
            if kind != "no_host":
                self.sites[host] = {"path": path, "status": status, "target": target}
            self.case(f"link_{kind}", f"http://{host}{path}", url=f"http://{host}{path}")

    def outages(self) -> None:
        for at in range(12):
            work = self.work(agency="crossref" if at % 2 else "datacite")
            self.down.append(work["doi"])
            self.case("outage", work["doi"], doi=work["doi"])


def main() -> None:
    maker = GoldSetBuilder()
    maker.make()
    created = {"works": maker.works, "down": maker.down, "sites": maker.sites, "cases": maker.cases}
    lines = [f'"{name}": [\n{_rows(rows)}\n]' if isinstance(rows, list) else f'"{name}": {_row(rows)}'
             for name, rows in created.items()]  # fmt: skip
    (HERE / "citations.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    sys.stdout.write(f"{len(maker.works)} works, {len(maker.cases)} citations\n")


def _rows(rows: list[Any]) -> str:
    return ",\n".join(map(_row, rows))


def _row(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False)


if __name__ == "__main__":
    main()

"""An ordinary answer of each register: statistics, clinical studies, court opinions."""

from tests.providers.contract_case import offer

from assay.models.public_records import CaseQuery, CatalogueQuery, ObservationQuery, SeriesQuery, TrialQuery

CONTENTS = (
    "title\tcode\ttype\tlast update of data\tdata start\tdata end\nCats\tcat_a\tdataset\t01.10.2026\t2003\t2025\n"
)
SAMPLES = {
    ("fred", "series"): {"seriess": [{"id": "CATS", "title": "Cats", "units": "Heads", "popularity": 5}]},
    ("fred", "observations"): {"observations": [{"date": "2026-01-01", "value": "1.50"}]},
    ("worldbank", "catalogue"): [{"page": 1, "pages": 1, "total": 1}, [{"id": "CAT.S", "name": "Cats"}]],
    ("worldbank", "observations"): [{"page": 1, "total": 1}, [{"date": "2025", "value": 1.5, "obs_status": ""}]],
    ("oecd", "catalogue"): {
        "data": {"dataflows": [{"id": "DF_CATS", "agencyID": "OECD", "version": "1.0", "name": "Cats"}]}
    },
    ("oecd", "observations"): {
        "data": {
            "dataSets": [{"series": {"0": {"attributes": [0], "observations": {"0": [1.5, 0]}}}}],
            "structures": [
                {
                    "name": "Cats",
                    "dimensions": {
                        "series": [{"id": "REF_AREA", "values": [{"id": "DEU", "name": "Germany"}]}],
                        "observation": [{"id": "TIME_PERIOD", "values": [{"id": "2025"}]}],
                    },
                    "attributes": {
                        "series": [{"id": "UNIT_MULT", "values": [{"id": "0", "name": "Units"}]}],
                        "observation": [{"id": "OBS_STATUS", "values": [{"id": "P", "name": "Provisional"}]}],
                    },
                }
            ],
        }
    },
    ("eurostat", "catalogue"): CONTENTS,
    ("eurostat", "observations"): {
        "label": "Cats",
        "id": ["geo", "time"],
        "size": [1, 1],
        "dimension": {
            "geo": {"category": {"index": {"DE": 0}, "label": {"DE": "Germany"}}},
            "time": {"category": {"index": ["2025"], "label": {"2025": "2025"}}},
        },
        "value": {"0": 1.5},
        "status": {"0": "p"},
    },
    ("clinicaltrials", "trials"): {
        "studies": [
            {
                "protocolSection": {
                    "identificationModule": {"nctId": "NCT00000001", "briefTitle": "Cats"},
                    "conditionsModule": {"conditions": ["Purring"]},
                    "armsInterventionsModule": {"interventions": [{"name": "Milk"}]},
                },
                "hasResults": False,
            }
        ]
    },
    ("courtlistener", "cases"): {
        "count": 1,
        "next": None,
        "results": [{"caseName": "Cat v. Dog", "absolute_url": "/opinion/1/cat-v-dog/", "citation": ["1 U.S. 1"]}],
    },
}
QUESTIONS = {
    "series": SeriesQuery(query="cats"),
    "catalogue": CatalogueQuery(),
    "trials": TrialQuery(query="cats"),
    "cases": CaseQuery(query="cats"),
}
IDS = {"fred": "CATS", "worldbank": "CAT.S", "oecd": "OECD,DF_CATS,1.0", "eurostat": "cat_a"}
NOTHING = {
    ("fred", "series"): {"seriess": []},
    ("fred", "observations"): {"observations": []},
    ("clinicaltrials", "trials"): {"studies": []},
    ("courtlistener", "cases"): {"count": 0, "next": None, "results": []},
}
OFFERS = [
    offer(
        name,
        QUESTIONS.get(operation) or ObservationQuery(series_id=IDS[name]),
        operation,
        sample,
        '"1.5' if operation == "observations" else "Cat",
        in_json=not isinstance(sample, str),
        **({"nothing": NOTHING[name, operation]} if (name, operation) in NOTHING else {}),
    )
    for (name, operation), sample in SAMPLES.items()
]

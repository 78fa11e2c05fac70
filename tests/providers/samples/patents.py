"""An ordinary answer of each provider that knows patents or companies' filings."""

from tests.providers.contract_case import TOKEN, offer

from assay.models.filings import Sought
from assay.models.patents import PatentQuery

DOCUMENT = """
<exchange-document system="ops.epo.org" family-id="1" country="{country}" doc-number="{number}" kind="{kind}">
 <bibliographic-data>
  <publication-reference>
   <document-id document-id-type="docdb"><country>{country}</country><doc-number>{number}</doc-number><kind>{kind}</kind>
    <date>{published}</date></document-id>
   <document-id document-id-type="epodoc"><doc-number>{country}{number}</doc-number><date>{published}</date></document-id>
  </publication-reference>
  <application-reference doc-id="7">
   <document-id document-id-type="docdb"><country>EP</country><doc-number>99203729</doc-number><kind>A</kind></document-id>
   <document-id document-id-type="epodoc"><doc-number>EP19990203729</doc-number><date>{filed}</date></document-id>
  </application-reference>
  <priority-claims><priority-claim><document-id><date>19981112</date></document-id></priority-claim></priority-claims>
  <parties>
   <applicants>
    <applicant sequence="1" data-format="epodoc"><applicant-name><name>BROOK LAB [NL]</name></applicant-name></applicant>
    <applicant sequence="1" data-format="original"><applicant-name><name>Brook Laboratories B.V.,</name></applicant-name></applicant>
   </applicants>
   <inventors>
    <inventor sequence="1" data-format="epodoc"><inventor-name><name>STREAM ADA [NL]</name></inventor-name></inventor>
   </inventors>
  </parties>
  <invention-title lang="de">Otterkamm</invention-title>
  <invention-title lang="en">{title}</invention-title>
 </bibliographic-data>
 <abstract lang="fr"><p>Un peigne.</p></abstract>
 <abstract lang="en"><p>A comb for <b>otters</b>.</p></abstract>
</exchange-document>"""


def document(
    title="Comb for otters", country="EP", number="1000000", kind="A1", published="20000517", filed="19991108"
):
    return DOCUMENT.format(**locals())


def epo(*documents):
    return (
        '<?xml version="1.0" encoding="UTF-8"?><?xml-stylesheet type="text/xsl" href="/3.2/style/exchange.xsl"?>'
        '<ops:world-patent-data xmlns="http://www.epo.org/exchange" '
        'xmlns:ops="http://ops.epo.org"><ops:biblio-search total-result-count="2"><ops:query syntax="CQL">x</ops:query>'
        '<ops:range begin="1" end="5"/><ops:search-result><exchange-documents>'
        f"{''.join(documents)}</exchange-documents></ops:search-result></ops:biblio-search></ops:world-patent-data>"
    )


LENS = {
    "total": 1,
    "results": 1,
    "data": [
        {
            "lens_id": "186-488-232-022-055",
            "jurisdiction": "US",
            "doc_number": "20130227762",
            "kind": "A1",
            "date_published": "2013-09-05",
            "biblio": {
                "invention_title": [{"text": "Loutre", "lang": "fr"}, {"text": "Comb for otters", "lang": "en"}],
                "application_reference": {"jurisdiction": "US", "doc_number": "201313", "date": "2013-04-03"},
                "parties": {
                    "applicants": [{"sequence": 1, "extracted_name": {"value": "BROOK LABORATORIES INC"}}],
                    "inventors": [{"sequence": 1, "extracted_name": {"value": "STREAM ADA"}}],
                },
            },
            "abstract": [{"text": "A comb.", "lang": "en"}],
            "legal_status": {"granted": True, "grant_date": "2016-02-09", "patent_status": "ACTIVE"},
        }
    ],
}
WRAPPER = {
    "applicationNumberText": "14412875",
    "applicationMetaData": {
        "inventionTitle": "COMB FOR OTTERS",
        "patentNumber": "10000001",
        "filingDate": "2013-04-03",
        "grantDate": "2018-06-19",
        "earliestPublicationNumber": "US20150001234A1",
        "earliestPublicationDate": "2015-01-01",
        "applicationStatusDescriptionText": "Patented Case",
        "firstApplicantName": "Brook Laboratories Inc.",
        "firstInventorName": "Ada Stream",
        "cpcClassificationBag": ["A01K  13/00", "H04L   9/32"],
    },
    "assignmentBag": [{"assigneeBag": [{"assigneeNameText": "BROOK HOLDING"}]}],
}
USPTO = {"count": 1, "patentFileWrapperDataBag": [WRAPPER], "requestIdentifier": "x"}
SEARCHAPI = {
    "search_metadata": {"id": "x"},
    "organic_results": [
        {
            "position": 1,
            "patent_id": "patent/US10165245B2/en",
            "title": "<b>Comb</b> for otters",
            "snippet": "A <b>comb</b> &amp; more",
            "filing_date": "2013-07-03",
            "grant_date": "2018-12-25",
            "publication_date": "2018-12-25",
            "inventor": "Ada Stream",
            "assignee": "Brook Laboratories, Inc.",
            "publication_number": "US10165245B2",
            "pdf": "https://patentimages.example/US10165245.pdf",
        }
    ],
}
SUBMISSIONS = {
    "cik": "320193",
    "name": "Otter Works Inc.",
    "tickers": ["OTTR"],
    "filings": {
        "recent": {
            "accessionNumber": ["0000320193-25-000079", "0000320193-25-000010"],
            "filingDate": ["2025-10-31", "2025-01-30"],
            "reportDate": ["2025-09-27", ""],
            "form": ["10-K", "8-K"],
            "items": ["", "2.02,9.01"],
            "primaryDocument": ["ow-20250927.htm", "ow-8k.htm"],
            "primaryDocDescription": ["10-K", "Results"],
        },
        "files": [],
    },
}
SAMPLES = {
    ("epo", "patents"): epo(document()),
    ("lens", "patents"): LENS,
    ("uspto", "patents"): USPTO,
    ("searchapi", "patents"): SEARCHAPI,
    ("edgar", "filings"): SUBMISSIONS,
}
NOTHING = {
    ("epo", "patents"): epo(),
    ("lens", "patents"): {"total": 0, "data": []},
    ("uspto", "patents"): {"count": 0, "patentFileWrapperDataBag": []},
    ("searchapi", "patents"): {"search_metadata": {"id": "x"}},
    ("edgar", "filings"): {"name": "Otter Works Inc.", "filings": {"recent": {"accessionNumber": []}}},
}
QUESTIONS = {"patents": PatentQuery(query="comb otters"), "filings": Sought(cik="0000320193")}


def sound(found):
    assert found.url.startswith("https://")


TELLS = {"edgar": "Otter Works", "uspto": "OTTERS"}
MORE = {
    "epo": {"requests": 2, "token": TOKEN, "in_json": False},
    "lens": {"method": "POST"},
    "edgar": {"count": 2},
}
OFFERS = [
    offer(
        name,
        QUESTIONS[operation],
        operation,
        sample,
        TELLS.get(name, "otters"),
        nothing=NOTHING[name, operation],
        sound=sound,
        **MORE.get(name, {}),
    )
    for (name, operation), sample in SAMPLES.items()
]

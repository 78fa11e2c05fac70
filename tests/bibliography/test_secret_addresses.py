"""Addresses with a user name and a password, in every format of references."""

import json

import pytest

from assay.bibliography.notation import parse_bibliography

URL = "https://ada:secret@river.example/otters"
FORMATS = {
    "bibtex": f"@misc{{otters, title={{On otters}}, url={{{URL}}}}}",
    "ris": f"TY  - ELEC\nTI  - On otters\nUR  - {URL}\nER  - \n",
    "csl-json": json.dumps([{"id": "otters", "type": "webpage", "title": "On otters", "URL": URL}]),
    "plain": f"Ada, L. (2020). On otters. River Press. {URL}",
}


@pytest.mark.parametrize("name", FORMATS)
def test_no_reference_keeps_a_password(name):
    [work] = parse_bibliography(FORMATS[name]).entries
    assert work.url == "https://river.example/otters"
    assert "secret" not in work.printed


def test_no_remark_on_an_address_keeps_a_password():
    [work] = parse_bibliography("@misc{k, title={On otters}, url={gopher://ada:secret@river.example/otters}}").entries
    assert work.unread == ("This is not a web address: gopher://river.example/otters",)

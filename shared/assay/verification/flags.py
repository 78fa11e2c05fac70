"""What in the evidence on a reference deserves a look, with its reason: a flag points, it does not judge."""

from typing import Literal

from assay.text.homoglyphs import describe_homoglyphs
from assay.verification.bibliography_audit import EntryEvidence

type Flag = Literal["retracted", "dead_link", "not_found", "mischaracterized", "title_mismatch", "unchecked"]


def find_flags(each: EntryEvidence) -> list[tuple[Flag, str]]:
    """Flags with reasons; none means that checks were made and nothing was found, not that all is well."""
    found: list[tuple[Flag, str]] = []
    if each.integrity.check == "retracted":
        found.append(("retracted", _retraction(each)))
    if each.link and each.link.is_dead:
        copy = " An archived copy is given." if each.archived else ""
        found.append(("dead_link", each.link.describe() + copy))
    if each.claim and each.claim.support == "not_addressed":
        found.append(("mischaracterized", "The source was read and does not address the claim."))
    if each.title_match == "mismatch" and each.record and each.record.paper:
        found.append(("title_mismatch", f"The DOI is of another title: {each.record.paper.title!r}."))
    if each.entry.name and each.exists is False:
        found.append(("not_found", _absent(each)))
    elif each.exists is None and not (each.link and each.link.is_dead):
        found.append(("unchecked", _unknown(each)))
    return found


def _retraction(each: EntryEvidence) -> str:
    status = each.integrity.status
    if status is None:
        return "The work is retracted."
    told = [f" on {status.date}" if status.date else "", f" (notice {status.notice_doi})" if status.notice_doi else ""]
    return f"Crossref records the retraction of the work{''.join(told)}."


def _absent(each: EntryEvidence) -> str:
    asked = ", ".join(each.record.searched) if each.record else "the registries"
    told = f"Nobody has registered the DOI {each.entry.name}; asked: {asked}. A misprint or a fabrication looks alike."
    return " ".join(filter(None, (told, describe_homoglyphs(each.entry.name))))


def _unknown(each: EntryEvidence) -> str:
    """Why nothing shows that the reference exists: absence of evidence, which many good sources share."""
    why = [f"{note.rstrip('.')}." for note in each.entry.notes]
    if each.entry.name:
        why.append("The registries of DOIs did not answer.")
    if each.link and not each.link.is_dead:
        why.append(each.link.describe())
    elif each.entry.url and each.link is None:
        why.append("No time was left to check the link.")
    why += _title_reason(each)
    if not why:
        why.append("It has no DOI, no link and no title to look for.")
    return " ".join(why)


def _title_reason(each: EntryEvidence) -> list[str]:
    if not each.entry.title or each.entry.name:
        return []
    if each.matches is None:
        return ["No time was left to look for the title."]
    if not each.matches.answered:
        return ["The indexes of works did not answer."]
    best = each.matches.best
    if best and best.confidence == "medium":
        return [f"Only a similar work was found: {best.paper.title!r}. {best.reason}"]
    return [f"No such title in {', '.join(each.matches.searched)}, which lack many books, reports and pages."]

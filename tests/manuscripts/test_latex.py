"""LaTeX manuscripts: citation commands, bibliographies within and beside them, and archives of projects."""

import gzip
import io
import tarfile

import pytest

from assay.errors import InvalidInput
from assay.manuscripts.manuscript_reader import read_manuscript

BIB = "@article{smith, author={Smith, J. and Doe, A. and Lee, K.}, title={Otters}, year=2020}\n@book{doe, author={Doe, Ann}, title={Kelp}, year=2019}"


@pytest.mark.parametrize(
    ("command", "marker", "references"),
    [
        (r"\cite{smith}", "[Smith et al., 2020]", (1,)),
        (r"\citep[see][p.~3]{smith,doe}", "[Smith et al., 2020; Doe, 2019, p. 3]", (1, 2)),
        (r"\citet*{doe}", "Doe (2019)", (2,)),
        (r"\parencite[3]{doe}", "[Doe, 2019, 3]", (2,)),
        (r"\textcite{smith}", "Smith et al. (2020)", (1,)),
        (r"\autocite{doe}", "[Doe, 2019]", (2,)),
        (r"\footcite{doe}", "[Doe, 2019]", (2,)),
        (r"\citeauthor{doe}", "Doe (2019)", (2,)),
        (r"\parencites{smith}[4]{doe}", "[Smith et al., 2020; Doe, 2019]", (1, 2)),
        (r"\parencites(see)()[12]{smith}[13]{doe}", "[Smith et al., 2020; Doe, 2019, 12]", (1, 2)),
        ("\\citep[see, for\n a review,][]{doe}", "[Doe, 2019]", (2,)),
        (r"\mycite{doe}", "[Doe, 2019]", (2,)),
    ],
)
async def test_every_citation_command_cites(command: str, marker: str, references: tuple[int, ...]) -> None:
    text = (
        rf"\newcommand{{\mycite}}[1]{{~\cite{{#1}}}}\begin{{document}}Otters eat {command}. They rest.\end{{document}}"
    )

    manuscript = await read_manuscript(text, bibliography=BIB)

    assert [(each.marker, each.references) for each in manuscript.citations] == [(marker, references)]
    assert manuscript.citations[0].sentence == f"Otters eat {marker}."


@pytest.mark.parametrize(
    "label",
    [
        r"[{{\c{C}}elik(2003)}]",
        r"[{\citenamefont{M{\"{u}}ller}(2003)}]",
        r"[Otter {[in {L}atin]}(2003)]",
        "",
    ],
)
async def test_an_item_of_the_list_is_found_whatever_its_label_contains(label: str) -> None:
    text = (
        r"\begin{document}Otters eat \citep{one} and \citep{two}. \begin{thebibliography}{9}"
        r"\bibitem[Smith(2020)]{one} Smith, J. (2020). Otters in the kelp. Journal of Ecology, 12, 45--67."
        f"\n\\bibitem{label}{{two}}\nJones, B. (2019). Urchins of the north. Marine Biology, 3, 1--9."
        r"\end{thebibliography}\end{document}"
    )

    manuscript = await read_manuscript(text)

    assert [(each.label, each.work.title) for each in manuscript.references] == [
        ("one", "Otters in the kelp"),
        ("two", "Urchins of the north"),
    ]
    assert [each.references for each in manuscript.citations] == [(1,), (2,)]


async def test_comments_verbatim_text_and_nocite_do_not_cite() -> None:
    text = r"""\begin{document}Otters eat. % \cite{smith}
\begin{verbatim}
\cite{smith}
\end{verbatim}
\verb|\cite{smith}| and 5\,\% \nocite{doe} \begin{comment} \cite{smith} \end{comment}
\end{document}"""

    manuscript = await read_manuscript(text, bibliography=BIB)

    assert manuscript.citations == ()
    assert manuscript.notes == (r"\nocite lists 1 reference(s) that need no citation in the text.",)


async def test_footnotes_and_block_quotations_are_read_and_missing_files_are_noted() -> None:
    text = r"""\begin{document}
Otters eat.\footnote{See \citet{smith}.} As Pliny wrote:
\begin{quote}The otter is a most wonderful beast \autocite{doe}.\end{quote}
\textcquote{doe}{An otter never sleeps on the land} they say. \input{chapter2}
\bibliography{refs}
\end{document}"""

    manuscript = await read_manuscript(text, bibliography=BIB)

    assert [(each.marker, each.style, each.references) for each in manuscript.citations] == [
        ("[^1]", "footnote", (1,)),
        ("[Doe, 2019]", "key", (2,)),
        ("[Doe, 2019]", "key", (2,)),
    ]
    assert [(each.text, each.references) for each in manuscript.quotations] == [
        ("The otter is a most wonderful beast.", (2,)),
        ("An otter never sleeps on the land", (2,)),
    ]
    assert manuscript.notes == ("1 file(s) that the document inputs were not read, such as 'chapter2'.",)


PROJECT = {
    "paper/main.tex": r"\documentclass{article}\begin{document}\input{part}\bibliography{refs}\end{document}",
    "paper/part.tex": r"Otters eat \cite{doe}.",
    "paper/refs.bib": BIB,
    "paper/figure.png": "no text",
}


def pack_tar(files: dict[str, str]) -> bytes:
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return body.getvalue()


@pytest.mark.parametrize("packing", ["zip", "tar"])
async def test_an_archive_of_a_project_is_read_with_its_inputs_and_its_bibliography(a_zip, packing: str) -> None:
    manuscript = await read_manuscript(a_zip(PROJECT) if packing == "zip" else pack_tar(PROJECT))

    assert [(each.sentence, each.references) for each in manuscript.citations] == [("Otters eat [Doe, 2019].", (2,))]
    assert manuscript.notes == ()


async def test_the_bbl_file_of_a_project_is_its_bibliography_where_there_is_no_other(a_zip) -> None:
    listed = r"\begin{thebibliography}{9}\bibitem{doe} A. Doe. Kelp in winter. Springer, 2019.\end{thebibliography}"

    manuscript = await read_manuscript(
        a_zip({"main.tex": PROJECT["paper/main.tex"] + r"\cite{doe}", "main.bbl": listed})
    )

    assert [each.label for each in manuscript.references] == ["doe"]


async def test_an_archive_that_is_a_bomb_or_has_no_latex_is_refused(a_zip) -> None:
    with pytest.raises(InvalidInput, match="bomb"):
        await read_manuscript(gzip.compress(bytes(101_000_000), 1))
    with pytest.raises(InvalidInput, match="no LaTeX file"):
        await read_manuscript(pack_tar({"readme.md": "otters"}))

"""Optical character recognition with the installed tesseract program."""

import asyncio
import re
import shutil
from contextlib import suppress
from typing import Final

from assay.errors import ConfigError, Network, UpstreamFailed
from assay.settings import Settings
from assay.text.sanitize import sanitise

PROGRAM: Final = "tesseract"
ABSENT = "OCR_UNAVAILABLE"
TRUE = ("1", "true", "yes")
LANGUAGES = re.compile(r"[A-Za-z_]{2,20}(?:\+[A-Za-z_]{2,20}){0,5}")
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "TESSDATA_PREFIX")


def is_enabled(settings: Settings) -> bool:
    """Whether ENABLE_OCR enables it."""
    return settings.key("ENABLE_OCR").lower() in TRUE


class OcrReader:
    """Runs tesseract on images. Raises ConfigError if tesseract is missing or OCR_LANGUAGES is malformed."""

    def __init__(self, settings: Settings) -> None:
        program = shutil.which(PROGRAM, path=settings.key("PATH") or None)
        if program is None:
            raise ConfigError(ABSENT, action="inform_user")
        self._program = program
        self._environ = {name: value for name in PASSED_ON if (value := settings.key(name))}
        self._languages = settings.key("OCR_LANGUAGES") or "eng"
        if not LANGUAGES.fullmatch(self._languages):
            raise ConfigError("OCR_LANGUAGES must be names joined by +, such as eng+deu", action="inform_user")

    async def text(self, picture: bytes, dots: int, seconds: float) -> str:
        """Return the text of a PNM image rendered at `dots` per inch.

        Raises Network after `seconds`, and UpstreamFailed if tesseract fails; the process is killed in either case.
        """
        process = await asyncio.create_subprocess_exec(
            *(self._program, "stdin", "stdout", "-l", self._languages, "--dpi", str(dots)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=self._environ | {"OMP_THREAD_LIMIT": "1"},
            cwd="/",
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(seconds):
                text, error_output = await process.communicate(picture)
        except TimeoutError:
            raise Network(f"ocr failed: no answer within {seconds:g} seconds", retry_after=5) from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            lines = error_output.decode(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"]
            raise UpstreamFailed(f"ocr failed: {lines[0][:200]}")
        return sanitise(text.decode(errors="replace")).replace("\f", "").strip()

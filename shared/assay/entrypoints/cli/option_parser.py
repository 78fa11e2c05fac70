"""A parser of options whose help that cannot be written is an error, as other output is; argparse ignores it."""

import argparse
import sys
from typing import Any


class OptionParser(argparse.ArgumentParser):
    def _print_message(self, message: str, file: Any = None) -> None:
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        file.write(message)
        file.flush()

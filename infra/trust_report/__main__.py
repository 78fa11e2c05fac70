"""Write docs/trust-report.md, or print the figures on data sets of others.

make trust-report
make trust-report DATA=/path/of/data/sets
"""

import argparse
import asyncio
from pathlib import Path

from infra.trust_report.data_sets import measure_data_sets
from infra.trust_report.gold_sets import measure_gold_sets
from infra.trust_report.page import format_data_sets, format_page

PAGE = Path(__file__).parents[2] / "docs" / "trust-report.md"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of data sets that are not shipped; nothing is written then")
    folder = parser.parse_args().data
    if folder:
        print(format_data_sets(measure_data_sets(folder)), end="")
        return
    PAGE.write_text(format_page(asyncio.run(measure_gold_sets())))
    print(f"Wrote {PAGE}.")


if __name__ == "__main__":
    main()

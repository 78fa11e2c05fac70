"""What is particular about the registers: statistics, clinical studies, court opinions."""

import pytest
from tests.providers.contract_case import KEY

from assay.errors import ToolError
from assay.models.public_records import ObservationQuery


@pytest.mark.parametrize("said", [f"api_key={KEY} is wrong", f"Bad Request. {KEY}"])
async def test_a_key_that_an_upstream_repeats_is_not_passed_on(make, upstream, said):
    upstream.says({"error_message": said}, status=400)
    with pytest.raises(ToolError) as failure:
        await make("fred").ask("observations", ObservationQuery(series_id="CATS"))
    assert KEY not in failure.value.text()

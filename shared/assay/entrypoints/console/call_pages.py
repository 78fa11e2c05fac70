"""Pages of background calls: the list of the person's calls; and the progress, cancellation and answer of each."""

from fastapi import Response

from assay.entrypoints.background_calls import read_reply
from assay.entrypoints.console.item_addresses import open_by_id
from assay.entrypoints.console.job_lists import list_own_jobs
from assay.entrypoints.console.page_visit import PageVisit
from assay.entrypoints.console.special_views import find_job_page
from assay.entrypoints.console.tool_pages import describe_answer
from assay.tool_calls.call_report import cancel_call, describe_call, find_call

PATH = "/console/calls"


async def list_calls(visit: PageVisit) -> Response:
    """The person's calls that workers make or made; or the call whose id was filled in."""
    if opened := open_by_id(visit):
        return opened
    return visit.show("calls.html", found=await list_own_jobs(visit, "tool-call"))


async def show_call(visit: PageVisit) -> Response:
    """The state of the call while it works; afterwards its answer, as a call without a worker would have had it."""
    ctx = visit.build_context()
    await ctx.count_poll()
    job = await find_call(visit.services, visit.caller, visit.parameters["id"])
    reply = await read_reply(ctx, job) if job.is_ended else None
    return visit.show(
        "call.html",
        title=f"Call of {job.tool}",
        tool=job.tool,
        job_page=find_job_page(job.tool, job.followed),
        call={"message": "", "done": None, "total": None} | describe_call(job),
        failure=reply.error if reply is not None else None,
        answer=describe_answer(visit, job.tool, reply) if reply is not None and reply.error is None else None,
    )


async def cancel(visit: PageVisit) -> Response:
    """End the call; one that has ended stays as it is."""
    job = await find_call(visit.services, visit.caller, visit.parameters["id"])
    await cancel_call(visit.services, job)
    return visit.redirect(f"{PATH}/{job.id}")

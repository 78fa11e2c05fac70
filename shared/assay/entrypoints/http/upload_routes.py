"""The route of the local server that takes documents: the address itself is what allows it."""

from fastapi import Request, Response
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from assay.entrypoints.http.plain_routes import build_route
from assay.local import local_uploads
from assay.services import Services


def upload_routes(services: Services) -> list[Route]:
    async def take_upload(request: Request) -> Response:
        expected = await local_uploads.take_address(services.table, request.path_params["secret"])
        content_type = request.headers.get("content-type", "")
        try:
            await local_uploads.store_body(services.table, services.bucket, expected, content_type, request.stream())
        except ClientDisconnect:
            return Response(status_code=400)  # the client has disconnected
        return Response(status_code=200)

    return [build_route(local_uploads.PATH + "{secret}", take_upload, "PUT")]

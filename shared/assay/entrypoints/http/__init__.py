"""HTTP: API Gateway events, the routes, OpenAPI and the local server."""

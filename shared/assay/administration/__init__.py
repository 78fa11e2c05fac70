"""Administration: what an administrator of a tenant, and the operator, can see and do."""

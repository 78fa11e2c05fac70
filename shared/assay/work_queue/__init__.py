"""Work that takes longer than a call: jobs in the table that workers advance in time slices, by messages of a queue."""

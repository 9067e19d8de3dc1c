"""The engine's client: how a job gets to the Rust binary and its events come back.

client.py     runs one job and gives its result
wire/         job, event and result types, generated from schema/
process.py    its process, which may hang or talk nonsense: every wait has a bound
lease.py      keeps an engine alive that waits for its start
"""

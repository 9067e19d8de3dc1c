"""The engine's client: how a job gets to the Rust binary and its events come back."""

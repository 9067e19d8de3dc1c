"""This machine: devices, folders, processes, facts, and the ledger of what was made on it."""

"""Processes on this machine: tools, servers, signals, networks of their own."""

"""A gate: accepted runs of one study teach it their noise, a new run is judged against that.

The method and its sources: docs/evidence/gate.md.
"""

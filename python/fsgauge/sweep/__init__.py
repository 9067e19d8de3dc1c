"""A sweep: one study simulated for several years and profiles, each point a results folder."""

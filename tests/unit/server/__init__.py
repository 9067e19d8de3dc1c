"""Tests of private servers."""

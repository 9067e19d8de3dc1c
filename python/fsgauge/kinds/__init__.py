"""Kinds of study, one folder each: keys, method, analysis, page and the studies that are shipped."""

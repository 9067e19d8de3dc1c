"""What is stored of a study, raw and never edited: models without I/O."""

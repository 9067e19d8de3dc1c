"""Statistics of the study `aging`: rates against free space, layouts, predictions for a disk."""

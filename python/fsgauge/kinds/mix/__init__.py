"""Unlike groups of clients side by side on one system: a load of one's own."""

"""The private network between the machines of a study: who has which address, and the switch."""

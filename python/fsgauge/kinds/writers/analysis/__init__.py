"""How a rate grows with the number of writers: efficiency, a scalability law, the peak."""

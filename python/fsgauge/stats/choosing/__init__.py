"""What a race says of options: their effects, and the winner as commands."""

"""What a file system takes from the device below it, by block size, queue depth and mix."""

"""What the four papers compare their methods with."""

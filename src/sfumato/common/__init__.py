"""What every room uses: argument checks, progress, threads, randomness, text files, HTML, charts and compiled code."""

"""Methods for comparison: Anatomy, K-Optimize and TopDown."""

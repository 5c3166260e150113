"""Compiled loops of Anatomy, K-Optimize and TopDown."""

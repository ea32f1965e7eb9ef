"""Compacting the working notes: what may go, what a model proposes, and how none of it is lost."""

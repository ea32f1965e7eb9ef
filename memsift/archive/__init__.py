"""Long-term entries on this machine: the archive, how it is indexed and searched, and how it is repaired."""

"""A recorded conversation, played through the same functions as the hooks, and what came of it in numbers."""

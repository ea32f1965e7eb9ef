"""Services elsewhere: one request within one deadline, and the pauses of what fails."""

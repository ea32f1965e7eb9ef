"""The long-term store on a Cognee server: what is searched there, what is sent there, what it holds."""

"""Chat completions over HTTP: OpenRouter, and any server with the same wire."""

"""Chat completions over HTTP: OpenRouter, and any server that speaks the same wire."""

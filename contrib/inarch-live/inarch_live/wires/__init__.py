"""The services behind the port: Gemini Live and OpenAI Realtime."""

"""OpenAI's Responses wire, stateless: each request carries the whole conversation, and nothing is stored."""

"""The Responses wire of OpenAI, stateless: the whole conversation goes with every request and nothing is stored."""

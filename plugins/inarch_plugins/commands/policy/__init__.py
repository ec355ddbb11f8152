"""`inarch policy`: what may run without a question, and rules that can't mean what they say."""

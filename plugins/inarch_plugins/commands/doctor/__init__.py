"""`inarch doctor`: what it looks at, and how it says what it found."""

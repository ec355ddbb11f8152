"""`inarch sessions`: lists stored sessions and works with them."""

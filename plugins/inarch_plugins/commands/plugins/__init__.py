"""`inarch plugins`: what is there and what is wrong with it; new ones, installed or begun."""

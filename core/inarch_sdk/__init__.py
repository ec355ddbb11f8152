"""What plugins build on, each of which could do without it: `@tool`, HTTP, chat shapes, prices, what events come to.

Everything in it that is public is passed on by `inarch`; of Inarch it knows the contract only.
"""

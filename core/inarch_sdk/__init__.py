"""What plugins build on, each of which could do without it: `@tool`, services over HTTP, chat shapes, prices.

Everything in it that is public is passed on by `inarch`; of Inarch it knows the contract only.
"""

"""What is a secret in a text: by the name of its variable, by its value in any shape, by the form of a published key.

It only finds them. What stands in their place, and that nothing is kept, shown or sent without it, is the kernel's.
"""

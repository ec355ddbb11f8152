"""Detection of secrets in a text: by the variable's name, by a known value in any shape, by a published key format.

This package only finds them. The kernel replaces them before it stores, shows or sends text.
"""

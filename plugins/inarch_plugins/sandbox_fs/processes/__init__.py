"""Programs of a workspace: a small fork server finds, confines, runs, watches and kills them."""

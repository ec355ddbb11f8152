"""auth: keys of services in the system's keyring. Commands and keys come by entry point, so it registers nothing."""

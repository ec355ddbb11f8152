"""Voice: the microphone and the speaker of a page, for a spoken session of the plugin `live`."""

"""De-identifiers behind the Detector protocol, one file each."""

"""Facts of the German language and country that letters and detectors share."""

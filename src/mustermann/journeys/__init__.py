"""What users come for, one function each; read these first."""

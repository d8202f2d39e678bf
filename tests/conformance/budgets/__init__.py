"""Estimated budgets beside what start-up logs and the memory floors of SGLang's own tests printed."""

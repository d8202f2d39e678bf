"""The same records put to other estimators of GPU memory."""

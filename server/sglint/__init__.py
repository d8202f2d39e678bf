"""SGLint: what each SGLang release does with the launch commands in your files."""

__version__ = "0.1.0"

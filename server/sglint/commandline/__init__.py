"""The command line of a launch, judged with what is known of all releases and of other programs."""

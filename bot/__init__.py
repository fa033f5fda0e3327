"""The process: the command line and, later, the running bot."""

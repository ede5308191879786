"""The commands, one a module; each is `command` there."""

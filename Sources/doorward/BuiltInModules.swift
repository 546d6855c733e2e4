// The modules of the bots in this repository are listed here, one line each; none has Swift code of its own yet.

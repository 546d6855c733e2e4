#pragma once
// Newer versions than Debian 12's mark what they keep for compatibility; what is used here works in all of them.
#define CARES_NO_DEPRECATED
#include <ares.h>

// Nothing to call: to be linked is enough. See OpenSSLStart.c.
#pragma once
